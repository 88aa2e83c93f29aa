import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tempFolder } from '../../cdk/build/temp-folder.ts';
import { outputsPath } from '../../cdk/local/outputs.ts';
import type { Bench, BenchOptions } from './bench.ts';
import { createStock } from './order-rate.ts';
import { median, table } from './statistics.ts';
import { writePets } from './write-pets.ts';

const calls = 1_000;
/** Orders are placed in chunks, each on this server and then without stream, log and persistence. */
const chunks = 10;
const reads = 200;
const parallel = 16;
const header = ['items', 'creations/s', 'ms', 'orders/s', 'ms', 'of order-rate', 'page ms', 'pet ms'];

/** `npm start`, with its request log in a file. */
const start = async (folder: string) => {
  const log = join(folder, 'log');
  const output = openSync(log, 'w');
  const script = join(import.meta.dirname, '../../cdk/commands/start.ts');
  const child = spawn(process.execPath, [script, '--port', '0', '--data', join(folder, 'data')], {
    stdio: ['ignore', output, output],
  });
  const exited = once(child, 'exit');
  for (;;) {
    const url = /ready at (\S+)/.exec(readFileSync(log, 'utf8'))?.[1];
    if (url) return { url, stop: () => child.kill() && exited };
    if (child.exitCode !== null) throw new Error(`The server did not start: ${readFileSync(log, 'utf8')}`);
    await sleep(50);
  }
};

const connectTo = async (url: string) => {
  const credentials = { Authorization: `Basic ${btoa('staff:local')}` };
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  const tokenResponse = await fetch(`${url}/oauth2/token`, { method: 'POST', headers: credentials, body: form });
  const { access_token: token } = (await tokenResponse.json()) as { access_token: string };
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: number };
  };
};

/** Waits until every earlier change is published: the events of a shard come in order. */
const published = async (url: string, createCategory: () => Promise<{ id: number }>) => {
  const feed = await fetch(`${url}/local/events`);
  const { id } = await createCategory();
  let rest = '';
  for await (const piece of feed.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    if (lines.some(line => JSON.parse(line).data.id === id)) return;
  }
};

type Job = (index: number) => Promise<unknown>;

const run = async (count: number, job: Job, concurrency = parallel) => {
  const times: number[] = [];
  let next = 0;
  const startedAt = performance.now();
  const worker = async () => {
    while (next < count) {
      const before = performance.now();
      await job(next++);
      times.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { perSecond: Math.round(count / ((performance.now() - startedAt) / 1000)), milliseconds: median(times) };
};

/** Places orders on two servers in turn, so that other load on the machine affects both. */
const compare = async (place: Job, placeOnBench: Job) => {
  const pairs: { rate: number; share: number; milliseconds: number }[] = [];
  for (let chunk = 0; chunk < chunks; chunk++) {
    const { perSecond: rate, milliseconds } = await run(calls / chunks, place);
    const { perSecond } = await run(calls / chunks, placeOnBench);
    pairs.push({ rate, milliseconds, share: rate / perSecond });
  }
  const medianOf = (key: keyof (typeof pairs)[number]) => median(pairs.map(pair => pair[key]));
  return { perSecond: Math.round(medianOf('rate')), milliseconds: medianOf('milliseconds'), share: medianOf('share') };
};

/**
 * Measures `npm start` as it is: persistent data, events, request log. Every item is in the stream, and published before the
 * next measurement, so the figures show what a store costs that has grown.
 */
export const benchLocalServer = async (bench: Bench, { sizes }: BenchOptions) => {
  const folder = tempFolder('bench');
  const { url, stop } = await start(folder);
  const send = await connectTo(url);
  const outputs = (await (await fetch(url + outputsPath)).json()) as { DynamoDbEndpoint: string; TableName: string };
  const target = { endpoint: outputs.DynamoDbEndpoint, tableName: outputs.TableName };
  const createCategory = () => send('POST', '/pets/categories', { name: 'Fish' });
  const createPet = async (categoryId: number) => (await send('POST', '/pets', { name: 'Guppy', categoryId })).id;

  const { id: categoryId } = await createCategory();
  const pets = await Promise.all(Array.from({ length: 100 }, () => createPet(categoryId)));
  for (const id of pets) await send('PUT', `/store/inventory/${id}`, { quantity: 1_000_000 });
  const place = (index: number) => send('POST', '/store/orders', { petId: pets[index % pets.length]! });
  const benchPets = await createStock(bench);
  const placeOnBench = (index: number) =>
    bench.staff('POST', '/store/orders', { petId: benchPets[index % benchPets.length]! });
  // Warm-up: the first thousand requests of a new process take longer.
  for (const job of [() => createPet(categoryId), place, placeOnBench]) await run(calls, job);

  const rows: (string | number)[][] = [];
  let written = 0;
  for (const size of sizes) {
    await writePets(target, written, size);
    written = Math.max(written, size);
    await published(url, createCategory);
    const creations = await run(calls, () => createPet(categoryId));
    const orders = await compare(place, placeOnBench);
    await published(url, createCategory);
    const page = await run(reads, () => send('GET', '/pets?limit=20'), 1);
    const pet = await run(reads, () => send('GET', `/pets/${pets[0]}`), 1);
    rows.push([
      ...[size, creations.perSecond, creations.milliseconds, orders.perSecond, orders.milliseconds],
      ...[`${Math.round(orders.share * 100)} %`, page.milliseconds, pet.milliseconds],
    ]);
    // A larger store takes minutes: what is measured is not lost if it is stopped.
    console.error(table(header, rows.slice(-1)));
  }
  await stop();
  rmSync(folder, { recursive: true, force: true });

  console.log(
    `\nnpm start with persistent data, events and request log; ${calls} creations and ${calls} orders for 100 pets, ${parallel} at a time; a page of 20 and a pet, one at a time; on ${cpus().length} cores, load average ${loadavg()[0]!.toFixed(1)}\n`,
  );
  console.log(table(header, rows));
};
