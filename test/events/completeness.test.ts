import { DeleteItemCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { connect } from '../../cdk/dev/table.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { eventTypes } from '../../lib/events/event-types.ts';
import { anyCommand, expectedOf, remember } from '../reference/commands.ts';
import { ReferenceStore } from '../reference/reference-store.ts';
import type { AwsFault } from '../support/aws-proxy.ts';
import type { Fault } from '../support/dynamodb-proxy.ts';
import { usePetstore } from '../support/petstore.ts';
import { createCategory, createPet } from '../support/shop.ts';
import { type Listener, listenTo } from './listener.ts';
import { allTold, begin, expectComplete, expectSameEachTime, insist, perform, viewOf } from './stories.ts';

const petstore = usePetstore({ tells: true });
/** Hears everything from the beginning. */
let listener: Listener;
beforeAll(async () => {
  listener = await listenTo(petstore.url);
});
afterAll(() => {
  // Before the end of the file, which is not complete unless every type was told in it.
  expect([...new Set(listener.events.map(({ type }) => type))].sort()).toEqual(Object.keys(eventTypes).sort());
  listener.stop();
});

const kinds: Record<string, readonly [created: string[], updated: string[], deleted: string[]]> = {
  pets: [['pet.created'], ['pet.updated'], ['pet.deleted']],
  'pets/categories': [['category.created'], ['category.updated'], ['category.deleted']],
  'store/inventory': [['inventory.changed'], ['inventory.changed'], ['inventory.deleted']],
  'store/orders': [['order.placed'], ['order.updated'], ['order.cancelled']],
};

/** What the contract's table says is told between two states of the store: type, subject, data. */
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

/** How many writes of each item were committed, as the engine answered them: subject of its events → count. */
const committedWrites = () => {
  const counts = new Map<string, number>();
  // A repeat under the same token writes nothing.
  const tokens = new Set<string>();
  const subjects = { PET: ['pets', 'store/inventory'], CATEGORY: ['pets/categories'], ORDER: ['store/orders'] };
  for (const { call, status } of petstore.proxy.answers) {
    if (call.operation !== 'TransactWriteItems' || status !== 200) continue;
    if (tokens.has(call.body.ClientRequestToken)) continue;
    tokens.add(call.body.ClientRequestToken);
    for (const write of call.body.TransactItems) {
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

/** Nothing is told of a write that was not committed: an item has no more changes than it had writes. */
const expectCommitted = (events: readonly CloudEvent[]) => {
  const counts = committedWrites();
  for (const { subject, sequence } of events) {
    const count = Number(sequence.split('-')[1]);
    expect(count, `${subject} was told a write that it never had`).toBeLessThanOrEqual(counts.get(subject) ?? 0);
  }
};

describe('what is told', () => {
  it('is, after any sequence of commands, exactly what changed, and folds into what the API answers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCommand, { minLength: 10, maxLength: 40, size: 'max' }), async commands => {
        await allTold(petstore.staff, listener);
        const already = listener.events.length;
        const ids = await begin(petstore);
        const toldOfBeginning = (await allTold(petstore.staff, listener)).length;
        const store = new ReferenceStore();
        store.createCategory(ids.categories[0]!, 'Cats');
        for (const id of ids.pets) store.createPet(id, 'Tom', ids.categories[0]!);
        store.setInventory(ids.pets.at(-1)!, 4);
        expect(toldOfBeginning - already).toBe(7);

        const expected: string[] = [];
        for (const command of commands) {
          const before = viewOf(store);
          const answer = await perform(command, ids, petstore);
          expectedOf(command, ids, store, answer);
          expected.push(...expectedBetween(before, viewOf(store)));
          remember(command, ids, answer);
        }
        const events = (await allTold(petstore.staff, listener)).slice(toldOfBeginning, -1);
        // Those of one transaction come in the order of its records, which is nobody's concern.
        expect(events.map(textOf).sort()).toEqual(expected.sort());
        await expectComplete(listener.events, petstore.staff);
      }),
      { numRuns: 8 },
    );
    expectSameEachTime(listener.events);
  });

  it('is complete when commands run side by side', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyCommand, { minLength: 2, maxLength: 12 }), { minLength: 2, maxLength: 6 }),
        async rounds => {
          const ids = await begin(petstore);
          for (const round of rounds) {
            const answers = await Promise.all(round.map(command => perform(command, ids, petstore)));
            for (const [index, answer] of answers.entries()) remember(round[index]!, ids, answer);
          }
          await expectComplete(await allTold(petstore.staff, listener), petstore.staff);
        },
      ),
      { numRuns: 8 },
    );
    expectCommitted(listener.events);
  });

  it('is complete, and of nothing that was not committed, while the table and the bus refuse, break and lose answers', async () => {
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
        async (rounds, luck) => {
          run += 1;
          const ids = await begin(petstore);
          petstore.proxy.faultFor = () => faults[luck.next().value];
          petstore.aws.faultFor = () => awsFaults[luck.next().value % 5];
          for (const [number, round] of rounds.entries()) {
            const answers = await Promise.all(
              round.map((command, index) => {
                const headers = { 'Idempotency-Key': `told-${run}-${number}-${index}` };
                return insist(() => perform(command, ids, petstore, headers));
              }),
            );
            for (const [index, answer] of answers.entries()) remember(round[index]!, ids, answer);
          }
          petstore.proxy.faultFor = () => undefined;
          petstore.aws.faultFor = () => undefined;
          await expectComplete(await allTold(petstore.staff, listener), petstore.staff);
        },
      ),
      { numRuns: 4 },
    );
    expectSameEachTime(listener.events);
    expectCommitted(listener.events);
  });

  it('is complete when the bus takes nothing for a while', async () => {
    petstore.aws.faultFor = () => 'error';
    const ids = await begin(petstore);
    for (const command of fc.sample(anyCommand, 40)) remember(command, ids, await perform(command, ids, petstore));
    petstore.aws.faultFor = () => undefined;
    await expectComplete(await allTold(petstore.staff, listener), petstore.staff);
  });
});

describe('an order that an operator erases', () => {
  it('is told as deleted when it is complete, and gone for who folds', async () => {
    const { id: category } = await createCategory(petstore.staff);
    const pet = await createPet(petstore.staff, category);
    const { body: order } = await petstore.staff('POST', '/store/orders', { body: { petId: pet.id, complete: true } });
    const client = connect(inject('endpoint'));
    const item = { TableName: petstore.tableName, Key: marshall({ pk: `ORDER#${order.id}`, sk: 'ORDER' }) };
    expect((await client.send(new GetItemCommand(item))).Item).toBeDefined();
    await client.send(new DeleteItemCommand(item));
    client.destroy();
    const events = await allTold(petstore.staff, listener);
    expect(events.filter(({ subject }) => subject === `store/orders/${order.id}`)).toMatchObject([
      { type: 'petstore.order.placed', data: order },
      { type: 'petstore.order.completed', data: order },
      { type: 'petstore.order.deleted', data: order, clientid: 'staff' },
    ]);
    await expectComplete(events, petstore.staff);
  });
});
