import { expect, it, vi } from 'vitest';
import { indexes } from '../../../../lib/model/table/indexes.ts';
import type * as keys from '../../../../lib/model/table/keys.ts';
import type { Stored } from '../../../../lib/model/violation.ts';
import { placed, tom } from '../../../support/items.ts';
import { storedNouns } from '../../../support/resources.ts';

type PetFields = Parameters<typeof keys.petPartitions>[0] & { readonly fur?: string };

vi.stubEnv('INDEX_SHARDS', '4');
vi.resetModules();
// As if a later, optional field `fur` had an index. (Pets have no key `byPet`.)
vi.doMock('../../../../lib/model/table/keys.ts', async load => {
  const original = await load<typeof keys>();
  const petPartitions = ({ fur, ...pet }: PetFields) => ({
    ...original.petPartitions(pet),
    byPet: fur && `PETS#FUR#${fur}`,
  });
  return { ...original, petPartitions };
});
const { newPetItem, petItems, statusChange, storedPet, toPet } = await import(
  '../../../../lib/model/pet-item.ts'
);
const { orderItems, toOrder } = await import('../../../../lib/model/order-item.ts');
const { kindOf } = await import('../../../../lib/model/kinds.ts');
const { violationsOfItem } = await import('../../../../lib/model/invariants.ts');

it('a change of a pet moves it only in the lists that it enters or leaves', () => {
  const moved = (pet: typeof tom, fields: object, others?: object) =>
    petItems.changes(pet, { ...toPet(pet), ...fields }, others);
  expect(moved(tom, {})).toEqual({});
  expect(moved(tom, { status: 'sold' }, { onHold: true })).toEqual({
    status: 'sold',
    onHold: true,
    byState: 'PETS#sold#3',
    byGroupAndState: 'CATEGORY#3#PETS#sold#3',
    byHold: 'PETS#ON-HOLD#3',
  });
  const held = { ...tom, onHold: true };
  const unheld = { name: 'TÓM', onHold: false, byHold: undefined };
  expect(moved(held, { name: 'TÓM' }, { onHold: false })).toStrictEqual(unheld);
  expect(moved(tom, { name: 'Kit' })).toEqual({ name: 'Kit', byName: 'PETS#NAME#kit#3' });
  expect(moved(tom, { categoryId: 2 })).toEqual({
    categoryId: 2,
    byGroup: 'CATEGORY#2#PETS#3',
    byGroupAndState: 'CATEGORY#2#PETS#available#3',
  });
});

it('a completion moves an order only in the lists of its state', () => {
  expect(orderItems.changes(placed, { ...toOrder(placed), complete: true })).toEqual({
    complete: true,
    byState: 'ORDERS#complete#1',
    byGroupAndState: 'OWNER#anna#ORDERS#complete#1',
    byPetAndState: 'PET#7#ORDERS#complete#1',
  });
});

it('every write of a pet keeps it in the index of a later field, or removes it without the field', () => {
  const stored = (fields: object): Stored => ({
    ...storedPet(newPetItem(7, { ...toPet(tom), ...fields })),
    writeCount: 1,
  });
  const after = (item: Stored, changes: object): Stored =>
    Object.fromEntries(
      Object.entries({ ...item, ...changes }).filter(([, value]) => value !== undefined),
    );
  const change = (item: Stored, fields: object) => {
    const next = Object.entries({ ...toPet(item), ...fields }).filter(
      ([, value]) => value !== null,
    );
    return after(
      item,
      petItems.changes(item, Object.fromEntries(next) as ReturnType<typeof toPet>),
    );
  };
  const long = stored({ fur: 'long' });
  const versions: [expected: unknown, item: Stored][] = [
    ['PETS#FUR#long#3', long],
    ['PETS#FUR#long#3', change(long, { name: 'Kit' })],
    [
      'PETS#FUR#long#3',
      after(long, { ...statusChange(long as typeof tom, 'sold'), availableQuantity: 0 }),
    ],
    ['PETS#FUR#short#3', change(long, { fur: 'short' })],
    [undefined, change(long, { fur: null })],
    [undefined, stored({})],
    ['PETS#FUR#short#3', change(stored({}), { fur: 'short' })],
  ];
  for (const [expected, item] of versions) {
    expect(item.byPet).toBe(expected);
    // The audit and the publisher agree.
    expect([...violationsOfItem(item, 4)]).toEqual([]);
  }
});

it('the key of every index has partitions, or the index would be empty', () => {
  const keys = new Set(
    storedNouns.flatMap(noun => Object.keys(kindOf(noun.toUpperCase())!.partitionsOf({}))),
  );
  expect(keys, 'lib/model/table/keys.ts').toEqual(new Set(indexes.map(({ key }) => key)));
});
