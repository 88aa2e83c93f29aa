import { describe, expect, it } from 'vitest';
import { exploreAll } from './explore.ts';
import { lists } from './lists.ts';
import { keyed, requests, write } from './requests.ts';
import { type Faults, injected, kinds } from './run.ts';
import { keyedStates, shops, states } from './states.ts';

describe('one request is linearizable', () => {
  const faults: Faults = {
    kinds,
    max: 1,
    permanent: ['throttle', 'neverConnected', 'cutBefore', 'cutAfter', 'late'],
  };

  it.each([...states, ...keyedStates])(
    'with any one fault, or all calls failing, from “$name”',
    async state => {
      await exploreAll(
        [...requests, ...keyed.flat()].map(request => ({ state, requests: [request], faults })),
      );
    },
  );

  it('while every kind of fault is injected', () => {
    expect(kinds.filter(kind => !injected.has(kind))).toEqual([]);
  });
});

describe('a write is linearizable while one of its calls arrives late, beside a write that changes what it read', () => {
  const plain = requests.filter(({ id, name }) => id && !name.includes('key='));
  const disturbers = [
    write('setInventory', { quantity: 0 }),
    write('placeOrder', { quantity: 1 }),
    write('cancelOrder'),
    write('updatePet', { status: 'pending' }),
    write('deletePet'),
    write('deleteCategory', { category: 'cats' }),
  ];
  const from = states.filter(({ name }) =>
    /^(one unit|the last unit ordered|two units, and one ordered)$/.test(name),
  );

  it.each(from)('from the state “$name”', async state => {
    const pairs = plain.flatMap(request => disturbers.map(disturber => [request, disturber]));
    await exploreAll(
      pairs.map(pair => ({ state, requests: pair, faults: { kinds: ['late'], max: 1 } })),
    );
  });
});

describe('reading all pages of a list misses and repeats no entry', () => {
  it.each(shops)('during two writes, with lagging indexes, with $name', async state => {
    const list = lists.find(({ name }) => name === 'list available pets by 1')!;
    const writes = [write('setInventory', { quantity: 0 }), write('setInventory', { quantity: 3 })];
    await exploreAll([{ state, requests: [list, ...writes], lag: 'indexes' }]);
  });

  // Only the lists of stock also read replicas of the table.
  it.each([
    [/pets/, 'indexes', 2, [write('updatePet', { status: 'sold' }), write('deletePet')]],
    [
      /named/,
      'indexes',
      1,
      [write('updatePet', { name: 'Max' }), write('updatePet', { name: 'kit' })],
    ],
    [/orders/, 'indexes', 2, [write('updateOrder', { complete: true }), write('cancelOrder')]],
    [/stock/, 'replicas', 2, [write('updatePet', { status: 'sold' }), write('deletePet')]],
    [/held/, 'replicas', 3, [write('updatePet', { status: 'available' }), write('deletePet')]],
  ] as const)('%s: during a write, with lagging %s', async (pattern, lag, shop, writers) => {
    const pairs = lists
      .filter(({ name }) => pattern.test(name))
      .flatMap(list => writers.map(one => [list, one]));
    await exploreAll(pairs.map(pair => ({ state: shops[shop]!, requests: pair, lag })));
  });
});
