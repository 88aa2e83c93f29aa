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
import { follow } from './explorer.ts';
import type { Faults } from './faults.ts';
import { walks } from './list-operations.ts';
import { type Operation, operations } from './operations.ts';
import { Run, type Store } from './run.ts';
import { makeStates, type State } from './states.ts';
import { Process } from './virtual.ts';

vi.mock('../../lib/model/table/client.ts', () => import('./seam.ts'));

const schedules = 120;
const faults: Faults = { kinds: ['conflict', 'throttle', 'cutBefore', 'cutAfter', 'late'], most: 2, lasting: [] };

const states = await makeStates();
const everything = [...operations, ...walks];
const client = connect(inject('endpoint'));
const engine = new EngineStore(client);
beforeAll(() => ensureTable(client, inject('template'), tableName));

/** The engine remembers the tokens of earlier runs, so each run has its own. Ids and luck are the same. */
let processesSoFar = randomBytes(3).readUIntBE(0, 3) * 0x100;

const begin = async (store: Store, state: State, pair: readonly Operation[]): Promise<Run> => {
  const processes = pair.map((_, luck) => new Process(++processesSoFar, { later: state.later, luck: luck + 1 }));
  const run = new Run(store, processes, faults);
  await run.start(pair.map(operation => () => operation.perform(state.names)));
  return run;
};

const outcomeOf = (run: Run, items: readonly Item[]) => ({
  answers: run.actors.map(({ answer }) => canonical(answer)),
  items: items.map(item => canonical(item)).sort(),
});

describe('the in-memory DynamoDB', () => {
  it(`answers and ends as the engine does, in ${schedules} schedules with faults`, async () => {
    const luck = new Process(2027);
    const below = (bound: number) => Math.floor(luck.random() * bound);
    const any = <T>(things: readonly T[]): T => things[below(things.length)]!;
    for (let number = 0; number < schedules; number++) {
      const state = any(states);
      const pair = [any(everything), any(everything)];
      const table = state.table.copy();
      const run = await begin(new InMemoryDynamoDb(table), state, pair);
      const choices: number[] = [];
      while (!run.over) {
        // Faults come after the call itself: mostly let it go.
        choices.push(below(3) === 0 ? below(run.steps().length) : 0);
        await run.take(run.steps()[choices.at(-1)!]!);
      }
      await engine.contain(state.table.items());
      const replayed = await follow(await begin(engine, state, pair), choices);
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

  /** Dynoxide lets these pass. */
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
  ])('refuses %s, as the engine does', async (what, writes) => {
    await engine.contain([]);
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
