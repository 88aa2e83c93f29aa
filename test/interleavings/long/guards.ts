import '../environment.ts';
import { describe, expect, it, vi } from 'vitest';
import { describe as describeWrite, type WriteMutation } from '../dynamodb/transaction.ts';
import { pairsOf } from '../every.ts';
import { operations, placeOrder, setInventory } from '../operations.ts';
import { exploreAll, type Scenario } from '../scenario.ts';
import { makeStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const states = await makeStates();

/** Every pair from every state, with distinct and with colliding ids; and the scenarios that need three operations. */
const scenarios: Scenario[] = [
  ...[false, true].flatMap(sameSeed =>
    states.flatMap(state => pairsOf(operations).map(pair => ({ state, operations: pair, sameSeed }))),
  ),
  {
    // An order reserves a unit and a stock-take restores the count: the quantity is unchanged, but an order is open.
    state: states.find(({ name }) => name === 'three units')!,
    operations: [setInventory(0, { match: true }), placeOrder(1), setInventory(3)],
  },
  {
    // A completed sale reduces only the quantity, before another sale takes all the units that were available.
    state: states.find(({ name }) => name === 'three units')!,
    operations: [placeOrder(3, { complete: true }), placeOrder(1, { complete: true })],
  },
];

/** The name of each guard of a write, and the mutation that removes it. */
const guardsOf = (write: Parameters<typeof describeWrite>[0]): [string, WriteMutation][] => {
  const { name, clauses, adds } = describeWrite(write);
  const parts: [string, WriteMutation['part']][] = [
    ...clauses.map((text, clause): [string, WriteMutation['part']] => [`without ${text}`, { clause, result: true }]),
    // A branch of an OR: the others must be sufficient without it.
    ...(name.includes(' OR ') ? clauses : []).map((text, clause): [string, WriteMutation['part']] => [
      `never by ${text}`,
      { clause, result: false },
    ]),
    ...adds.map((attribute): [string, WriteMutation['part']] => [
      `without adding to ${attribute}`,
      { adds: attribute },
    ]),
  ];
  return parts.map(([what, part]) => [`${name}: ${what}`, { write: name, part }]);
};

/** The guards that the model sends, and the scenarios in which each occurs. */
const collectGuards = async () => {
  const guards = new Map<string, { mutation: WriteMutation; occurrences: Set<Scenario> }>();
  for (const scenario of scenarios) {
    const onWrite = (write: Parameters<typeof describeWrite>[0]) => {
      for (const [text, mutation] of guardsOf(write)) {
        const guard = guards.get(text) ?? { mutation, occurrences: new Set() };
        guards.set(text, guard);
        guard.occurrences.add(scenario);
      }
    };
    await exploreAll({ ...scenario, table: { onWrite } });
  }
  return guards;
};

/** The first scenario in which removing the guard causes a violation in some schedule, which kills the mutant. */
const findViolation = async (
  mutation: WriteMutation,
  occurrences: Iterable<Scenario>,
  onlyInvariants = false,
): Promise<{ scenario: Scenario; message: string } | undefined> => {
  for (const scenario of occurrences) {
    try {
      await exploreAll({ ...scenario, table: { mutation }, onlyInvariants });
    } catch (error) {
      return { scenario, message: (error as Error).message };
    }
  }
  return undefined;
};

/** Scenarios in which the publisher's check is tried alone; exploring all of them takes hours for a guard that it misses. */
const triedAlone = 10;

/** Whether the publisher's check of a single change would have found the violation, or finds one in a few other scenarios. */
const isFoundByPublisher = async (
  mutation: WriteMutation,
  occurrences: Iterable<Scenario>,
  { scenario, message }: { scenario: Scenario; message: string },
): Promise<boolean> => {
  if (message.includes('\nViolates ')) return true;
  const tried = [scenario, ...[...occurrences].filter(other => other !== scenario).slice(0, triedAlone)];
  return (await findViolation(mutation, tried, true)) !== undefined;
};

/** The guards that other guards imply, and why. They stay: each documents an assumption and costs nothing. */
const statusChange = '#version = :version AND #availableQuantity = :available AND #reservedQuantity = :reserved';
const statusChangeReason = 'a pet that is neither on hold nor available has no available unit';
const redundantGuards: Record<string, string> = {
  [`Update PET adding to availableQuantity, reservedQuantity, version if ${statusChange}: without #reservedQuantity = :reserved`]:
    'an open order makes the pet pending, and a canceled one available, whatever else is open',
  [`Update PET adding to reservedQuantity, version if ${statusChange}: without #availableQuantity = :available`]:
    statusChangeReason,
  [`Update PET adding to reservedQuantity, version if ${statusChange}: without #reservedQuantity = :reserved`]:
    'the last open order of a pet that is not available is the only one that changes it',
  'Update PET adding to version if #version = :version AND #availableQuantity = :available AND #reservedQuantity = :none: without #reservedQuantity = :none':
    'a unit is reserved by taking it from the available ones',
  'Update PET adding to version if #version = :version AND #availableQuantity > :none: without #availableQuantity > :none':
    'only a stock-take reduces the available units of a pet that is not available, and it increments the version',
};

describe('every guard of the model', () => {
  it('is needed: without it some schedule has a violation, except for the guards that others imply', async () => {
    const guards = await collectGuards();
    const redundant: string[] = [];
    let inProduction = 0;
    for (const [text, { mutation, occurrences }] of guards) {
      const violation = await findViolation(mutation, occurrences);
      const isLogged = violation && (await isFoundByPublisher(mutation, occurrences, violation));
      console.log(`${isLogged ? 'killed, also by the publisher' : violation ? 'killed' : 'survived'} ${text}`);
      if (!violation) redundant.push(text);
      if (isLogged) inProduction += 1;
    }
    console.log(
      `${guards.size} guards, ${redundant.length} of them redundant. Without ${inProduction} of the others, the publisher logs a violation at a single write.`,
    );
    expect(redundant.sort()).toEqual(Object.keys(redundantGuards).sort());
  });
});
