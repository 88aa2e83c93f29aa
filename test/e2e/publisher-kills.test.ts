import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { json } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { engineKinds } from '../../cdk/local/engine/engine-kinds.ts';
import { createEventBus } from '../../cdk/local/events/event-bus.ts';
import { readEventResources } from '../../cdk/local/events/event-resources.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import {
  allPublished,
  begin,
  type Callers,
  expectComplete,
  expectSameEachTime,
  perform,
  retry,
} from '../events/actions.ts';
import { anyCommand, type Command, remember } from '../reference/commands.ts';
import { type Client, clientOf } from '../support/petstore.ts';
import { newFolder, type Run, ready, run, tokenOf } from '../support/processes.ts';

/** A bus outside the server. It can kill the server at a call: before it accepts the events, or before its response. */
const startBus = async () => {
  const { putEvents, listeners } = createEventBus(readEventResources(inject('template'))!.bus);
  const bus = {
    events: [] as CloudEvent[],
    calls: 0,
    killAt: undefined as 'before' | 'after' | undefined,
    kill: () => undefined as unknown,
  };
  listeners.add(({ detail }) => void bus.events.push(detail));
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as object;
    const { killAt } = bus;
    bus.killAt = undefined;
    if (killAt === 'before') return bus.kill();
    const result = putEvents(body);
    if (killAt === 'after') return bus.kill();
    return response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(result));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(bus, {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  });
};

let bus: Awaited<ReturnType<typeof startBus>>;
beforeEach(async () => {
  bus = await startBus();
});
afterEach(() => bus.stop());

/** A server with a data folder. After each kill it is restarted at another address. */
const startRestartingServer = async () => {
  const folder = await newFolder();
  const assembly = join(folder, 'assembly.json');
  await writeFile(assembly, JSON.stringify({ template: inject('template'), assets: inject('assets') }));
  const EVENT_SERVER = JSON.stringify({ assembly, folder, bus: bus.url });
  let starts = 0;
  let server: Run;
  let url: Promise<string>;
  const start = () => {
    starts += 1;
    server = run('test/events/event-server.ts', [], { env: { EVENT_SERVER } });
    url = ready(server);
  };
  start();
  const tokens = new Map<string, string>();
  for (const name of ['staff', 'shop', 'rival']) tokens.set(name, await tokenOf(await url!, name));
  const clientNamed =
    (name: string): Client =>
    async (...request) =>
      clientOf(await url, tokens.get(name))(...request);
  const kill = async () => {
    server.child.kill('SIGKILL');
    await server.exit;
    start();
  };
  const callers: Callers = { staff: clientNamed('staff'), shop: clientNamed('shop'), rival: clientNamed('rival') };
  return { folder, callers, kill, starts: () => starts };
};

const streamRecordsIn = (folder: string): number => {
  const database = new DatabaseSync(join(folder, engineKinds.dynoxide.database), { timeout: 5_000 });
  const { records } = database.prepare('SELECT COUNT(*) AS records FROM _stream_records').get()!;
  database.close();
  return Number(records);
};

describe('a killed server', () => {
  it.each(['before', 'after'] as const)(
    'publishes every change after a restart when it was killed %s the bus accepts events',
    async moment => {
      const { folder, callers, kill, starts } = await startRestartingServer();
      bus.kill = kill;
      const ids = await begin(callers);
      const kills = [8, 24];
      for (const [number, sampled] of fc.sample(anyCommand, 40).entries()) {
        // Sixteen random commands may change nothing, and then nothing is published.
        const command: Command = kills.includes(number) ? { do: 'createCategory', name: 'Cats' } : sampled;
        if (kills.includes(number)) {
          // The first kill happens before the second one is armed.
          await expect.poll(() => bus.killAt).toBeUndefined();
          bus.killAt = moment;
        }
        const headers = { 'Idempotency-Key': `${moment}-${number}` };
        remember(command, ids, await retry(() => perform(command, ids, callers, headers)));
      }
      await allPublished(callers.staff, { events: bus.events, stop: () => undefined });
      // The last kill may come with the last event.
      await expect.poll(starts).toBe(3);
      await expectComplete(bus.events, callers.staff);
      expectSameEachTime(bus.events);
      if (inject('engine') === 'Dynoxide')
        expect(streamRecordsIn(folder), 'published records are removed').toBeLessThan(bus.events.length / 2);
    },
    120_000,
  );

  it('continues at its checkpoint: it skips nothing, and publishes only the unfinished batch again', async () => {
    const { callers, kill } = await startRestartingServer();
    await begin(callers);
    const listener = { events: bus.events, stop: () => undefined };
    await allPublished(callers.staff, listener);
    // A later batch: when its event arrives, the checkpoint of the earlier batches has been saved.
    const { length } = await allPublished(callers.staff, listener);
    const unfinished = bus.events.at(-1)!.id;
    await kill();
    await allPublished(callers.staff, listener);
    const publishedAfter = bus.events.slice(length).filter(({ id }) => id !== unfinished);
    expect(publishedAfter.map(({ type }) => type)).toEqual(['petstore.category.created']);
    await expectComplete(bus.events, callers.staff);
  }, 120_000);
});
