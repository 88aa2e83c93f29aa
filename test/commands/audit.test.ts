import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { audit } from '../../cdk/commands/audit/audit.ts';
import type { TableReader } from '../../cdk/commands/audit/table-reader.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { storedCategory } from '../../lib/model/category-item.ts';
import { violationsOfChange } from '../../lib/model/invariants.ts';
import { storedOrder } from '../../lib/model/order-item.ts';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';
import type { Stored } from '../../lib/model/violation.ts';
import { createPet } from '../support/fixtures.ts';
import { newPet } from '../support/new-pet.ts';
import { usePetstore } from '../support/petstore.ts';
import { read as readFile } from '../support/project.ts';
import { runCommand } from '../support/run-command.ts';

type Table = Map<string, Stored>;
const change = (table: Table, pk: string, changes: object) =>
  table.set(pk, { ...table.get(pk), ...changes } as Stored);

/** Two categories of one pet each, an open order of two units, a complete order, and an item of an unknown kind. */
const shop = (): Table => {
  const pet = (id: number, categoryId: number) =>
    newPetItem(id, { ...newPet, categoryId, status: 'pending' });
  const order = { petId: 7, quantity: 2, ownerId: 'anna', clientId: 'shop', version: 1 };
  const items: Stored[] = [
    { ...storedCategory({ id: 3, name: 'Cats' }), petCount: 1 },
    { ...storedCategory({ id: 4, name: 'Dogs' }), petCount: 1 },
    storedPet({ ...pet(7, 3), reservedQuantity: 2 }),
    storedPet(pet(8, 4)),
    storedOrder({ ...order, id: 9, complete: false }),
    storedOrder({ ...order, id: 10, complete: true, shipDate: '2027-01-01T00:00:00Z' }),
    { pk: 'DRAGON#1', sk: 'DRAGON' } as Stored,
  ];
  return new Map(items.map(item => [item.pk, { ...item, writeCount: 1 }]));
};

/**
 * The table can change while it is read.
 * @param onScan runs during each scan, after the pets and before the other items
 * @param onRead runs before items are read by their keys
 */
const readerOf = (
  table: Table,
  onScan = (_: number): unknown => undefined,
  onRead = (): unknown => undefined,
) => {
  const eachItem = vi.fn<TableReader['eachItem']>(async take => {
    for (const item of table.values()) if (item.sk === 'PET') take(item);
    onScan(eachItem.mock.calls.length);
    for (const item of table.values()) if (item.sk !== 'PET') take(item);
  });
  const read: TableReader['read'] = async keys => {
    onRead();
    return new Map(
      keys.flatMap(({ pk }) => (table.has(pk) ? [[pk, table.get(pk)!] as const] : [])),
    );
  };
  return { eachItem, read, estimate: async () => 0, units: () => 0 };
};
const linesOf = ({ mismatches }: Awaited<ReturnType<typeof audit>>) =>
  mismatches.map(({ key, about, text }) => `${key.pk} ${about}: ${text}`).sort();

describe('an audit', () => {
  const withoutPet = 'ORDER#9 petId: names the pet 7, which does not exist; the order is open';
  const twice = [
    'PET#8 categoryId: names the category 4, which does not exist',
    'PET#8 reservedQuantity: is 3; its open orders have 0 units',
  ];
  it.each<[lines: string[], happened: (table: Table) => unknown]>([
    // PETS#2 is right for five shards. test/lib/model/invariants.test.ts has every violation of a single item.
    [[], t => change(t, 'PET#7', { all: 'PETS#2' })],
    [
      ['PET#7 reservedQuantity: is 3; its open orders have 2 units'],
      t => change(t, 'PET#7', { reservedQuantity: 3 }),
    ],
    [['PET#7 reservedQuantity: is 2; its open orders have 0 units'], t => t.delete('ORDER#9')],
    [
      ['CATEGORY#3 petCount: is 0; the category has 1 pets'],
      t => change(t, 'CATEGORY#3', { petCount: 0 }),
    ],
    [['CATEGORY#3 petCount: is 1; the category has 0 pets', withoutPet], t => t.delete('PET#7')],
    [twice, t => change(t, 'PET#8', { reservedQuantity: 3 }).delete('CATEGORY#4')],
  ])('finds %j', async (lines, happened) => {
    const table = shop();
    happened(table);
    const progress = vi.fn();
    const result = await audit(readerOf(table), 5, progress);
    expect([linesOf(result), result.uncertain, result.other]).toEqual([lines, [], { DRAGON: 1 }]);
    expect(progress, 'it reads possible mismatches again').toHaveBeenCalledTimes(
      lines.length > 0 ? 1 : 0,
    );
  });

  it.each<[lines: string[], happens: (table: Table) => unknown]>([
    [
      ['PET#8 version: is -2, expected a number from 1 to 9007199254740991'],
      t => change(t, 'PET#8', { version: -2 }),
    ],
    [[], t => change(t, 'PET#8', { version: 1 })],
    [[], t => t.delete('PET#8')],
  ])(
    'reads a wrong item again, but not the whole table, and then finds %j',
    async (lines, happens) => {
      const table = change(shop(), 'PET#8', { version: -1 });
      const reader = readerOf(table, undefined, () => happens(table));
      const result = await audit(reader, 1);
      expect([linesOf(result), result.uncertain]).toEqual([lines, []]);
      expect(reader.eachItem).toHaveBeenCalledTimes(1);
    },
  );

  /** As one transaction does: a unit of the pet 7 becomes reserved. */
  const order = (table: Table, id: number) => {
    const { reservedQuantity, writeCount } = table.get('PET#7')!;
    change(table, 'PET#7', { reservedQuantity: reservedQuantity + 1, writeCount: writeCount + 1 });
    change(table, `ORDER#${id}`, { ...table.get('ORDER#9'), pk: `ORDER#${id}`, id, quantity: 1 });
  };

  it('reports no order that is placed during its scan', async () => {
    const table = shop();
    const reader = readerOf(table, scan => scan === 1 && order(table, 11));
    expect(await audit(reader, 1)).toMatchObject({ mismatches: [], uncertain: [] });
    expect(reader.eachItem, 'it seemed to differ, and was read again').toHaveBeenCalledTimes(2);
  });

  it('reports a pet that is ordered during every scan as uncertain, beside a mismatch', async () => {
    const table = change(shop(), 'CATEGORY#3', { petCount: 5 });
    const progress = vi.fn();
    const reader = readerOf(table, scan => order(table, 10 + scan));
    const result = await audit(reader, 1, progress);
    expect(result.mismatches.map(({ key }) => key.pk)).toEqual(['CATEGORY#3']);
    expect(result.uncertain).toMatchObject([{ key: { pk: 'PET#7' }, about: 'reservedQuantity' }]);
    expect(progress.mock.calls.map(([text]) => Number.parseInt(text, 10))).toEqual([2, 1, 1]);
  });
});

describe('npm run audit', () => {
  const petstore = usePetstore();
  const where = () => ['--local', petstore.url, '--table', petstore.tableName];
  const run = () => runCommand('cdk/commands/audit/index.ts', where());

  it('prints the cost and the mismatches, and exits with 1 if there are any', async () => {
    const { id: petId, categoryId } = await createPet(petstore.staff);
    const sale = { body: { petId, complete: true }, headers: { 'Idempotency-Key': 'sale' } };
    await petstore.staff('POST', '/store/orders', sale);
    const [client, TableName] = [connect(inject('endpoint')), petstore.tableName];
    await client.send(
      new PutItemCommand({ TableName, Item: marshall({ pk: 'DRAGON#1', sk: 'DRAGON' }) }),
    );
    const cost = expect.stringMatching(
      /^Reading \S+ \(\d+ items at DynamoDB's last count\) for about \$0\.\d+/,
    );
    const none = /^0 mismatches in 5 items \(not checked: 1 DRAGON\); \d+ read request units?\n$/;
    expect(await run()).toMatchObject({ code: 0, out: expect.stringMatching(none), err: cost });
    await client.send(
      new DeleteItemCommand({ TableName, Key: marshall({ pk: `PET#${petId}`, sk: 'PET' }) }),
    );
    const line = `CATEGORY#${categoryId} petCount: is 1; the category has 0 pets\n`;
    expect(await run()).toMatchObject({ code: 1, out: expect.stringContaining(line) });
  });

  it('finds nothing after the last resort of the runbook, which changes no item that has changed', async () => {
    const [, condition, update, values] =
      /--condition-expression '(.*?)' --update-expression '(.*?)' \\\n.*--expression-attribute-values '(.*?)'/.exec(
        readFile('cdk/RUNBOOK.md'),
      )!;
    const { id } = await createPet(petstore.staff);
    const client = connect(inject('endpoint'));
    const target = { TableName: petstore.tableName, Key: marshall({ pk: `PET#${id}`, sk: 'PET' }) };
    const read = async () =>
      unmarshall((await client.send(new GetItemCommand(target))).Item!) as Stored;
    const damage = {
      UpdateExpression: 'SET reservedQuantity = :five',
      ExpressionAttributeValues: marshall({ ':five': 5 }),
    };
    await client.send(new UpdateItemCommand({ ...target, ...damage }));
    expect((await run()).out).toContain(
      `PET#${id} reservedQuantity: is 5; its open orders have 0 units`,
    );
    const before = await read();
    const correct = (right: number, writeCount: number) => {
      const given = {
        ...JSON.parse(values!),
        ':right': { N: `${right}` },
        ':read': { N: `${writeCount}` },
      };
      const expressions = {
        ConditionExpression: condition,
        UpdateExpression: update,
        ExpressionAttributeValues: given,
      };
      return client.send(new UpdateItemCommand({ ...target, ...expressions }));
    };
    await correct(0, before.writeCount);
    expect([...violationsOfChange(before, await read(), 1)]).toEqual([]);
    expect((await run()).out).not.toContain(`PET#${id}`);
    await expect(correct(7, before.writeCount)).rejects.toThrow(ConditionalCheckFailedException);
  });

  it('exits with 2 when it is not certain', async () => {
    const uncertain = [{ key: { pk: 'PET#1' }, about: 'reservedQuantity', text: 'is 3' }];
    const result = { items: 1, other: {}, mismatches: [], uncertain };
    vi.doMock('../../cdk/commands/audit/audit.ts', () => ({ audit: async () => result }));
    onTestFinished(() => vi.doUnmock('../../cdk/commands/audit/audit.ts'));
    const line =
      'PET#1 reservedQuantity: is 3. The item changed during every read, so this is not certain\n0 mismatches, 1 uncertain in 1 item';
    expect(await run()).toMatchObject({ code: 2, out: expect.stringContaining(line) });
  });
});
