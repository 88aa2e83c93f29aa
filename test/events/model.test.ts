import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { largestChangesOf } from '../../cdk/cost/publishing.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { resources } from '../../lib/model/kinds.ts';
import { operations } from '../../lib/operations/index.ts';
import { canonical } from '../interleavings/table.ts';
import {
  anyCommand,
  type Command,
  expectedOf,
  Ids,
  modelRuns,
  remember,
} from '../reference/commands.ts';
import { contentsOf, expectInvariants } from '../reference/invariants.ts';
import { ReferenceStore } from '../reference/reference-store.ts';
import { stockedPet } from '../support/fixtures.ts';
import { type ApiResponse, usePetstore } from '../support/petstore.ts';
import type { Noun } from '../support/resources.ts';
import {
  allPublished,
  apiState,
  begin,
  beginning,
  busFaults,
  expectComplete,
  expectSameEachTime,
  perform,
  retry,
  tableFaults,
} from './actions.ts';
import { type Listener, listenTo } from './listener.ts';

/** Random commands pass through API, table, stream, publisher and bus. Results must equal those of the reference store. */

const petstore = usePetstore({ publishesEvents: true });
/** Gets all events of this file. */
let listener: Listener;
beforeAll(async () => {
  listener = await listenTo(petstore.url);
});
afterAll(() => {
  listener.stop();
  expect(petstore.publisherLogs.join(''), 'violated invariants').not.toContain('"violations"');
});

const contents = () => contentsOf(inject('endpoint'), petstore.tableName);
const published = () => allPublished(petstore.staff, listener);

/** In the form of `apiState`. */
const stateOf = (store: ReferenceStore) =>
  new Map<string, unknown>(
    resources.flatMap(({ noun, path }) =>
      Array.from(store.items[noun === 'inventory' ? 'pet' : noun].keys(), id => [
        `${path}/${id}`,
        store.view(noun, id),
      ]),
    ),
  );

/** What happened, in the event types of a resource. */
const verbs: Partial<Record<Noun, readonly [created: string, updated: string, deleted: string]>> = {
  inventory: ['updated', 'updated', 'deleted'],
  order: ['placed', 'updated', 'cancelled'],
};

/** The type, subject and data of each event. */
const expectedBetween = (
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap(subject => {
    const [old, present] = [before.get(subject), after.get(subject)] as (
      | { complete?: boolean }
      | undefined
    )[];
    if (canonical(old) === canonical(present)) return [];
    const { noun } = resources.find(({ path }) => path === subject.replace(/\/\d+$/, ''))!;
    const [created, updated, deleted] = verbs[noun] ?? ['created', 'updated', 'deleted'];
    const completed = present?.complete && !old?.complete ? ['completed'] : [];
    const changed = completed.length > 0 ? completed : [updated];
    const types = !present ? [deleted] : old ? changed : [created, ...completed];
    return types.map(type => canonical([`petstore.${noun}.${type}`, subject, present ?? old]));
  });

const textOf = ({ type, subject, data }: CloudEvent) => canonical([type, subject, data]);

const writtenItems = (): number =>
  petstore.proxy.responses
    .filter(({ call, status }) => call.operation === 'TransactWriteItems' && status === 200)
    .flatMap(({ call }) => call.body.TransactItems)
    .filter(item => !item.ConditionCheck).length;

/** The commands of one round run in parallel. */
const rounds = (commands: number, most: number) =>
  fc.array(fc.array(anyCommand, { minLength: 2, maxLength: commands }), {
    minLength: 2,
    maxLength: most,
  });

describe('any sequence of commands', () => {
  it('has the responses, the state and the events of the reference store', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCommand, { minLength: 10, maxLength: 40, size: 'max' }),
        async commands => {
          const before = {
            events: (await published()).length,
            all: await apiState(petstore.staff),
          };
          const [store, ids, expected, done] = [
            new ReferenceStore(),
            new Ids(),
            [] as string[],
            [] as object[],
          ];
          for (const command of [...beginning, ...commands]) {
            const [state, written] = [stateOf(store), writtenItems()];
            const response = await perform(command, ids, petstore);
            const { status, body } = response;
            done.push({ ...command, status });
            const actual =
              status < 400
                ? { status, ...(status !== 204 && { body }) }
                : { status, code: body.code };
            expect(actual, JSON.stringify(done)).toEqual(expectedOf(command, ids, store, response));
            remember(command, ids, response);
            const changes = expectedBetween(state, stateOf(store));
            expected.push(...changes);
            const { method, path } = operations[command.do];
            const largest = largestChangesOf(`${method} ${path}`);
            expect(changes.length, 'see cdk/cost/publishing.ts').toBeLessThanOrEqual(
              largest.events,
            );
            expect(writtenItems() - written, 'see cdk/cost/publishing.ts').toBeLessThanOrEqual(
              largest.records,
            );
          }
          const ended = await apiState(petstore.staff);
          expect(new Map([...ended].filter(([subject]) => !before.all.has(subject)))).toEqual(
            stateOf(store),
          );
          const events = (await published()).slice(before.events, -1);
          // The events of one transaction have no order, so they are sorted.
          expect(events.map(textOf).sort(), 'expectedBetween has the rules').toEqual(
            expected.sort(),
          );
        },
      ),
      { numRuns: modelRuns(6) },
    );
    await expectComplete(listener.events, petstore.staff);
    expectInvariants(await contents());
  });
});

describe('parallel commands', () => {
  it('lose no unit and no event, and violate no invariant, under injected faults of table and bus', async () => {
    let count = 0;
    const once = (send: (headers: Record<string, string>) => Promise<ApiResponse>) => {
      const headers = { 'Idempotency-Key': `key-${count++}` };
      return retry(() => send(headers));
    };
    /** Orders units of a pet that no command changes. @returns the id of the order, unless it is cancelled */
    const order = async (petId: number, [quantity, ending]: readonly [number, string]) => {
      const { shop, staff } = petstore;
      const { body } = await once(headers =>
        shop('POST', '/store/orders', { headers, body: { petId, quantity } }),
      );
      const path = `/store/orders/${body.id}`;
      if (ending === 'cancel') await once(headers => shop('DELETE', path, { headers }));
      if (ending === 'complete')
        await once(headers => staff('PATCH', path, { headers, body: { complete: true } }));
      return ending === 'cancel' ? [] : [body.id as number];
    };
    const anyOrder = fc.tuple(
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom('keep', 'cancel', 'complete'),
    );
    const orders = fc.array(anyOrder, { minLength: 8, maxLength: 12 });
    const run = async (
      commands: Command[][],
      counted: [number, string][],
      randomNumbers: Iterator<number>,
    ) => {
      const { id: petId } = await stockedPet(petstore.staff, 40);
      const ids = await begin(petstore);
      petstore.proxy.faultFor = () => tableFaults[randomNumbers.next().value];
      petstore.aws.faultFor = () => busFaults[randomNumbers.next().value % 5];
      const placing = Promise.all(counted.map(each => order(petId, each)));
      for (const round of commands) {
        const send = (command: Command) =>
          once(headers => perform(command, ids, petstore, headers));
        const responses = await Promise.all(round.map(send));
        for (const [index, response] of responses.entries()) {
          expect(response.status, response.text).toBeLessThan(500);
          remember(round[index]!, ids, response);
        }
      }
      const placed = (await placing).flat();
      petstore.proxy.faultFor = () => undefined;
      petstore.aws.faultFor = () => undefined;

      const all = await contents();
      expectInvariants(all);
      const kept = all.orders.filter(other => other.petId === petId);
      expect(kept.map(({ id }) => id).sort()).toEqual(placed.sort());
      const held = kept.reduce((sum, { quantity }) => sum + quantity, 0);
      expect(all.pets.find(({ id }) => id === petId)!.availableQuantity + held).toBe(40);
      await expectComplete(await published(), petstore.staff);
    };
    await fc.assert(fc.asyncProperty(rounds(8, 4), orders, fc.infiniteStream(fc.nat(11)), run), {
      numRuns: modelRuns(3),
    });
    expectSameEachTime(listener.events);
  });
});
