import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { fillIndex } from '../../cdk/commands/audit/fill-index.ts';
import { type TableReader, tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { eventsOf } from '../../lib/events/changes.ts';
import { orderKey } from '../../lib/model/table/keys.ts';
import type { Stored } from '../../lib/model/violation.ts';
import { startAwsProxy } from '../support/aws-proxy.ts';
import { newOrder, stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';
import { runCommand } from '../support/run-command.ts';

const petstore = usePetstore();
const key = 'byPetAndState';
const shipDate = '2027-01-04T09:00:00Z';

/** The invariants of the deployment that adds the index: no list reads it yet. */
const invariantsBefore = async () => {
  const path = '../../lib/model/table/indexes.ts';
  const actual = await vi.importActual<typeof import('../../lib/model/table/indexes.ts')>(path);
  const { [key]: _, ...readFrom } = actual.readFrom;
  vi.doMock(path, () => ({ ...actual, readFrom }));
  onTestFinished(() => void vi.doUnmock(path));
  vi.resetModules();
  return import('../../lib/model/invariants.ts');
};

it('the key of a new index is written to old items while others change, without a violation or an event', async () => {
  const proxy = await startAwsProxy(inject('endpoint'));
  onTestFinished(proxy.stop);
  const client = connect(proxy.url);
  const table = petstore.tableName;
  const { id: petId } = await stockedPet(petstore.staff, 9);
  const place = async () => (await newOrder(petstore.shop, petId)).id;
  const [first, canceled, completed, last] = [
    await place(),
    await place(),
    await place(),
    await place(),
  ];
  // These orders are from before the index.
  for (const id of [first, canceled, completed, last]) {
    const names = { UpdateExpression: 'REMOVE #key', ExpressionAttributeNames: { '#key': key } };
    await client.send(
      new UpdateItemCommand({ TableName: table, Key: marshall(orderKey(id)), ...names }),
    );
  }
  const added = await place();
  const list = `/store/orders?complete=false&petId=${petId}`;
  const listed = async () =>
    (await petstore.staff('GET', list)).body.map(({ id }: { id: number }) => id);
  await expect.poll(listed).toEqual([added]);

  const reader = tableReader(client, table, Number.POSITIVE_INFINITY);
  const itemOf = async (id: number) => (await reader.read([orderKey(id)])).get(orderKey(id).pk);
  const { violationsOfChange } = await invariantsBefore();
  const change = async (method: string, id: number, body?: object) => {
    const [path, before] = [`/store/orders/${id}`, await itemOf(id)];
    expect((await petstore.staff(method, path, { body })).status).toBeLessThan(300);
    expect([...violationsOfChange(before, await itemOf(id), 1)]).toEqual([]);
  };
  const before = new Map<number, Stored>();
  /** Cancels an order and completes another, after the scan has read them. The completion writes the key. */
  const racing: TableReader = {
    ...reader,
    eachItem: take =>
      reader.eachItem(async item => {
        if (item.sk === 'ORDER' && !before.has(item.id)) {
          before.set(item.id, item);
          if (item.id === canceled) await change('DELETE', canceled);
          if (item.id === completed) await change('PATCH', completed, { shipDate, complete: true });
        }
        await take(item);
      }),
  };
  const filling = { key, shards: 1, rate: Number.POSITIVE_INFINITY };
  // The first run ends at one of the orders.
  const lastKey = orderKey(last).pk;
  proxy.faultFor = ({ operation, body }) =>
    operation === 'UpdateItem' && body.Key.pk.S === lastKey ? 'denied' : undefined;
  await expect(fillIndex(client, table, racing, filling)).rejects.toThrow('AccessDenied');
  proxy.faultFor = () => undefined;
  await fillIndex(client, table, racing, filling);

  await expect.poll(listed).toEqual([added, last, first]);
  expect((await reader.read([orderKey(canceled)])).size).toBe(0);
  for (const id of [first, last]) {
    const [old, after] = [before.get(id), await itemOf(id)];
    expect([...violationsOfChange(old, after, 1), ...eventsOf(old, after)]).toEqual([]);
  }
  const local = ['--local', petstore.url, '--table', table];
  const again = await runCommand('cdk/commands/audit/index.ts', [...local, '--fill-index', key]);
  expect([again.code, again.out]).toEqual([
    0,
    expect.stringContaining(`${key} written to 0 of them`),
  ]);
  const audited = await runCommand('cdk/commands/audit/index.ts', local);
  expect([audited.code, audited.out]).toEqual([0, expect.stringMatching(/^0 mismatches in /)]);
});
