import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { audit } from '../../cdk/commands/audit/audit.ts';
import { tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { startEngine } from '../../cdk/local/engine/start-engine.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { localTableName } from '../../cdk/local/server.ts';
import type { Stored } from '../../lib/model/violation.ts';
import { apiState, busFaults, type Callers, sendAs, tableFaults } from '../events/actions.ts';
import { createConsumer, listenTo } from '../events/listener.ts';
import { anyCommand, type Call, Ids, remember, requestOf } from '../reference/commands.ts';
import { createCategory, stockedPet } from '../support/fixtures.ts';
import { startKillable } from '../support/killable-server.ts';
import { type ApiResponse, startPetstore } from '../support/petstore.ts';
import { watchThreads } from '../support/threads.ts';

const allOperations = Number(process.env.SOAK_OPERATIONS ?? 12_000);
const minutes = Number(process.env.SOAK_MINUTES ?? 600);
const units = 1_000_000;

type Send = (call: Call, headers: Record<string, string>) => Promise<ApiResponse>;

/** What the virtual users know from responses. */
class Known extends Ids {
  /** Pets whose stock is set only once: at the end, stock and ordered quantities must add up to it. */
  readonly counted: number[] = [];
}

const createFixtures = async ({ staff }: Callers): Promise<Known> => {
  const known = new Known();
  const { id } = await createCategory(staff);
  known.of.category.push(id);
  for (let index = 0; index < 9; index++) {
    const pet = await stockedPet(staff, units, id);
    (index < 3 ? known.counted : known.of.pet).push(pet.id);
  }
  return known;
};

/** An infinite list of commands. Nine of ten that only staff may perform get the actor `staff`. */
const commands = function* () {
  for (;;)
    for (const command of fc.sample(anyCommand, 1_000)) {
      const isForStaff =
        command.do === 'updateOrder' || (command.do === 'placeOrder' && command.complete);
      yield isForStaff && Math.random() < 0.9 ? { ...command, actor: 'staff' as const } : command;
    }
};

const parallel = 24;
/** In milliseconds. No injected fault lasts as long. */
const retryTimeout = 600_000;

/** The commands of many concurrent virtual users, who retry until the response is below 500. */
const runWorkload = async (label: string, known: Known, send: Send, share: number) => {
  const operations = Math.ceil(allOperations * share);
  const until = Date.now() + minutes * 60_000 * share;
  const done = {
    count: 0,
    retries: 0,
    statuses: {} as Record<number, number>,
    /** Idempotency key → the id of its order. */
    placed: new Map<string, number>(),
    /** The orders for which a cancellation was sent. */
    canceled: new Set<number>(),
  };
  const startedAt = Date.now();
  const sendWithRetries = async (call: Call, key: string): Promise<ApiResponse> => {
    const deadline = Date.now() + retryTimeout;
    for (let wait = 25; ; wait = Math.min(2 * wait, 1_000)) {
      // After a broken connection, too, the loop retries with the same idempotency key.
      const response = await send(call, { 'Idempotency-Key': key }).catch(() => undefined);
      if (response && response.status < 500) return response;
      if (Date.now() > deadline)
        throw new Error(`No response below 500 in time: ${call.method} ${call.path}`);
      done.retries += 1;
      await sleep(wait * Math.random());
    }
  };
  const source = commands();
  let next = 0;
  const worker = async () => {
    while (next < operations && Date.now() < until) {
      const key = `${label}-${next++}`;
      const command = source.next().value!;
      const isForCounted = command.do === 'placeOrder' && Math.random() < 0.3;
      const call = requestOf(
        command,
        isForCounted ? { of: { ...known.of, pet: known.counted } } : known,
      );
      if (command.do === 'cancelOrder') done.canceled.add(call.ids.orderId);
      const response = await sendWithRetries(call, key);
      remember(command, known, response);
      if (command.do === 'placeOrder' && response.status === 201)
        done.placed.set(key, response.body.id);
      done.statuses[response.status] = (done.statuses[response.status] ?? 0) + 1;
      done.count += 1;
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      if (done.count % 5_000 === 0)
        console.log(
          `${label}: ${done.count} of ${operations} operations, ${done.retries} retries, ${seconds} s`,
        );
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return done;
};

/** No order was lost, duplicated or oversold. @returns the results as a text */
const checkFinalState = async (
  endpoint: string,
  tableName: string,
  { counted }: Known,
  { placed, canceled, count, retries, statuses }: Awaited<ReturnType<typeof runWorkload>>,
) => {
  const client = connect(endpoint);
  const reader = tableReader(client, tableName, Number.POSITIVE_INFINITY);
  const orders = new Map<number, Stored>();
  const remaining = new Map<number, number>();
  await reader.eachItem(item => {
    if (item.sk === 'ORDER') orders.set(item.id, item);
    if (item.sk === 'PET') remaining.set(item.id, item.availableQuantity);
  });
  const { items, mismatches, uncertain } = await audit(reader, 1);
  client.destroy();
  expect([mismatches, uncertain]).toEqual([[], []]);
  const ids = new Set(placed.values());
  expect(ids.size, 'each idempotency key has its own order').toBe(placed.size);
  const unreported = [...orders.keys()].filter(id => !ids.has(id));
  const lost = [...ids].filter(id => !orders.has(id) && !canceled.has(id));
  expect({ unreported, lost }).toEqual({ unreported: [], lost: [] });
  for (const pet of counted) {
    const ofPet = [...orders.values()].filter(({ petId }) => petId === pet);
    const ordered = ofPet.reduce((sum, { quantity }) => sum + quantity, 0);
    expect(remaining.get(pet)! + ordered, `the units of pet ${pet}`).toBe(units);
  }
  return `${count} operations, ${retries} retries, statuses ${JSON.stringify(statuses)}, ${items} items, ${orders.size} orders`;
};

/** Repeats an action until `stop` is called, at random intervals of 0.5 to 1.5 times `milliseconds`. */
const repeatEvery = (milliseconds: number, action: () => unknown) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let count = 0;
  const repeat = async () => {
    for (;;) {
      await sleep(milliseconds * (0.5 + Math.random()), undefined, { signal }).catch(
        () => undefined,
      );
      if (signal.aborted) return;
      await action();
      count += 1;
    }
  };
  const running = repeat();
  // `stop` throws the error of an action. Node would report an unhandled rejection before that.
  running.catch(() => undefined);
  const stop = () => {
    stopping.abort();
    return running;
  };
  return { count: () => count, stop };
};

/**
 * Runs a share of the operations, while each killer kills again and again.
 * @returns a check of the final state
 */
const soak = async (
  label: string,
  share: number,
  callers: Callers,
  known: Known,
  killers: Readonly<Record<string, readonly [milliseconds: number, kill: () => unknown]>>,
) => {
  const killing = Object.entries(killers).map(
    ([what, how]) => [what, repeatEvery(...how)] as const,
  );
  const done = await runWorkload(label, known, sendAs(callers), share);
  for (const [, { stop }] of killing) await stop();
  const kills = killing.map(([what, { count }]) => `${count()} ${what}`);
  return async (endpoint: string, tableName: string) => {
    const results = await checkFinalState(endpoint, tableName, known, done);
    console.log(`${label}: ${[results, ...kills].join(', ')}`);
  };
};

const oneOf = <T>(things: readonly T[]): T => things[Math.floor(Math.random() * things.length)]!;

it('loses, duplicates and oversells no order and loses no event under injected faults, while the engine and functions are killed', async () => {
  const folder = tempFolder('data');
  const threads = watchThreads();
  let engine = await startEngine({ folder });
  // As in production. Other tests have longer ones.
  const petstore = await startPetstore({
    endpoint: engine.endpoint,
    publishesEvents: true,
    timeouts: { function: 5, gateway: 10 },
    environment: { ATTEMPT_TIMEOUT_MS: '', RETRY_BUDGET_MS: '' },
    // If this removed a record before its events are published, the final comparison would fail.
    trimStream: (...published) => engine.trimStream(...published),
  });
  const { proxy, aws } = petstore;
  const consumer = createConsumer();
  let received = 0;
  const listener = await listenTo(petstore.url, event => {
    received += 1;
    consumer.receive(event);
  });
  const known = await createFixtures(petstore);
  proxy.faultFor = () => (Math.random() < 0.3 ? oneOf(tableFaults) : undefined);
  aws.faultFor = () => (Math.random() < 0.1 ? oneOf(busFaults) : undefined);
  const killEngine = async () => {
    process.kill(engine.pid!, 'SIGKILL');
    await engine.stop();
    // Under load, the start of an engine can exceed its timeout, so it is tried again.
    for (let attempt = 1, isStarted = false; !isStarted; attempt++)
      try {
        engine = await startEngine({ folder });
        isStarted = true;
      } catch (error) {
        if (attempt === 30) throw error;
      }
    proxy.target = engine.endpoint;
  };
  let violations = 0;
  const countViolations = () => {
    violations += petstore.publisherLogs.join('').match(/"violations":/g)?.length ?? 0;
  };
  const trimming = repeatEvery(1_000, () => {
    countViolations();
    for (const list of [proxy.responses, petstore.logs, petstore.publisherLogs, aws.responses])
      list.length = 0;
  });

  const checkFinally = await soak('faults', 0.95, petstore, known, {
    'SIGKILLs of the engine': [15_000, killEngine],
    'functions killed': [1_500, threads.killOne],
  });
  threads.stop();
  proxy.faultFor = () => undefined;
  aws.faultFor = () => undefined;

  const current = await apiState(petstore.staff);
  for (let waits = 0; !isDeepStrictEqual(consumer.state(), current) && waits < 600; waits++)
    await sleep(500);
  expect(consumer.state(), 'the applied events differ from what the API returns').toEqual(current);
  await checkFinally(engine.endpoint, petstore.tableName);
  await trimming.stop();
  countViolations();
  expect(violations, 'batches with violated invariants').toBe(0);
  listener.stop();
  await petstore.stop();
  await engine.stop();
  expect(proxy.denials).toEqual([]);
  console.log(`${received} events applied`);
});

it('loses, duplicates and oversells no order while the whole server is killed and restarted', async () => {
  const server = await startKillable();
  const checkFinally = await soak('kills', 0.05, server, await createFixtures(server), {
    'SIGKILLs of the server': [8_000, server.killAndStart],
  });
  await server.kill();
  const engine = await startEngine({ folder: server.folder });
  await checkFinally(engine.endpoint, localTableName);
  await engine.stop();
});
