import { cpus, loadavg } from 'node:os';
import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { connect } from '../../cdk/local/engine/table.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';
import type { Bench } from './bench.ts';
import { median, table } from './statistics.ts';

const pets = 2_000;
const perWrite = 25;
const singles = 50;

/** Hears every event from now on, with the moment of its arrival. */
const listen = async (url: string) => {
  const arrivals = new Map<string, number>();
  const response = await fetch(`${url}/local/events`);
  const read = async () => {
    let rest = '';
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop()!;
      for (const line of lines) arrivals.set((JSON.parse(line) as CloudEvent).id, performance.now());
    }
  };
  read().catch(() => undefined);
  return arrivals;
};

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise(resolve => setTimeout(resolve, 2));
};

/** Items in the table, past the API, which would be slower than the publisher. */
const write = async ({ endpoint, tableName }: Bench) => {
  const client = connect(endpoint);
  for (let start = 1; start <= pets; start += perWrite) {
    const requests = Array.from({ length: perWrite }, (_, index) => {
      const item = newPetItem(start + index, { name: 'Guppy', categoryId: 1, status: 'available' });
      return { PutRequest: { Item: marshall({ ...storedPet(item), writeCount: 1 }) } };
    });
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
  }
  client.destroy();
};

/** The lines of the publisher since a mark. */
const batchesSince = (tellingLog: readonly string[], mark: number) =>
  tellingLog
    .slice(mark)
    .join('')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line).message as { records: number; published: number; durationMs: number });

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/**
 * How many events a second the publisher tells when more is written than it can, and how long after its answer a single
 * change is on the bus. The reading of the stream waits 250 ms when there is nothing, as Lambda's does.
 */
export const benchEvents = async (bench: Bench) => {
  const { url, staff, tellingLog } = bench;
  const arrivals = await listen(url);
  await staff('POST', '/pets/categories', { name: 'Warm' });
  await until(() => arrivals.size === 1);

  const mark = tellingLog.length;
  const startedAt = performance.now();
  await write(bench);
  const written = performance.now() - startedAt;
  await until(() => arrivals.size === 1 + 2 * pets);
  const elapsed = performance.now() - startedAt;
  const batches = batchesSince(tellingLog, mark);
  const inFunction = sum(batches.map(({ durationMs }) => durationMs));

  const lags: number[] = [];
  for (let count = 0; count < singles; count++) {
    const { size } = arrivals;
    await staff('POST', '/pets/categories', { name: 'Fish' });
    const answered = performance.now();
    await until(() => arrivals.size > size);
    lags.push([...arrivals.values()].at(-1)! - answered);
    await new Promise(resolve => setTimeout(resolve, 300 * Math.random()));
  }

  console.log(
    `\n${pets} pets written in ${(written / 1000).toFixed(1)} s, two events each, batches of at most 100; everything on ${cpus().length} cores, load average ${loadavg()[0]!.toFixed(1)}\n`,
  );
  const row = (name: string, milliseconds: number) => [
    ...[name, Math.round(pets / (milliseconds / 1000)), Math.round((2 * pets) / (milliseconds / 1000))],
  ];
  console.log(
    table(
      ['per second', 'records', 'events'],
      [row('from the first write to the last event', elapsed), row('within the function', inFunction)],
    ),
  );
  console.log(
    `\nFrom the answer to the event on the bus, ${singles} single changes: median ${median(lags).toFixed(0)} ms, at most ${Math.max(...lags).toFixed(0)} ms, of which the reading waits up to 250.`,
  );
};
