import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { tempFolder } from '../../../cdk/files/temp-folder.ts';
import { engineKinds } from '../../../cdk/local/engine/engine-kinds.ts';
import { type Engine, startEngine } from '../../../cdk/local/engine/start-engine.ts';
import { connect, ensureTable } from '../../../cdk/local/engine/table.ts';

const TableName = 'streamed';
const shard = `shardId-00000001-${TableName}`;

/** How Dynoxide 1.2.1 reads a stream (src/storage.rs). To write, it reads the table's largest sequence number. */
const recordsAfter =
  'SELECT * FROM _stream_records WHERE table_name = ?1 AND shard_id = ?2 AND CAST(sequence_number AS INTEGER) > ?3';

describe.skipIf(inject('engine') !== 'Dynoxide')('the stream records of Dynoxide', () => {
  let folder: string;
  let engine: Engine;
  let client: DynamoDBClient;

  const start = async () => {
    engine = await startEngine({ folder, kind: 'dynoxide' });
    client = connect(engine.endpoint);
  };
  const sql = (query: string, ...values: string[]) => {
    const database = new DatabaseSync(join(folder, engineKinds.dynoxide.database), {
      timeout: 5_000,
    });
    const rows = database.prepare(query).all(...values);
    database.close();
    return rows;
  };
  const sequenceNumbers = () =>
    sql('SELECT CAST(sequence_number AS INTEGER) AS n FROM _stream_records ORDER BY n').map(
      ({ n }) => n,
    );
  const put = async (from: number, to: number) => {
    for (let pk = from; pk <= to; pk++)
      await client.send(
        new PutItemCommand({ TableName, Item: { pk: { S: `${pk}` }, sk: { S: '-' } } }),
      );
  };

  beforeEach(async () => {
    folder = tempFolder('data');
    await start();
    await ensureTable(client, inject('template'), TableName);
  });
  afterEach(() => engine.stop());

  it('have an index that the engine uses', () => {
    const [plan] = sql(`EXPLAIN QUERY PLAN ${recordsAfter}`, TableName, shard, '0');
    const detail =
      'SEARCH _stream_records USING INDEX petstore_stream_order (table_name=? AND <expr>>?)';
    expect([plan!.detail, engine.warning]).toEqual([detail, undefined]);
  });

  it('are removed up to the checkpoint in batches, but not the newest or of others', async () => {
    sql(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2002)
      INSERT INTO _stream_records (table_name, event_name, keys_json, sequence_number, shard_id, created_at)
      SELECT '${TableName}', 'INSERT', '{}', n, '${shard}', 0 FROM numbers`);
    for (const [table, ofShard] of [
      ['another', shard],
      [TableName, 'another'],
      [TableName, shard],
    ] as const)
      engine.trimStream(table, ofShard, '1999');
    expect(sequenceNumbers().length).toBe(1_002);
    engine.trimStream(TableName, shard, '1999');
    expect(sequenceNumbers()).toEqual([2_000, 2_001, 2_002]);
    engine.trimStream(TableName, shard, '2002');
    expect(sequenceNumbers()).toEqual([2_002]);
    // A sequence number is never reused.
    await engine.stop();
    await start();
    await put(1, 1);
    expect(sequenceNumbers()).toEqual([2_002, 2_003]);
  });

  it('are removed while the engine writes, without an error', async () => {
    const writers = Promise.all([0, 1, 2, 3].map(index => put(index * 50 + 1, index * 50 + 50)));
    const pause = () => Promise.race([writers, sleep(1, 'writing')]);
    while ((await pause()) === 'writing') engine.trimStream(TableName, shard, '200');
    expect(sequenceNumbers().length).toBeLessThan(200);
    expect(sequenceNumbers().at(-1)).toBe(200);
  });

  it('of another schema version are not removed, with a warning', async () => {
    await put(1, 3);
    await engine.stop();
    sql('DROP INDEX petstore_stream_order');
    sql("UPDATE _config SET value = '10' WHERE key = 'schema_version'");
    const schema = () => sql('SELECT name, sql FROM sqlite_schema');
    const before = schema();
    await start();
    expect(engine.warning).toMatch(
      /^Another version of Dynoxide wrote .*dynoxide\.db, so it has no index/,
    );
    engine.trimStream(TableName, shard, '3');
    expect(sequenceNumbers()).toEqual([1, 2, 3]);
    expect(schema()).toEqual(before);
  });
});
