import { describe, expect, it } from 'vitest';
import { begin, exploreAll, pairsOf, type Scenario } from './explore.ts';
import { lists } from './lists.ts';
import { commands, keyed, more, requests } from './requests.ts';
import { type Faults, injected, kinds } from './run.ts';
import { keyedStates, type State, shops, states } from './states.ts';

/** A violation prints a value of INTERLEAVING, which selects its schedule. */

const lost: Faults['kinds'] = ['cutBefore', 'cutAfter'];
const faults: Record<string, Faults> = {
  'one rejected call': {
    kinds: ['conflict', 'throttle', 'neverConnected'],
    max: 1,
    permanent: ['throttle', 'neverConnected'],
  },
  'one lost request or response': { kinds: lost, max: 1, permanent: lost },
  'one late write': { kinds: ['late'], max: 1, permanent: ['late'] },
  'one partly reported rejection': { kinds: ['unreported'], max: 1 },
};
const twoFaults: Faults = { kinds: ['late', 'cutBefore', 'cutAfter'], max: 2 };

const named = (pattern: RegExp) => requests.filter(({ name }) => pattern.test(name));
const writes = requests.filter(({ id, name }) => id && !name.includes('key='));
const plain = writes.filter(({ name }) => !name.includes('match='));
const toPet = named(/^(updatePet|deletePet|setInventory|placeOrder|updateOrder|cancelOrder)/);
/** Of each kind of write, the request with the most conditions. */
const guarded = named(
  /match|key|^(setInventory|placeOrder.*complete|cancelOrder$|updatePet category)/,
);
/** Move a pet to other index partitions, or remove it from all. */
const moves = named(
  /^(updatePet (status=pending|status=available|category=dogs)|setInventory quantity=[03]|deletePet)$/,
);
const twoMoves = pairsOf(moves).filter(([first, second]) => first !== second);
const triplesOf = <T>(things: readonly T[]): T[][] =>
  things.flatMap((first, index) => pairsOf(things.slice(index)).map(pair => [first, ...pair]));
const keyedAndOther = keyed.flatMap(row =>
  row.slice(0, 2).flatMap(first => writes.map(second => [first, second])),
);
const besides = [
  ...keyedStates,
  ...states.filter(({ name }) => /^(three units|two units|the last two)/.test(name)),
];
const petLists = lists.filter(({ name }) => !name.includes('orders'));

type Scenarios = (state: State) => Omit<Scenario, 'state'>[];
const withEach = (
  pairs: readonly (readonly (typeof requests)[number][])[],
  all: readonly Faults[],
) => pairs.flatMap(pair => all.map(kind => ({ requests: pair, faults: kind })));

const properties: readonly (readonly [
  name: string,
  from: readonly State[],
  scenarios: Scenarios,
])[] = [
  ...Object.entries(faults).map(
    ([name, kind]) =>
      [`two requests, ${name}`, states, () => withEach(pairsOf(requests), [kind])] as const,
  ),
  [
    'two guarded writes, two faults',
    states.filter(({ name }) => /^(the last unit ordered|keys used)$/.test(name)),
    () => withEach(pairsOf(guarded), [twoFaults]),
  ],
  [
    'two requests with one idempotency key, any fault, two late writes included',
    [...states, ...keyedStates],
    () => withEach(keyed.flatMap(pairsOf), [...Object.values(faults), twoFaults]),
  ],
  [
    'a request with an idempotency key beside any other, any fault',
    besides,
    () => withEach(keyedAndOther, Object.values(faults)),
  ],
  ['three requests to a pet', states, () => triplesOf(toPet).map(triple => ({ requests: triple }))],
  [
    'all pages of a list during a write, with lagging indexes and replicas',
    shops,
    () =>
      lists.flatMap(list =>
        plain.map(one => ({ requests: [list, one], lag: 'replicas' as const })),
      ),
  ],
  [
    'all pages of a list during two writes to one pet, with lagging indexes',
    shops,
    () =>
      petLists.flatMap(list =>
        twoMoves.map(pair => ({ requests: [list, ...pair], lag: 'indexes' as const })),
      ),
  ],
];

const wanted = process.env.INTERLEAVING;

describe.skipIf(wanted).each(properties)(
  '%s: every history is linearizable',
  (_, from, scenarios) => {
    it.each(from)('from the state “$name”', async state => {
      console.log(
        `${await exploreAll(scenarios(state).map(scenario => ({ state, ...scenario })))} runs`,
      );
    });
  },
);

it.skipIf(wanted)('every kind of fault was injected', () => {
  expect(kinds.filter(kind => !injected.has(kind))).toEqual([]);
});

it.skipIf(!wanted)('the schedule in INTERLEAVING has no violation', async () => {
  const { state: stateName, requests: names, choices, ...rest } = JSON.parse(wanted!);
  const known = [...requests, ...more, ...keyed.flat(), ...lists, ...commands];
  const run = await begin({
    ...rest,
    state: [...states, ...keyedStates, ...shops].find(({ name }) => name === stateName)!,
    requests: names.map((wantedName: string) => known.find(({ name }) => name === wantedName)!),
  });
  for (const choice of choices) await run.take(choice);
  console.log(run.trace);
});
