import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, inject, it, onTestFinished } from 'vitest';
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
import { serve, tokenOf } from '../support/http.ts';
import { type Client, clientOf } from '../support/petstore.ts';
import { newFolder, type Run, ready, run } from '../support/processes.ts';

/** Starts a server with a data folder. Its event bus runs in the process of the test. A restarted server has another URL. */
const startServerAndBus = async () => {
  const folder = await newFolder();
  const assembly = join(folder, 'assembly.json');
  await writeFile(assembly, JSON.stringify({ template: inject('template'), assets: inject('assets') }));
  const { putEvents, listeners } = createEventBus(readEventResources(inject('template'))!.bus);
  const events: CloudEvent[] = [];
  listeners.add(({ detail }) => void events.push(detail));
  const armed = { kill: false };
  const bus = await serve(async (_, body, response) => {
    const result = putEvents(JSON.parse(body.toString()));
    if (armed.kill) return kill();
    response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(result));
  });
  onTestFinished(bus.stop);

  let starts = 0;
  let server: Run;
  let url: Promise<string>;
  const restart = () => {
    starts += 1;
    server = run('test/events/event-server.ts', [], {
      env: { EVENT_SERVER: JSON.stringify({ assembly, folder, bus: bus.url }) },
    });
    url = ready(server);
  };
  /** Kills the server after the bus has accepted events, but before the server receives the response of the bus. */
  const kill = async () => {
    armed.kill = false;
    server.child.kill('SIGKILL');
    await server.exit;
    restart();
  };
  restart();
  const clientNamed = async (name: string): Promise<Client> => {
    const token = await tokenOf(await url, name);
    return async (...request) => clientOf(await url, token)(...request);
  };
  const [staff, shop] = [await clientNamed('staff'), await clientNamed('shop')];
  const callers: Callers = { staff, shop, rival: await clientNamed('rival') };
  return { folder, events, callers, armed, kill, starts: () => starts };
};

const streamRecordsIn = (folder: string): number => {
  const database = new DatabaseSync(join(folder, engineKinds.dynoxide.database), { timeout: 5_000 });
  const { records } = database.prepare('SELECT COUNT(*) AS records FROM _stream_records').get()!;
  database.close();
  return Number(records);
};

it('a killed server publishes every change after its restart, and continues at its checkpoint', async () => {
  const { folder, events, callers, armed, kill, starts } = await startServerAndBus();
  const listener = { events, stop: () => undefined };
  const ids = await begin(callers);
  const kills = [8, 24];
  for (const [number, sampled] of fc.sample(anyCommand, 40).entries()) {
    // A series of random commands may change nothing and publish nothing. This command always publishes an event.
    const command: Command = kills.includes(number) ? { do: 'createCategory', name: 'Cats' } : sampled;
    if (kills.includes(number)) {
      // The second kill is armed only after the first kill has happened.
      await expect.poll(() => armed.kill).toBe(false);
      armed.kill = true;
    }
    const headers = { 'Idempotency-Key': `kill-${number}` };
    remember(command, ids, await retry(() => perform(command, ids, callers, headers)));
  }
  await allPublished(callers.staff, listener);
  // The last kill may happen only when the last event is published.
  await expect.poll(starts).toBe(3);
  await expectComplete(events, callers.staff);
  expectSameEachTime(events);
  if (inject('engine') === 'Dynoxide')
    expect(streamRecordsIn(folder), 'published records are removed').toBeLessThan(events.length / 2);

  // Once an event of a later batch is published, all earlier batches are saved. So a restart can republish only this event.
  const { length } = await allPublished(callers.staff, listener);
  const unfinished = events.at(-1)!.id;
  await kill();
  await allPublished(callers.staff, listener);
  const publishedAfter = events.slice(length).filter(({ id }) => id !== unfinished);
  expect(publishedAfter.map(({ type }) => type)).toEqual(['petstore.category.created']);
  await expectComplete(events, callers.staff);
}, 180_000);
