import { expect, it } from 'vitest';
import { toCell } from '../../cdk/commands/import/cells.ts';
import { petStatuses } from '../../lib/schemas/pet.ts';
import { createCategory, createPet, newOrder, setQuantity } from '../support/fixtures.ts';
import { useImports } from '../support/imports.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
const { corrected, importing, setHooks } = await useImports(petstore);

const counts = [0, 3];
const befores = ['', 'pending', 'sold'].flatMap(hold =>
  counts.flatMap(units => counts.map(reserved => ({ hold, units, reserved }))),
);
const edits = ['', ...petStatuses].flatMap(status => ['', 0, 7].map(stock => ({ status, stock })));
const cases = befores.flatMap(before => edits.map(edit => ({ before, edit })));
type Case = (typeof cases)[number];

const stored = async ({ before: { hold, units, reserved } }: Case, categoryId: number) => {
  const { id } = await createPet(petstore.staff, categoryId);
  await setQuantity(petstore.staff, id, reserved + 1);
  if (reserved > 0) await newOrder(petstore.shop, id, reserved);
  if (hold) await petstore.staff('PATCH', `/pets/${id}`, { body: { status: hold } });
  await setQuantity(petstore.staff, id, units);
  return id;
};

/** Whether the pet has the status already, but by its units. */
const isEqual = ({ before: { hold, units, reserved }, edit }: Case) =>
  !hold && units === 0 && edit.status === (reserved > 0 ? 'pending' : 'sold');

/** What the pet ends with. */
const expectedOf = (one: Case) => {
  const { before, edit } = one;
  const decided = before.hold || 'available';
  const shelf = before.units + before.reserved;
  const stock = edit.stock === '' ? shelf : Number(edit.stock);
  const status = edit.status || decided;
  // A new hold is put on before the stock is refused.
  const held = !before.hold && status === 'pending' ? (isEqual(one) ? 'sold' : status) : decided;
  if (stock < before.reserved) return { isRefused: true, status: held, stock: shelf };
  // `sold` without a unit is no hold, but one that exists stays.
  const isNoHold = status === 'sold' && stock === 0 && before.hold !== 'sold';
  return { isRefused: false, status: isNoHold ? 'available' : status, stock };
};

it('each row leads to its cells, in as few writes as possible, and sells nothing before the last', async () => {
  const { id: categoryId } = await createCategory(petstore.staff, 'States');
  const ids: number[] = [];
  for (const one of cases) ids.push(await stored(one, categoryId));
  const { file } = await corrected('States', (_, index) => {
    const { status, stock } = cases[index]!.edit;
    return { ...(status && { status }), ...(stock !== '' && { stock }) };
  });
  const writes = new Map(ids.map(id => [id, [] as string[]]));
  setHooks({
    response: ({ body }, { method, path }) => {
      const [, id] = /^\/(?:pets|store\/inventory)\/(\d+)/.exec(path) ?? [];
      if (method !== 'GET') writes.get(Number(id))?.push(JSON.parse(`${body}`).status);
    },
  });
  const { out } = await importing(file);
  const { rows } = await corrected('States', () => ({}));
  for (const [index, one] of cases.entries()) {
    const [line = ''] = new RegExp(`.*${toCell(ids[index]!)} .*`).exec(out) ?? [];
    const note = `${JSON.stringify(one)} ${line}`;
    const { status, stock } = rows[index]!;
    const ended = { isRefused: line.includes('refused'), status, stock: Number(stock) };
    expect(ended, note).toEqual(expectedOf(one));
    const statuses = writes.get(ids[index]!)!;
    expect(statuses.length, note).toBeLessThanOrEqual(isEqual(one) ? 3 : 2);
    expect(statuses.slice(0, -1), note).not.toContain('available');
  }
});
