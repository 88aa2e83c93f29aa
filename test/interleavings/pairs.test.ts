import { describe, expect, it } from 'vitest';
import { operationIds, operations } from '../../lib/operations/index.ts';
import { explore, exploreAll, pairsOf, runAlone } from './explore.ts';
import { lists } from './lists.ts';
import { commands, keyed, likeUpdatePet, more, type Names, requests, write } from './requests.ts';
import { keyedStates, shops, states } from './states.ts';
import { delivery, stockTake } from './stock-take.ts';

describe('one request returns what the contract says and leaves a consistent table', () => {
  it.each([...states, ...keyedStates])('from the state “$name”', async state => {
    for (const request of [...requests, ...more, ...keyed.flat(), ...commands])
      await runAlone({ state, requests: [request] });
  });

  it.each(states)(
    'with an If-Match of another representation, from the state “$name”',
    async state => {
      const known = Object.fromEntries(
        Object.keys(state.names.known).map(noun => [noun, {}]),
      ) as Names['known'];
      const names = { ...state.names, known };
      for (const request of [...requests, ...more].filter(({ name }) => name.includes('match')))
        await runAlone({ state: { ...state, names }, requests: [request] });
    },
  );

  it.each(states)('writes nothing when it changes nothing, from the state “$name”', async state => {
    for (const request of [
      write('updatePet'),
      write('updateOrder'),
      write('updateOrder', { complete: false }),
    ])
      expect(
        (await runAlone({ state, requests: [request] })).store.table!.history,
        request.name,
      ).toEqual([]);
  });

  it.each(shops)('lists each entry once, newest first, with $name', async state => {
    for (const list of lists) await runAlone({ state, requests: [list] });
  });
});

describe('two concurrent requests are linearizable in every interleaving of their calls', () => {
  it.each(states)('from the state “$name”', async state => {
    const creations = requests.filter(({ id }) => id && /^(create|place)/.test(id));
    await exploreAll([
      ...pairsOf(requests).map(pair => ({ state, requests: pair })),
      ...pairsOf(creations).map(pair => ({ state, requests: pair, sameIds: true })),
      ...commands.flatMap(command =>
        requests.map(request => ({ state, requests: [command, request] })),
      ),
      ...pairsOf(commands).map(pair => ({ state, requests: pair })),
    ]);
  });

  it.each([...states, ...keyedStates])(
    'with one idempotency key, from the state “$name”',
    async state => {
      const pairs = keyed.flatMap(([first, second]) =>
        [first, second].map(other => [first, other]),
      );
      await exploreAll(pairs.map(pair => ({ state, requests: pair })));
    },
  );
});

it('every operation that writes has requests, also with one key', () => {
  const others: readonly string[] = likeUpdatePet;
  const writing = operationIds.filter(
    id => operations[id].method !== 'GET' && !others.includes(id),
  );
  for (const tested of [requests, keyed.flat()])
    expect([...new Set(tested.flatMap(({ id = [] }) => id))].sort()).toEqual(writing.toSorted());
});

describe('three concurrent requests are linearizable', () => {
  const cats = { category: 'cats' } as const;
  const triples = [
    [write('cancelOrder'), write('updateOrder', { complete: true }), write('deletePet')],
    [
      write('deleteCategory', cats, { match: true }),
      write('replaceCategory', { category: 'cats', name: 'Lions' }),
      write('createPet', { category: 'cats', status: 'available' }),
    ],
    [
      write('updatePet', { category: 'dogs' }),
      write('updatePet', { name: 'Max' }),
      write('deleteCategory', cats),
    ],
  ];

  it.each(states)('from the state “$name”', async state => {
    await exploreAll(triples.map(triple => ({ state, requests: triple })));
  });
});

describe('after a stock-take, the stocked units are those on the shelf', () => {
  const others = [
    write('placeOrder', { quantity: 1 }),
    write('cancelOrder'),
    write('updateOrder', { complete: true }),
    write('placeOrder', { quantity: 1, complete: true }),
    delivery(1),
  ];
  const from = states.filter(({ name }) =>
    /^(two units, and one ordered|the last two units)/.test(name),
  );

  it.each(from)('whatever two other requests do, from the state “$name”', async state => {
    const scenarios = pairsOf(others).map(pair => ({ state, requests: [stockTake(-1), ...pair] }));
    await exploreAll(scenarios);
  });

  it.each(others.slice(2))('but not with If-Match: *, beside $name', async other => {
    const scenario = { state: from[0]!, requests: [stockTake(-1, false), other] };
    await expect(explore(scenario)).rejects.toThrow('Not linearizable');
  });
});
