import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { startEngine } from '../../cdk/local/engine/start-engine.ts';
import { localTableName } from '../../cdk/local/server.ts';
import { apiState, sendAs } from '../events/actions.ts';
import { createConsumer, listenTo } from '../events/listener.ts';
import type { AwsFault } from '../support/aws-proxy.ts';
import type { Fault } from '../support/dynamodb-proxy.ts';
import { startKillable } from '../support/killable-server.ts';
import { startPetstore } from '../support/petstore.ts';
import { newFolder } from '../support/processes.ts';
import { watchThreads } from '../support/threads.ts';
import { checkFinalState, report } from './soak/final-checks.ts';
import { KnownResources } from './soak/known-resources.ts';
import { repeatEvery } from './soak/repeat-every.ts';
import { runWorkload, type Send } from './soak/workload.ts';

const operations = Number(process.env.SOAK_OPERATIONS ?? 12_000);
const minutes = Number(process.env.SOAK_MINUTES ?? 600);
/** The share of operations for a server process that is killed again and again. */
const share = 0.05;
const units = 1_000_000;

const createFixtures = async (send: Send): Promise<KnownResources> => {
  const known = new KnownResources();
  const create = async (path: string, body: object, key: string) =>
    (await send({ actor: 'staff', method: 'POST', path, body }, { 'Idempotency-Key': key })).body.id as number;
  const category = await create('/pets/categories', { name: 'Cats' }, 'category');
  known.categories.push(category);
  for (let index = 0; index < 9; index++) {
    const pet = await create('/pets', { name: 'Tom', categoryId: category }, `pet ${index}`);
    (index < 3 ? known.counted : known.pets).push(pet);
    await send({ actor: 'staff', method: 'PUT', path: `/store/inventory/${pet}`, body: { quantity: units } }, {});
  }
  return known;
};

const oneOf = <T>(things: readonly T[]): T => things[Math.floor(Math.random() * things.length)]!;

it('loses, duplicates and oversells no order and loses no event under injected faults, while the engine and functions are killed', async () => {
  const folder = await newFolder();
  const until = Date.now() + minutes * 60_000 * (1 - share);
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
  const send = sendAs(petstore);
  const known = await createFixtures(send);

  const faults: Fault[] = ['conflict', 'throttle', 'error', 'cutBefore', 'cutAfter', { delay: 30 }];
  const busFaults: AwsFault[] = ['error', 'cutAfter', { failEntries: (_, index) => (index % 2 ? 'Busy' : undefined) }];
  proxy.faultFor = () => (Math.random() < 0.3 ? oneOf(faults) : undefined);
  aws.faultFor = () => (Math.random() < 0.1 ? oneOf(busFaults) : undefined);
  const killedEngines = repeatEvery(15_000, async () => {
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
  });
  const killedThreads = repeatEvery(1_500, threads.killOne);
  let violations = 0;
  const countViolations = () => {
    violations += petstore.publisherLogs.join('').match(/"violations":/g)?.length ?? 0;
  };
  const trimming = repeatEvery(1_000, () => {
    countViolations();
    for (const list of [proxy.responses, petstore.logs, petstore.publisherLogs, aws.calls]) list.length = 0;
  });

  const count = Math.ceil(operations * (1 - share));
  const done = await runWorkload({ label: 'faults', known, send, operations: count, until });
  for (const kills of [killedEngines, killedThreads]) await kills.stop();
  threads.stop();
  proxy.faultFor = () => undefined;
  aws.faultFor = () => undefined;

  const current = await apiState(petstore.staff);
  for (let waits = 0; !isDeepStrictEqual(consumer.state(), current) && waits < 600; waits++) await sleep(500);
  expect(consumer.state(), 'the applied events differ from what the API returns').toEqual(current);
  const finalState = await checkFinalState(engine.endpoint, petstore.tableName, known, units, done);
  await trimming.stop();
  countViolations();
  expect(violations, 'batches with violated invariants').toBe(0);
  listener.stop();
  await petstore.stop();
  await engine.stop();
  expect(proxy.denials).toEqual([]);
  const kills = `${killedEngines.count()} SIGKILLs of the engine, ${killedThreads.count()} functions killed`;
  report('faults', done, `${kills}, ${received} events applied, equal to what the API returns; ${finalState}`);
});

it('loses, duplicates and oversells no order while the whole server is killed and restarted', async () => {
  const until = Date.now() + minutes * 60_000 * share;
  const server = await startKillable();
  const send = sendAs(server);
  const known = await createFixtures(send);
  const kills = repeatEvery(8_000, server.killAndStart);
  const count = Math.ceil(operations * share);
  const done = await runWorkload({ label: 'kills', known, send, operations: count, until });
  await kills.stop();
  await server.kill();
  const engine = await startEngine({ folder: server.folder });
  const finalState = await checkFinalState(engine.endpoint, localTableName, known, units, done);
  await engine.stop();
  report('kills', done, `${kills.count()} SIGKILLs of the server; ${finalState}`);
});
