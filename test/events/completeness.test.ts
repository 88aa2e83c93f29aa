import { DeleteItemCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { largestChangesOf } from '../../cdk/cost/publishing.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { eventTypes } from '../../lib/events/event-types.ts';
import {
  anyCommand,
  type Command,
  expectedOf,
  type Ids,
  modelRuns,
  remember,
  requestOf,
} from '../reference/commands.ts';
import { ReferenceStore } from '../reference/reference-store.ts';
import type { AwsFault } from '../support/aws-proxy.ts';
import type { Fault } from '../support/dynamodb-proxy.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';
import { type Listener, listenTo } from './listener.ts';
import { allPublished, begin, expectComplete, expectSameEachTime, perform, retry, viewOf } from './scenarios.ts';

const petstore = usePetstore({ publishesEvents: true });
/** Receives all events from the beginning. */
let listener: Listener;
beforeAll(async () => {
  listener = await listenTo(petstore.url);
});
afterAll(() => {
  listener.stop();
  expect(petstore.publisherLogs.join(''), 'violated invariants').not.toContain('"violations"');
});

const kinds: Record<string, readonly [created: string[], updated: string[], deleted: string[]]> = {
  pets: [['pet.created'], ['pet.updated'], ['pet.deleted']],
  'pets/categories': [['category.created'], ['category.updated'], ['category.deleted']],
  'store/inventory': [['inventory.updated'], ['inventory.updated'], ['inventory.deleted']],
  'store/orders': [['order.placed'], ['order.updated'], ['order.cancelled']],
};

/** The events between two states of the store, by the table of the contract: type, subject, data. */
const expectedBetween = (before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap(subject => {
    const [old, present] = [before.get(subject), after.get(subject)] as ({ complete?: boolean } | undefined)[];
    if (JSON.stringify(old) === JSON.stringify(present)) return [];
    const [created, updated, deleted] = kinds[subject.replace(/\/\d+$/, '')]!;
    const isCompletion = present?.complete && !old?.complete;
    const change = old
      ? isCompletion
        ? ['order.completed']
        : updated
      : [...created, ...(isCompletion ? ['order.completed'] : [])];
    const types = present ? change : deleted;
    return types.map(type => JSON.stringify([`petstore.${type}`, subject, present ?? old]));
  });

const textOf = ({ type, subject, data }: CloudEvent) => JSON.stringify([type, subject, data]);

const parameters = { pets: 'petId', categories: 'categoryId', inventory: 'petId', orders: 'orderId' };

/** `PUT /pets/7` → `PUT /pets/{petId}` */
const methodOf = (command: Command, ids: Ids) => {
  const { method, path } = requestOf(command, ids);
  const template = path.replace(/(\w+)\/\d+$/, (_, noun: keyof typeof parameters) => `${noun}/{${parameters[noun]}}`);
  return `${method} ${template}`;
};

/** The executed transactions, each once: a retry with the same token writes nothing. */
const transactions = () => {
  const done = petstore.proxy.responses.filter(
    ({ call, status }) => call.operation === 'TransactWriteItems' && status === 200,
  );
  return [...new Map(done.map(({ call }) => [call.body.ClientRequestToken, call])).values()];
};

/** The items that transactions wrote from an index on, without idempotency records, which have no events. */
const writesSince = (count: number) =>
  transactions()
    .slice(count)
    .flatMap(({ body }) => body.TransactItems.filter((write: object) => !('ConditionCheck' in write)));

/** The number of committed writes of each item, by the subject of its events. */
const committedWrites = () => {
  const counts = new Map<string, number>();
  const subjects = { PET: ['pets', 'store/inventory'], CATEGORY: ['pets/categories'], ORDER: ['store/orders'] };
  for (const { body } of transactions()) {
    for (const write of body.TransactItems) {
      const { Put, Update, Delete } = write;
      const [noun, id] = (Put?.Item ?? Update?.Key ?? Delete?.Key)?.pk.S.split('#') ?? [];
      for (const path of subjects[noun as keyof typeof subjects] ?? []) {
        const subject = `${path}/${id}`;
        counts.set(subject, (counts.get(subject) ?? 0) + 1);
      }
    }
  }
  return counts;
};

/** No event is published for a write that was not committed: an item has no more changes than writes. */
const expectCommitted = (events: readonly CloudEvent[]) => {
  const counts = committedWrites();
  for (const { subject, sequence } of events) {
    const count = Number(sequence.split('-')[1]);
    expect(count, `${subject} has an event without a write`).toBeLessThanOrEqual(counts.get(subject) ?? 0);
  }
};

describe('the published events', () => {
  it('are exactly the changes of any sequence of commands, and rebuild the state that the API returns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCommand, { minLength: 10, maxLength: 30, size: 'max' }), async commands => {
        await allPublished(petstore.staff, listener);
        const already = listener.events.length;
        const ids = await begin(petstore);
        const countAtStart = (await allPublished(petstore.staff, listener)).length;
        const store = new ReferenceStore();
        store.createCategory(ids.categories[0]!, 'Cats');
        for (const id of ids.pets) store.createPet(id, 'Tom', ids.categories[0]!);
        store.setInventory(ids.pets.at(-1)!, 4);
        expect(countAtStart - already).toBe(7);

        const expected: string[] = [];
        for (const command of commands) {
          const before = viewOf(store);
          const { length } = transactions();
          const response = await perform(command, ids, petstore);
          expectedOf(command, ids, store, response);
          const changes = expectedBetween(before, viewOf(store));
          expected.push(...changes);
          const most = largestChangesOf(methodOf(command, ids));
          expect(changes.length, 'see cdk/cost/publishing.ts').toBeLessThanOrEqual(most.events);
          expect(writesSince(length).length, 'see cdk/cost/publishing.ts').toBeLessThanOrEqual(most.records);
          remember(command, ids, response);
        }
        const events = (await allPublished(petstore.staff, listener)).slice(countAtStart, -1);
        // Events of one transaction are in the order of its records, which is not defined.
        expect(events.map(textOf).sort()).toEqual(expected.sort());
      }),
      { numRuns: modelRuns(3) },
    );
    await expectComplete(listener.events, petstore.staff);
    expectSameEachTime(listener.events);
  });

  it('are complete when commands run in parallel', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyCommand, { minLength: 2, maxLength: 12 }), { minLength: 2, maxLength: 6 }),
        async rounds => {
          const ids = await begin(petstore);
          for (const round of rounds) {
            const responses = await Promise.all(round.map(command => perform(command, ids, petstore)));
            for (const [index, response] of responses.entries()) remember(round[index]!, ids, response);
          }
          await expectComplete(await allPublished(petstore.staff, listener), petstore.staff);
        },
      ),
      { numRuns: modelRuns(3) },
    );
    expectCommitted(listener.events);
  });

  it('are complete, and only of committed writes, under injected faults of table and bus', async () => {
    const faults: Fault[] = ['conflict', 'throttle', 'error', 'cutBefore', 'cutAfter', { delay: 20 }];
    const awsFaults: AwsFault[] = [
      'error',
      'cutAfter',
      { failEntries: (_, index) => (index % 2 === 0 ? 'ThrottlingException' : undefined) },
    ];
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyCommand, { minLength: 2, maxLength: 8 }), { minLength: 2, maxLength: 4 }),
        fc.infiniteStream(fc.nat(11)),
        async (rounds, randomNumbers) => {
          run += 1;
          const ids = await begin(petstore);
          petstore.proxy.faultFor = () => faults[randomNumbers.next().value];
          petstore.aws.faultFor = () => awsFaults[randomNumbers.next().value % 5];
          for (const [number, round] of rounds.entries()) {
            const responses = await Promise.all(
              round.map((command, index) => {
                const headers = { 'Idempotency-Key': `key-${run}-${number}-${index}` };
                return retry(() => perform(command, ids, petstore, headers));
              }),
            );
            for (const [index, response] of responses.entries()) remember(round[index]!, ids, response);
          }
          petstore.proxy.faultFor = () => undefined;
          petstore.aws.faultFor = () => undefined;
          await expectComplete(await allPublished(petstore.staff, listener), petstore.staff);
        },
      ),
      { numRuns: modelRuns(2) },
    );
    expectSameEachTime(listener.events);
    expectCommitted(listener.events);
  });

  it('are complete when the bus was unavailable', async () => {
    petstore.aws.faultFor = () => 'error';
    const ids = await begin(petstore);
    for (const command of fc.sample(anyCommand, 40)) remember(command, ids, await perform(command, ids, petstore));
    petstore.aws.faultFor = () => undefined;
    await expectComplete(await allPublished(petstore.staff, listener), petstore.staff);
  });
});

describe('the published events of each type', () => {
  const erase = async (order: number) => {
    const client = connect(inject('endpoint'));
    const item = { TableName: petstore.tableName, Key: marshall({ pk: `ORDER#${order}`, sk: 'ORDER' }) };
    expect((await client.send(new GetItemCommand(item))).Item).toBeDefined();
    await client.send(new DeleteItemCommand(item));
    client.destroy();
  };

  it('have every type, order.deleted of an operator included, and rebuild the state', async () => {
    const { staff, shop } = petstore;
    const already = (await allPublished(staff, listener)).length;
    const { id: category } = await createCategory(staff);
    await staff('PUT', `/pets/categories/${category}`, { body: { name: 'Cats', description: 'They purr.' } });
    const pet = await createPet(staff, category);
    const { body: sold } = await staff('POST', '/store/orders', { body: { petId: pet.id, complete: true } });
    await erase(sold.id);
    await staff('PUT', `/store/inventory/${pet.id}`, { body: { quantity: 2 } });
    const { body: order } = await shop('POST', '/store/orders', { body: { petId: pet.id } });
    await staff('PATCH', `/store/orders/${order.id}`, { body: { shipDate: '2027-01-01T00:00:00Z' } });
    await shop('DELETE', `/store/orders/${order.id}`);
    await staff('DELETE', `/pets/${pet.id}`);
    await staff('DELETE', `/pets/categories/${category}`);
    const events = (await allPublished(staff, listener)).slice(already);
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(Object.keys(eventTypes).sort());
    expect(events.filter(({ subject }) => subject === `store/orders/${sold.id}`)).toMatchObject([
      { type: 'petstore.order.placed', data: sold },
      { type: 'petstore.order.completed', data: sold },
      { type: 'petstore.order.deleted', data: sold, clientid: 'staff' },
    ]);
    await expectComplete(listener.events, staff);
  });
});
