import { cpus, loadavg } from 'node:os';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import type { Bench } from './bench.ts';
import { median, table } from './statistics.ts';
import { writePets } from './write-pets.ts';

const pets = 2_000;
const singles = 50;

/** Subscribes to all events. Returns their ids with the time of arrival. */
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

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 2));
};

/** The log lines of the publisher from a position on. */
const batchesSince = (publisherLog: readonly string[], mark: number) =>
  publisherLog
    .slice(mark)
    .join('')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line).message as { records: number; published: number; durationMs: number });

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/**
 * Measures how many events per second the publisher publishes under overload, and the time from the response of a single
 * change to its event on the bus. As in Lambda, the poller of an idle stream waits up to 250 ms.
 */
export const benchEvents = async (bench: Bench) => {
  const { url, staff, publisherLog } = bench;
  const arrivals = await listen(url);
  await staff('POST', '/pets/categories', { name: 'Warm' });
  await until(() => arrivals.size === 1);

  const mark = publisherLog.length;
  const startedAt = performance.now();
  await writePets(bench, 0, pets);
  const written = performance.now() - startedAt;
  await until(() => arrivals.size === 1 + 2 * pets);
  const elapsed = performance.now() - startedAt;
  const batches = batchesSince(publisherLog, mark);
  const inFunction = sum(batches.map(({ durationMs }) => durationMs));

  const lags: number[] = [];
  for (let count = 0; count < singles; count++) {
    const { size } = arrivals;
    await staff('POST', '/pets/categories', { name: 'Fish' });
    const respondedAt = performance.now();
    await until(() => arrivals.size > size);
    lags.push([...arrivals.values()].at(-1)! - respondedAt);
    await new Promise(resolve => setTimeout(resolve, 300 * Math.random()));
  }

  console.log(
    `\n${pets} pets written in ${(written / 1000).toFixed(1)} s, two events each, batches of up to 100, on ${cpus().length} cores, load average ${loadavg()[0]!.toFixed(1)}\n`,
  );
  const row = (name: string, milliseconds: number) => [
    ...[name, Math.round(pets / (milliseconds / 1000)), Math.round((2 * pets) / (milliseconds / 1000))],
  ];
  console.log(
    table(
      ['per second', 'records', 'events'],
      [row('from first write to last event', elapsed), row('in the function', inFunction)],
    ),
  );
  console.log(
    `\nFrom the response to the event on the bus, ${singles} single changes: median ${median(lags).toFixed(0)} ms, maximum ${Math.max(...lags).toFixed(0)} ms, of which the poller waits up to 250.`,
  );
};
