import '../environment.ts';
import { describe, expect, it, vi } from 'vitest';
import { type Cut, describe as describeWrite } from '../dynamodb/transaction.ts';
import { pairsOf } from '../every.ts';
import { operations, placeOrder, setInventory } from '../operations.ts';
import { exploreAll, type Scenario } from '../scenario.ts';
import { makeStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const states = await makeStates();

/** Every pair from every state, with ids that differ and with ids that collide; and what takes three to be seen. */
const scenarios: Scenario[] = [
  ...[false, true].flatMap(sameLuck =>
    states.flatMap(state => pairsOf(operations).map(pair => ({ state, operations: pair, sameLuck }))),
  ),
  {
    // An order comes and its unit is put back by a stock-take: the count is what it was, and the order is open.
    state: states.find(({ name }) => name === 'three units')!,
    operations: [setInventory(0, { match: true }), placeOrder(1), setInventory(3)],
  },
  {
    // A sale over the counter takes a unit, and leaves no trace but fewer of them, before another takes all that were there.
    state: states.find(({ name }) => name === 'three units')!,
    operations: [placeOrder(3, { complete: true }), placeOrder(1, { complete: true })],
  },
];

/** What is said of a guard, and the part of a write that it is. */
const guardsOf = (write: Parameters<typeof describeWrite>[0]): [string, Cut][] => {
  const { name, clauses, adds } = describeWrite(write);
  const parts: [string, Cut['part']][] = [
    ...clauses.map((text, clause): [string, Cut['part']] => [`without ${text}`, { clause, says: true }]),
    // A branch of several: without it, the others must do.
    ...(name.includes(' OR ') ? clauses : []).map((text, clause): [string, Cut['part']] => [
      `never by ${text}`,
      { clause, says: false },
    ]),
    ...adds.map((attribute): [string, Cut['part']] => [`without adding to ${attribute}`, { adds: attribute }]),
  ];
  return parts.map(([what, part]) => [`${name}: ${what}`, { write: name, part }]);
};

/** The guards that the model sends, and the scenarios in which each is met. */
const census = async () => {
  const met = new Map<string, { cut: Cut; where: Set<Scenario> }>();
  for (const scenario of scenarios) {
    const onWrite = (write: Parameters<typeof describeWrite>[0]) => {
      for (const [text, cut] of guardsOf(write)) {
        const guard = met.get(text) ?? { cut, where: new Set() };
        met.set(text, guard);
        guard.where.add(scenario);
      }
    };
    await exploreAll({ ...scenario, table: { onWrite } });
  }
  return met;
};

/** Whether leaving it out makes some schedule wrong. */
const isMissed = async (cut: Cut, where: Iterable<Scenario>): Promise<boolean> => {
  for (const scenario of where) {
    try {
      await exploreAll({ ...scenario, table: { cut } });
    } catch {
      return true;
    }
  }
  return false;
};

/** Those that others imply, and why. They stay: each says what was decided upon, and costs nothing. */
const turn = '#version = :version AND #availableQuantity = :available AND #reservedQuantity = :reserved';
const whenTurned = 'a pet that nobody holds and that is not available has no free unit';
const implied: Record<string, string> = {
  'Update CATEGORY adding to version if attribute_exists(#pk) AND #version = :version: without attribute_exists ( #pk )':
    'what has a version exists',
  'Delete CATEGORY if attribute_exists(#pk) AND #version = :version AND #petCount = :none: without attribute_exists ( #pk )':
    'the same',
  'Delete CATEGORY if attribute_exists(#pk) AND #petCount = :none: without attribute_exists ( #pk )':
    'what counts its pets exists',
  [`Update PET adding to availableQuantity, reservedQuantity, version if ${turn}: without #reservedQuantity = :reserved`]:
    'an open order makes the pet pending, and a cancelled one available, whatever else is open',
  [`Update PET adding to reservedQuantity, version if ${turn}: without #availableQuantity = :available`]: whenTurned,
  [`Update PET adding to reservedQuantity, version if ${turn}: without #reservedQuantity = :reserved`]:
    'the last open order of a pet that is not available is the only one that changes it',
  'Update PET adding to version if #version = :version AND #availableQuantity = :available AND #reservedQuantity = :none: without #reservedQuantity = :none':
    'units become reserved by leaving the free ones',
  'Update PET adding to version if #version = :version AND #availableQuantity > :none: without #availableQuantity > :none':
    'a pet that is not available loses free units to stock-takes alone, which move the version',
};

describe('every guard of the model', () => {
  it('is missed when it is left out, but for those that others imply', async () => {
    const guards = await census();
    const idle: string[] = [];
    for (const [text, { cut, where }] of guards) {
      const isNeeded = await isMissed(cut, where);
      console.log(`${isNeeded ? 'missed' : 'idle  '} ${text}`);
      if (!isNeeded) idle.push(text);
    }
    console.log(`${guards.size} guards, ${idle.length} of them idle`);
    expect(idle.sort()).toEqual(Object.keys(implied).sort());
  });
});
