import './environment.ts';
import { randomBytes } from 'node:crypto';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { connect, ensureTable } from '../../cdk/local/engine/table.ts';
import { tableName, type Write } from '../../lib/model/table/calls.ts';
import { canonical } from './canonical.ts';
import type { Item } from './dynamodb/expression.ts';
import { InMemoryDynamoDb } from './dynamodb/in-memory.ts';
import { Table } from './dynamodb/table.ts';
import { EngineStore } from './engine-store.ts';
import { replay } from './explorer.ts';
import type { Faults } from './faults.ts';
import { listOperations } from './list-operations.ts';
import { keyedOperations, type Operation, operations } from './operations.ts';
import { Run, type Store } from './run.ts';
import { makeKeyedStates, makeStates, type State } from './states.ts';
import { Process } from './virtual.ts';

vi.mock('../../lib/model/table/client.ts', () => import('./seam.ts'));

const schedules = 120;
const faults: Faults = { kinds: ['conflict', 'throttle', 'cutBefore', 'cutAfter', 'late'], max: 2, permanent: [] };

const states = [...(await makeStates()), ...(await makeKeyedStates())];
const everything = [...operations, ...keyedOperations.flat(), ...listOperations];
const client = connect(inject('endpoint'));
const engine = new EngineStore(client);
beforeAll(() => ensureTable(client, inject('template'), tableName));

/** The engine remembers the ClientRequestTokens of earlier runs, so each run has new ones. Seeds and ids are the same. */
let processesSoFar = randomBytes(3).readUIntBE(0, 3) * 0x100;

const begin = async (store: Store, state: State, pair: readonly Operation[]): Promise<Run> => {
  const processes = pair.map((_, index) => new Process(++processesSoFar, { offset: state.offset, seed: index + 1 }));
  const run = new Run(store, processes, faults);
  await run.start(pair.map(operation => () => operation.perform(state.names)));
  return run;
};

const outcomeOf = (run: Run, items: readonly Item[]) => ({
  results: run.actors.map(({ result }) => canonical(result)),
  items: items.map(item => canonical(item)).sort(),
});

describe('the in-memory DynamoDB', () => {
  it(`returns and stores the same as the engine, in ${schedules} random schedules with injected faults`, async () => {
    const random = new Process(2027);
    const below = (bound: number) => Math.floor(random.random() * bound);
    const any = <T>(things: readonly T[]): T => things[below(things.length)]!;
    for (let number = 0; number < schedules; number++) {
      const state = any(states);
      const pair = [any(everything), any(everything)];
      const table = state.table.copy();
      const run = await begin(new InMemoryDynamoDb(table), state, pair);
      const choices: number[] = [];
      while (!run.isFinished) {
        // The first step executes a call; those that follow inject a fault. Mostly execute.
        choices.push(below(3) === 0 ? below(run.steps().length) : 0);
        await run.take(run.steps()[choices.at(-1)!]!);
      }
      await engine.replaceItems(state.table.items());
      const replayed = await replay(await begin(engine, state, pair), choices);
      const what = `${state.name}: ${pair.map(({ name }) => name)}\n${run.trace}`;
      expect(outcomeOf(replayed, await engine.items()), what).toEqual(outcomeOf(run, table.items()));
    }
  });

  const key = { pk: 'PET#1', sk: 'PET' };
  const update = (request: object): Write => ({
    Update: {
      TableName: tableName,
      Key: key,
      UpdateExpression: 'SET #name = :name',
      ExpressionAttributeNames: { '#name': 'name' },
      ExpressionAttributeValues: { ':name': 'Tom' },
      ...request,
    },
  });
  const put = (item: object): Write => ({
    Put: {
      TableName: tableName,
      Item: { ...key, ...item },
      ConditionExpression: 'attribute_not_exists(#pk)',
      ExpressionAttributeNames: { '#pk': 'pk' },
    },
  });
  const guarded = { ConditionExpression: '#name <> :name' };

  /** Dynoxide accepts these. */
  const onlyOnAws = ['a change of the key', 'two changes of one attribute', 'an index key of another type'];

  it.each<[string, Write[]]>([
    ['a name that is not used', [update({ ...guarded, ExpressionAttributeNames: { '#name': 'name', '#id': 'id' } })]],
    ['a value that is not used', [update({ ...guarded, ExpressionAttributeValues: { ':name': 'T', ':id': 1 } })]],
    ['a name that is not defined', [update({ ConditionExpression: '#id = :name' })]],
    ['a value that is not defined', [update({ ConditionExpression: '#name = :id' })]],
    ['one item twice', [put({}), update(guarded)]],
    ['a change of the key', [update({ ...guarded, ExpressionAttributeNames: { '#name': 'sk' } })]],
    ['two changes of one attribute', [update({ ...guarded, UpdateExpression: 'SET #name = :name REMOVE #name' })]],
    ['an index key of another type', [put({ id: 'one', all: 'PETS#0' })]],
    ['nothing at all', []],
  ])('rejects %s, as the engine does', async (what, writes) => {
    await engine.replaceItems([]);
    const send = async (store: Store) => {
      const ClientRequestToken = `${++processesSoFar}`;
      return store.send(new TransactWriteCommand({ TransactItems: writes, ClientRequestToken }));
    };
    await expect(send(new InMemoryDynamoDb(new Table()))).rejects.toThrow();
    if (inject('engine') === 'Dynoxide' && onlyOnAws.includes(what)) return;
    await expect(send(engine)).rejects.toThrow();
    expect(await engine.items()).toEqual([]);
  });
});
