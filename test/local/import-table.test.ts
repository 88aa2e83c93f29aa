import { createHash, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type AttributeValue, ScanCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { importTable } from '../../cdk/local/engine/import-table.ts';
import { startEngine } from '../../cdk/local/engine/start-engine.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { localTableName } from '../../cdk/local/server.ts';
import { tokenOf } from '../support/http.ts';
import { clientOf, sharedAssembly, usePetstore } from '../support/petstore.ts';
import { newFolder, ready, start } from '../support/processes.ts';

const petstore = usePetstore();
type Item = Record<string, AttributeValue>;

const scan = async (endpoint: string, table: string): Promise<Item[]> => {
  const client = connect(endpoint);
  const { Items = [] } = await client.send(new ScanCommand({ TableName: table }));
  client.destroy();
  return Items.sort((a, b) => (a.pk!.S! < b.pk!.S! ? -1 : 1));
};

/** Writes an export as DynamoDB writes it to a bucket: two manifests, and a data file for each list of items. */
const writeExport = async (files: Item[][], summary: object = {}, damage = (bytes: Buffer) => bytes) => {
  const folder = await newFolder();
  const own = join(folder, 'AWSDynamoDB', '01234567890123-a1b2c3d4');
  await mkdir(join(own, 'data'), { recursive: true });
  const lines = await Promise.all(
    files.map(async (items, index) => {
      const bytes = gzipSync(items.map(item => `${JSON.stringify({ Item: item })}\n`).join(''));
      await writeFile(join(own, 'data', `file${index}.json.gz`), damage(bytes));
      return JSON.stringify({
        itemCount: items.length,
        md5Checksum: createHash('md5').update(bytes).digest('base64'),
        etag: 'af83d6f217c19b8b0fff8023d8ca4716-1',
        dataFileS3Key: `prefix/AWSDynamoDB/01234567890123-a1b2c3d4/data/file${index}.json.gz`,
      });
    }),
  );
  await writeFile(join(own, 'manifest-files.json'), `${lines.join('\n')}\n`);
  const itemCount = files.flat().length;
  const tableArn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/petstore-prod-Table';
  const manifest = {
    tableArn,
    exportTime: '2026-11-21T10:00:00.000Z',
    outputFormat: 'DYNAMODB_JSON',
    itemCount,
    ...summary,
  };
  await writeFile(join(own, 'manifest-summary.json'), JSON.stringify(manifest));
  return folder;
};

let items: Item[];
let ids: { tom: number; order: number };
beforeAll(async () => {
  const category = await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
  const tom = await petstore.staff('POST', '/pets', { body: { name: 'Tom', categoryId: category.body.id } });
  await petstore.staff('PUT', `/store/inventory/${tom.body.id}`, { body: { quantity: 5 } });
  const order = await petstore.shop('POST', '/store/orders', {
    body: { petId: tom.body.id, quantity: 2 },
    headers: { 'Idempotency-Key': 'first' },
  });
  for (let pet = 0; pet < 60; pet++)
    await petstore.staff('POST', '/pets', { body: { name: `Pet ${pet}`, categoryId: category.body.id } });
  ids = { tom: tom.body.id, order: order.body.id };
  items = await scan(inject('endpoint'), petstore.tableName);
});
const halves = () => [items.slice(0, 40), [], items.slice(40)];
const run = async (...args: string[]) => {
  const server = start(...args);
  return { url: await ready(server), server };
};
const rejectedBy = async (...args: string[]) => {
  const server = start(...args);
  return { code: await server.exit, output: server.output() };
};

describe('npm start -- --import', () => {
  it('loads every item unchanged, publishes no events for them, and stores them in the data folder', async () => {
    const data = await newFolder();
    const { url, server } = await run('--data', data, '--import', await writeExport(halves()));
    expect(server.output()).toContain(`Loaded ${items.length} items of arn:aws:dynamodb:eu-west-1`);
    const place = (await (await fetch(`${url}/local`)).json()) as { DynamoDbEndpoint: string; TableName: string };
    expect(await scan(place.DynamoDbEndpoint, place.TableName)).toEqual(items);

    const feed = (await fetch(`${url}/local/events`)).body!.pipeThrough(new TextDecoderStream()).getReader();
    const staff = clientOf(url, await tokenOf(url));
    expect((await staff('GET', `/store/orders/${ids.order}`)).body).toMatchObject({ petId: ids.tom, quantity: 2 });
    const replayed = await clientOf(url, await tokenOf(url, 'shop'))('POST', '/store/orders', {
      body: { petId: ids.tom, quantity: 2 },
      headers: { 'Idempotency-Key': 'first' },
    });
    expect(replayed.headers.get('Idempotent-Replayed')).toBe('true');
    await staff('PATCH', `/store/orders/${ids.order}`, { body: { shipDate: '2027-01-01T00:00:00Z' } });
    const first = JSON.parse((await feed.read()).value!.split('\n')[0]!);
    expect(first).toMatchObject({ type: 'petstore.order.updated', sequence: '0001-0000000000000002' });
    await feed.cancel();

    server.child.kill('SIGTERM');
    await server.exit;
    const engine = await startEngine({ folder: data });
    expect(await scan(engine.endpoint, localTableName)).toHaveLength(items.length);
    await engine.stop();
  });

  it('rejects a table that has items', async () => {
    const client = connect(inject('endpoint'));
    const loaded = importTable(client, sharedAssembly().template, petstore.tableName, await writeExport(halves()));
    await expect(loaded).rejects.toThrow('The table already has items.');
    expect(await scan(inject('endpoint'), petstore.tableName)).toEqual(items);
    client.destroy();
  });

  it.each<[string, () => Promise<string>, string]>([
    ['a folder without an export', newFolder, 'has no export: no manifest-summary.json'],
    ['another format', () => writeExport(halves(), { outputFormat: 'ION' }), 'The export is FULL_EXPORT in ION'],
    [
      'an incremental export',
      () => writeExport(halves(), { exportType: 'INCREMENTAL_EXPORT' }),
      'The export is INCREMENTAL_EXPORT',
    ],
    ['fewer items than in its summary', () => writeExport(halves(), { itemCount: 1_000 }), 'its summary says 1000'],
    [
      'a truncated file',
      () => writeExport(halves(), {}, bytes => bytes.subarray(0, bytes.length - 20)),
      'cannot be read: unexpected end of file',
    ],
    [
      'a changed file',
      () => writeExport(halves(), {}, bytes => Buffer.concat([bytes, gzipSync('\n')])),
      'has a different checksum than in its manifest',
    ],
    [
      'more index shards',
      () => writeExport([items.map(item => ({ ...item, ...(item.all && { all: { S: 'PETS#2' } }) }))]),
      'has 3 or more index shards',
    ],
    ['lines that are not items', () => writeExport([[{ pk: { S: 'PET#1' } }]]), 'line 1 is not an item'],
  ])('loads nothing from %s', async (_, make, message) => {
    const client = connect(inject('endpoint'));
    const { template } = sharedAssembly();
    const tableName = `import-${randomUUID()}`;
    await expect(importTable(client, template, tableName, await make())).rejects.toThrow(message);
    await expect(client.send(new ScanCommand({ TableName: tableName }))).rejects.toThrow();
    client.destroy();
  });

  it('reports a folder without an export before the slow bundling', async () => {
    const { code, output } = await rejectedBy('--memory', '--import', await newFolder());
    expect([code, output]).toEqual([1, expect.stringContaining('has no export: no manifest-summary.json')]);
    expect(output).not.toContain('Bundling the functions');
  });
});
