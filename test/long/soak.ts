import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { startEngine } from '../../cdk/dev/engine.ts';
import { localTableName } from '../../cdk/dev/server.ts';
import { anyCommand, type Command, Ids, remember, requestOf } from '../reference/commands.ts';
import { type Contents, contentsOf, expectInvariants } from '../reference/invariants.ts';
import type { Actor } from '../reference/reference-store.ts';
import type { Fault } from '../support/dynamodb-proxy.ts';
import { type Answer, clientOf, usePetstore } from '../support/petstore.ts';

const operations = Number(process.env.SOAK_OPERATIONS ?? 12_000);
const parallel = 12;
const units = 1_000_000;

type Send = (command: Command, ids: Ids, headers: Record<string, string>) => Promise<Answer>;

interface Figures {
  done: number;
  repeated: number;
  readonly statuses: Map<number, number>;
}

/** Performs commands from many callers at once, each insisting until its answer is definite, and notes every order placed. */
const work = async (commands: readonly Command[], send: Send, label: string) => {
  const ids = new Ids();
  const figures: Figures = { done: 0, repeated: 0, statuses: new Map() };
  const placed = new Map<string, number>();

  const insist = async (command: Command, key: string): Promise<Answer> => {
    for (;;) {
      try {
        const answer = await send(command, ids, { 'Idempotency-Key': key });
        if (answer.status < 500) return answer;
      } catch {
        // The connection broke: the same request again, as any careful client would.
      }
      figures.repeated += 1;
      await new Promise(resolve => setTimeout(resolve, 50 * Math.random()));
    }
  };

  let next = 0;
  const worker = async () => {
    while (next < commands.length) {
      const index = next++;
      const command = commands[index]!;
      const key = `${label}-${index}`;
      const answer = await insist(command, key);
      remember(command, ids, answer);
      if (command.do === 'placeOrder' && answer.status === 201) placed.set(key, answer.body.id);
      figures.statuses.set(answer.status, (figures.statuses.get(answer.status) ?? 0) + 1);
      figures.done += 1;
      if (figures.done % 1_000 === 0)
        console.log(`${label}: ${figures.done} of ${commands.length} operations, ${figures.repeated} repeated`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return { ids, figures, placed };
};

const beginning: Command[] = [
  { do: 'createCategory', name: 'Cats' },
  ...Array.from({ length: 6 }, () => ({ do: 'createPet', category: 0 }) as const),
  ...Array.from({ length: 6 }, (_, pet) => ({ do: 'setInventory', pet, quantity: units }) as const),
];

const sample = (count: number) => [...beginning, ...fc.sample(anyCommand, count)];

const report = (label: string, { done, repeated, statuses }: Figures, contents: Contents) =>
  console.log(
    `${label}: ${done} operations, ${repeated} repeated after 503 or a broken connection; by status ${JSON.stringify(Object.fromEntries([...statuses].sort()))}; ` +
      `at the end ${contents.pets.length} pets, ${contents.categories.length} categories, ${contents.orders.length} orders`,
  );

/** One order per key: no two keys share one, and none exists that nobody was told of. */
const expectOneOrderPerKey = ({ orders }: Contents, placed: ReadonlyMap<string, number>) => {
  expect(new Set(placed.values()).size).toBe(placed.size);
  const told = new Set(placed.values());
  expect(orders.filter(({ id }) => !told.has(id))).toEqual([]);
};

const petstore = usePetstore();

it('holds its invariants while conflicts, throttling, errors, delays and cut connections strike', async () => {
  const faults: Fault[] = ['conflict', 'throttle', 'error', 'cutBefore', 'cutAfter', { delay: 30 }];
  const send: Send = (command, ids, headers) => {
    const { actor, method, path, body } = requestOf(command, ids);
    return petstore[actor](method, path, { headers, ...(body && { body }) });
  };
  petstore.proxy.faultFor = () => (Math.random() < 0.3 ? faults[Math.floor(Math.random() * faults.length)] : undefined);
  const { figures, placed } = await work(sample(Math.ceil(operations * 0.75)), send, 'faults');
  petstore.proxy.faultFor = () => undefined;
  const contents = await contentsOf(inject('endpoint'), petstore.tableName);
  report('faults', figures, contents);
  expectInvariants(contents);
  expectOneOrderPerKey(contents, placed);
});

it('holds its invariants while the process is killed and started again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-soak-'));
  let url = '';
  let kills = 0;
  let child: ChildProcess | undefined;
  const tokens = new Map<Actor, string>();

  const start = async () => {
    const script = join(import.meta.dirname, '../../cdk/dev/start.ts');
    child = spawn(process.execPath, [script, '--port', '0', '--data', folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    await new Promise<void>((resolve, reject) => {
      child!.stdout!.on('data', chunk => {
        text = url && text.length > 10_000 ? '' : text + chunk;
        const found = /ready at (\S+)/.exec(text)?.[1];
        if (found && found !== url) {
          url = found;
          resolve();
        }
      });
      child!.once('exit', () => reject(new Error(`the server ended: ${text}`)));
    });
    child!.removeAllListeners('exit');
  };
  const tokenFor = async (actor: Actor) => {
    const known = tokens.get(actor);
    if (known) return known;
    const headers = { Authorization: `Basic ${btoa(`${actor}:local`)}` };
    const response = await fetch(`${url}/oauth2/token`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    tokens.set(actor, token);
    return token;
  };

  await start();
  let over = false;
  const killer = (async () => {
    while (!over) {
      await new Promise(resolve => setTimeout(resolve, 1_500 + 1_500 * Math.random()));
      if (over) break;
      child!.kill('SIGKILL');
      kills += 1;
      await start();
    }
  })();
  const send: Send = async (command, ids, headers) => {
    const { actor, method, path, body } = requestOf(command, ids);
    return clientOf(url, await tokenFor(actor))(method, path, { headers, ...(body && { body }) });
  };
  const { figures, placed } = await work(sample(Math.ceil(operations * 0.25)), send, 'kills');
  over = true;
  await killer;
  child!.kill('SIGKILL');
  await new Promise(resolve => setTimeout(resolve, 500));

  const engine = await startEngine({ folder });
  const contents = await contentsOf(engine.endpoint, localTableName);
  await engine.stop();
  await rm(folder, { recursive: true, force: true });
  console.log(`kills: ${kills} times SIGKILL`);
  report('kills', figures, contents);
  expectInvariants(contents);
  expectOneOrderPerKey(contents, placed);
});
