import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startEngine } from '../../cdk/local/engine/start-engine.ts';
import { localTableName } from '../../cdk/local/server.ts';
import { listenTo } from '../events/listener.ts';
import type { AwsFault } from '../support/aws-proxy.ts';
import type { Fault } from '../support/dynamodb-proxy.ts';
import { startPetstore } from '../support/petstore.ts';
import { answered, differing, foldTold } from './soak/event-consumer.ts';
import { expectWhole, report } from './soak/final-checks.ts';
import { killableServer } from './soak/killable-server.ts';
import { Living } from './soak/known-resources.ts';
import { every } from './soak/repeat-every.ts';
import { trimStream } from './soak/trim-stream.ts';
import { type Send, work } from './soak/workload.ts';
import { watchThreads } from './threads.ts';

const operations = Number(process.env.SOAK_OPERATIONS ?? 12_000);
const minutes = Number(process.env.SOAK_MINUTES ?? 600);
/** Of all operations, those of which the whole server is killed. */
const share = 0.05;
const units = 1_000_000;

/** A category, and pets of which some are counted once and for all. */
const open = async (send: Send, living: Living) => {
  const create = async (path: string, body: object, key: string) =>
    (await send({ actor: 'staff', method: 'POST', path, body }, { 'Idempotency-Key': key })).body.id as number;
  const category = await create('/pets/categories', { name: 'Cats' }, 'category');
  living.categories.push(category);
  for (let index = 0; index < 9; index++) {
    const pet = await create('/pets', { name: 'Tom', categoryId: category }, `pet ${index}`);
    (index < 3 ? living.counted : living.pets).push(pet);
    await send({ actor: 'staff', method: 'PUT', path: `/store/inventory/${pet}`, body: { quantity: units } }, {});
  }
};

const withFolder = async (test: (folder: string) => Promise<void>) => {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-soak-'));
  await test(folder);
  await rm(folder, { recursive: true, force: true });
};

const oneOf = <T>(things: readonly T[]): T => things[Math.floor(Math.random() * things.length)]!;

it('loses, doubles, oversells and leaves untold nothing while calls are disturbed, and the engine and single functions are killed', () =>
  withFolder(async folder => {
    const until = Date.now() + minutes * 60_000 * (1 - share);
    const threads = watchThreads();
    let engine = await startEngine({ folder });
    // Budgets and time-outs as in production: what runs out of them is part of what is soaked.
    const petstore = await startPetstore({
      ...{ endpoint: engine.endpoint, tells: true, timeouts: { function: 5, gateway: 10 } },
      environment: { ATTEMPT_TIMEOUT_MS: '', RETRY_BUDGET_MS: '' },
    });
    const { proxy, aws } = petstore;
    const told = foldTold();
    const listener = await listenTo(petstore.url, told.hear);
    const living = new Living();
    const send: Send = ({ actor, method, path, body }, headers) =>
      petstore[actor](method, path, { headers, ...(body && { body }) });
    await open(send, living);

    const faults: Fault[] = ['conflict', 'throttle', 'error', 'cutBefore', 'cutAfter', { delay: 30 }];
    const busFaults: AwsFault[] = [
      'error',
      'cutAfter',
      { failEntries: (_, index) => (index % 2 ? 'Busy' : undefined) },
    ];
    proxy.faultFor = () => (Math.random() < 0.3 ? oneOf(faults) : undefined);
    aws.faultFor = () => (Math.random() < 0.1 ? oneOf(busFaults) : undefined);
    const killedEngines = every(15_000, async () => {
      process.kill(engine.pid!, 'SIGKILL');
      await engine.stop();
      // Had the last change of something not been told by then, the end would show it.
      trimStream(folder, 180);
      // On a machine that does other things an engine may take longer than it is given; nothing goes on without one.
      for (let tries = 1; ; tries++) {
        const started = await startEngine({ folder }).catch(error => {
          if (tries === 30) throw error;
        });
        if (!started) continue;
        engine = started;
        break;
      }
      proxy.target = engine.endpoint;
    });
    const killedThreads = every(1_500, threads.killOne);
    const swept = every(1_000, () => {
      for (const list of [proxy.answers, petstore.logs, petstore.tellingLogs, aws.calls]) list.length = 0;
    });

    const done = await work({ label: 'faults', living, send, operations: Math.ceil(operations * (1 - share)), until });
    for (const strikes of [killedEngines, killedThreads]) await strikes.stop();
    threads.stop();
    proxy.faultFor = () => undefined;
    aws.faultFor = () => undefined;

    const present = await answered(petstore.staff);
    for (let waits = 0; differing(told.present(), present).length > 0 && waits < 600; waits++) await sleep(500);
    expect(differing(told.present(), present), 'what was told is not what the API answers').toEqual([]);
    const whole = await expectWhole(engine.endpoint, petstore.tableName, living, units, done);
    await swept.stop();
    listener.stop();
    await petstore.stop();
    await engine.stop();
    expect(proxy.denials).toEqual([]);
    report(
      'faults',
      done,
      `${killedEngines.count()} times SIGKILL to the engine, ${killedThreads.count()} functions killed, ${told.count()} events told, which folded are what the API answers; ${whole}`,
    );
  }));

it('loses, doubles and oversells nothing while the whole server is killed and started again', () =>
  withFolder(async folder => {
    const until = Date.now() + minutes * 60_000 * share;
    const server = await killableServer(folder);
    const living = new Living();
    await open(server.send, living);
    const kills = every(8_000, server.killAndStart);
    const { send, reachable } = server;
    const done = await work({
      label: 'kills',
      living,
      send,
      reachable,
      operations: Math.ceil(operations * share),
      until,
    });
    await kills.stop();
    await server.kill();
    const engine = await startEngine({ folder });
    const whole = await expectWhole(engine.endpoint, localTableName, living, units, done);
    await engine.stop();
    report('kills', done, `${kills.count()} times SIGKILL to the server; ${whole}`);
  }));
