import { describe, expect, it, vi } from 'vitest';

// A second parent of pets, and the first of orders, which no operation writes: these tests prove what the next copy adds.

vi.mock('../../lib/errors.ts', async load => {
  const original = await load<typeof import('../../lib/errors.ts')>();
  const of = (name: keyof typeof original.errors, code: string) => ({
    ...original.errors[name],
    code,
  });
  Object.assign(original.errors, {
    parent_not_found_in_body: of('category_not_found_in_body', 'parent_not_found'),
    parent_not_found: of('category_not_found', 'parent_not_found'),
    parent_in_use: of('category_in_use', 'parent_in_use'),
  });
  return original;
});
vi.mock('../../lib/model/references.ts', async load => {
  const { references } = await load<typeof import('../../lib/model/references.ts')>();
  const toParent = { parent: 'PARENT', notFound: 'parent_not_found_in_body' };
  const ofOrder = { ...toParent, kind: 'ORDER', counter: 'orderCount' };
  return {
    references: [
      ...references,
      { ...references[0], ...toParent, field: 'parentId' },
      { ...ofOrder, field: 'buyerId' },
      { ...ofOrder, field: 'payerId' },
      { ...references[0], kind: 'ORDER', field: 'groupId', counter: undefined },
      { ...ofOrder, kind: 'CATEGORY', field: 'parentId' },
    ],
  };
});
vi.mock('../../lib/model/kinds.ts', async load => {
  const original = await load<typeof import('../../lib/model/kinds.ts')>();
  const parent = { ...original.kindOf('CATEGORY')!, partitionsOf: () => ({}) };
  return { ...original, kindOf: (sk: string) => (sk === 'PARENT' ? parent : original.kindOf(sk)) };
});

const { createTableChecker } = await import('../../cdk/commands/audit/table-checker.ts');
const { largestChanges } = await import('../../cdk/cost/publishing.ts');
const { ApiError } = await import('../../lib/errors.ts');
const { violationsOfChange } = await import('../../lib/model/invariants.ts');
const { currentItem } = await import('../../lib/model/table/transact.ts');
const { writeOnce } = await import('../../lib/model/table/write-once.ts');
const { deleteItem } = await import('../../lib/model/table/writes.ts');
const { ReferenceStore } = await import('../reference/reference-store.ts');
const { exploreAll, pairsOf, runAlone } = await import('./explore.ts');
const { commands, write } = await import('./requests.ts');
const { states } = await import('./states.ts');
type Request = import('./requests.ts').Request;
/** Without those above. */
const own = await vi.importActual<typeof import('../../lib/model/references.ts')>(
  '../../lib/model/references.ts',
);
/** The parents of an order that count it. */
const counting = own.references.filter(({ kind, counter }) => kind === 'ORDER' && counter);
type State = import('./states.ts').State;

const keyOf = (id: number) => ({ pk: `PARENT#${id}`, sk: 'PARENT' });
const parent = (id: number, petCount = 0) => ({
  ...keyOf(id),
  id,
  name: 'Acme',
  petCount,
  orderCount: 0,
  version: 1,
  writeCount: 1,
});

const remove = (id: number): Request => ({
  name: `remove parent ${id}`,
  perform: () =>
    writeOnce(undefined, undefined, () => ({
      result: undefined,
      writes: {
        parent: deleteItem(keyOf(id), '#petCount = :none AND #orderCount = :none', { none: 0 }),
      },
      onRejected: async ({ parent: rejected }) => {
        const current = await currentItem(rejected, keyOf(id));
        if (!current) throw new ApiError('parent_not_found' as never);
        if (current.petCount + current.orderCount > 0) throw new ApiError('parent_in_use' as never);
      },
    })),
  expected: store => store.once(undefined, () => store.remove('parent' as 'category', id)),
});

const refer = (fields: object): Request => write('updatePet', fields as never);
const requests = [
  write('createPet', { category: 'cats', status: 'available', parentId: 11 } as never),
  refer({ parentId: 11 }),
  refer({ parentId: 12, name: 'Max' }),
  refer({ parentId: 12, category: 'dogs', status: 'available' }),
  refer({ parentId: null }),
  refer({ parentId: 13 }),
  write('deletePet'),
  remove(11),
  remove(12),
];

const place = (fields: object, headers = {}): Request =>
  write('placeOrder', { quantity: 1, ...fields } as never, headers);
const changeOrder = (fields: object): Request => write('updateOrder', fields as never);
const orderRequests = [
  place({ buyerId: 11 }),
  place({ buyerId: 11, payerId: 11, complete: true }),
  place({ buyerId: 12, payerId: 11 }, { key: 'o' }),
  place({ buyerId: 11, payerId: 13 }),
  place({ buyerId: 13, quantity: 99 }),
  changeOrder({ buyerId: 11, payerId: 12 }),
  changeOrder({ buyerId: 12, payerId: 11, complete: true }),
  changeOrder({ buyerId: 13, complete: true }),
  changeOrder({ buyerId: null }),
  changeOrder({ complete: true }),
  write('cancelOrder'),
  write('createCategory', { name: 'Birds', parentId: 11 } as never),
  write('replaceCategory', { category: 'dogs', name: 'Dogs', parentId: 11 } as never),
  write('replaceCategory', { category: 'dogs', name: 'Dogs', parentId: 13 } as never),
  write('deleteCategory', { category: 'dogs' }),
  ...commands,
];

const withParents = async (state: State): Promise<State> => {
  const [table, store] = [state.table.copy(), new ReferenceStore(state.store)];
  for (const id of [11, 12]) {
    table.write(keyOf(id), parent(id));
    store.items['parent' as 'category'].set(id, { name: 'Acme' });
  }
  return { ...state, table: table.copy(), store };
};
const stateAfter = async (state: State, request: Request): Promise<State> => {
  const { store } = await runAlone({ state, requests: [request] });
  const next = new ReferenceStore(state.store);
  request.expected!(next, state.names, {} as never);
  return {
    ...state,
    name: `${state.name}, ${request.name}`,
    table: store.table!.copy(),
    store: next,
  };
};
const from = (...names: string[]) =>
  Promise.all(states.filter(({ name }) => names.includes(name)).map(withParents));
const without = await from('one unit', 'on hold without a unit');
const withOne = await Promise.all(without.map(state => stateAfter(state, requests[1]!)));

describe('two requests that change a second parent are linearizable, and count its pets', () => {
  it.each([...without, ...withOne])('from the state “$name”', async state => {
    await exploreAll([
      ...pairsOf(requests).map(pair => ({ state, requests: pair })),
      ...requests.map(request => ({
        state,
        requests: [request],
        faults: { kinds: ['late', 'cutAfter'], max: 1 } as const,
      })),
    ]);
  });
});

describe('a request that changes a parent of orders or categories is linearizable, and counts them', async () => {
  const [ordered] = (await from('two units, and one ordered')) as [State];
  const referring = [changeOrder({ buyerId: 11, payerId: 11 }), orderRequests[12]!];
  const bought = await referring.reduce(
    async (state, request) => stateAfter(await state, request),
    Promise.resolve(ordered),
  );
  const shipDate = '2027-03-01T00:00:00Z';
  const complete = await stateAfter(bought, changeOrder({ complete: true, shipDate }));

  it.each([ordered, bought, complete])('from the state “$name”', async state => {
    await exploreAll([
      ...orderRequests.map(request => ({ state, requests: [request, remove(11)] })),
      ...orderRequests.map(request => ({
        state,
        requests: [request],
        faults: { kinds: ['unreported', 'late', 'cutAfter'], max: 1 } as const,
      })),
    ]);
  });

  it('reads a parent that is not counted, and adds no write', async () => {
    const { names } = ordered;
    for (const groupId of [names.dogs, 13]) {
      const { store } = await runAlone({ state: ordered, requests: [place({ groupId })] });
      const written = store.table!.history.map(({ item }) => item?.sk);
      const parents = counting.map(({ parent: kind }) => kind);
      expect(written).toEqual(groupId === 13 ? [] : ['ORDER', 'PET', ...parents]);
    }
  });
});

it('an audit finds a missing second parent and a wrong count, and the publisher the deletion of one with pets', async () => {
  const checker = createTableChecker(1);
  const [{ table }] = withOne as [State];
  for (const item of table.items) if (item.id !== 11) checker.add(item);
  checker.add(parent(14, 2));
  expect(checker.mismatches().map(({ about, text }) => `${about} ${text}`)).toEqual([
    'parentId names the parent 11, which does not exist',
    'petCount is 2; the parent has 0 pets',
  ]);
  expect([...violationsOfChange(parent(14, 2), undefined, 1)]).toMatchObject([
    { attribute: 'petCount' },
  ]);
});

it('each record of a counter is in the cost of events', () => {
  const recordsOf = (path: string) =>
    ['POST', 'PUT', 'PATCH', 'DELETE'].map(
      method =>
        largestChanges[method === 'POST' ? `POST ${path}` : `${method} ${path}/{${idOf[path]}}`]
          ?.records,
    );
  const idOf: Record<string, string> = {
    '/pets': 'petId',
    '/pets/categories': 'categoryId',
    '/store/orders': 'orderId',
  };
  const { length: n } = counting;
  expect(Object.keys(idOf).map(recordsOf)).toEqual([
    [3, 5, 5, 3],
    [2, 3, undefined, 2],
    [4 + n, undefined, 6 + 2 * n, 4 + n],
  ]);
});
