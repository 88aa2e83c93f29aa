import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { loadSigningKey } from '../../cdk/local/auth/signing-key.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { startServer } from '../../cdk/local/server.ts';
import { openState } from '../../cdk/local/state.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { eventTypes } from '../../lib/events/event-types.ts';
import type { Item } from '../../lib/model/table/calls.ts';
import { failEntries } from '../support/aws-proxy.ts';
import { createCategory } from '../support/fixtures.ts';
import { tokenOf } from '../support/http.ts';
import { categoryItem, orderItem } from '../support/items.ts';
import { newPet } from '../support/new-pet.ts';
import {
  clientOf,
  type Petstore,
  sharedAssembly,
  startPetstore,
  usePetstore,
} from '../support/petstore.ts';
import { messagesIn } from '../support/queue.ts';
import { useListeners, waitForEvents } from './listener.ts';

/** The publisher with stream, bus and dead-letter queue. publisher-faults.test.ts injects a fault at each call. */

const petstore = usePetstore({ publishesEvents: true, environment: { INDEX_SHARDS: '4' } });
const listen = useListeners(petstore);

const newCategory = async (name = 'Cats') => (await createCategory(petstore.staff, name)).id;

const hasSubject = (subject: string) => (events: readonly { subject: string }[]) =>
  events.some(event => event.subject === subject);

const lines = () =>
  petstore.publisherLogs
    .join('')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));

const entriesSent = ({ aws }: Petstore = petstore) =>
  aws.responses.flatMap(({ call }) => call.body.Entries ?? []);

/** The log line of a batch follows shortly after its events. */
const allLogged = () => {
  const published = () => lines().reduce((sum, { message }) => sum + message.published, 0);
  return expect.poll(() => published() === entriesSent().length).toBe(true);
};

const sendToTable = async (command: PutItemCommand | DeleteItemCommand) => {
  const client = connect(inject('endpoint'));
  await client.send(command as PutItemCommand);
  client.destroy();
};
const putBehindTheApi = (item: object, { tableName }: Petstore = petstore) =>
  sendToTable(new PutItemCommand({ TableName: tableName, Item: marshall(item) }));

interface DeadLetter {
  readonly reason: string;
  readonly record: { readonly dynamodb: { readonly NewImage?: object } };
}

/** Leaves the messages in the queue. */
const deadLetters = async ({ url }: Petstore = petstore): Promise<DeadLetter[]> =>
  (await messagesIn(url, 'EventsDeadLetterQueueUrl')).map(({ Body }) => JSON.parse(Body));

const nextDeadLetter = async (count: number): Promise<DeadLetter> => {
  await expect.poll(async () => (await deadLetters()).length).toBe(count + 1);
  return (await deadLetters()).at(-1)!;
};

const nounOf = (type: string) => type.split('.')[1];

describe('a change', () => {
  it('is published once, with the representation of its resource', async () => {
    const listener = await listen();
    const { staff, shop } = petstore;
    const cats = await newCategory();
    const { body: tom } = await staff('POST', '/pets', { body: { ...newPet, categoryId: cats } });
    await staff('PUT', `/store/inventory/${tom.id}`, { body: { quantity: 2 } });
    const request = { body: { petId: tom.id, quantity: 2 }, headers: { 'Idempotency-Key': 'one' } };
    const { body: order } = await shop('POST', '/store/orders', request);
    const shipped = { body: { shipDate: '2027-01-01T00:00:00Z' } };
    await staff('PATCH', `/store/orders/${order.id}`, shipped);
    await shop('DELETE', `/store/orders/${order.id}`);
    const sale = { body: { petId: tom.id, complete: true } };
    const { body: sold } = await staff('POST', '/store/orders', sale);
    // Directly in the table, as an operator may do.
    const Key = marshall({ pk: `ORDER#${sold.id}`, sk: 'ORDER' });
    await sendToTable(new DeleteItemCommand({ TableName: petstore.tableName, Key }));
    const described = { body: { name: 'Cats', description: 'They purr.' } };
    await staff('PUT', `/pets/categories/${cats}`, described);
    await staff('DELETE', `/pets/${tom.id}`);
    await staff('DELETE', `/pets/categories/${cats}`);
    const events = await waitForEvents(listener, all =>
      all.some(({ type }) => type === 'petstore.category.deleted'),
    );
    const textOf = ({ type, sequence, clientid = '' }: CloudEvent) =>
      `${type.replace('petstore.', '')} ${Number(sequence.split('-')[1])} ${clientid}`.trim();
    // The events of one request are in one row.
    const expected = [
      ['category.created 1'],
      ['pet.created 1', 'inventory.updated 1'],
      ['inventory.updated 2'],
      ['order.placed 1 shop', 'pet.updated 3', 'inventory.updated 3'],
      ['order.updated 2 shop'],
      ['order.cancelled 3 shop', 'pet.updated 4', 'inventory.updated 4'],
      ['order.placed 1 staff', 'order.completed 1 staff', 'inventory.updated 5'],
      ['order.deleted 2 staff'],
      ['category.updated 3'],
      ['pet.deleted 6', 'inventory.deleted 6'],
      ['category.deleted 5'],
    ];
    expect(events.map(textOf)).toEqual(expected.flat());
    // The random commands of model.test.ts publish every type of a resource that refers to no other.
    const types = new Set(events.map(({ type }) => type));
    const nouns = new Set(Array.from(types, nounOf));
    expect(types).toEqual(new Set(eventTypes.filter(type => nouns.has(nounOf(type)))));
    expect(events[4]!.data).toEqual(order);
    const ofSale = events.filter(({ subject }) => subject === `store/orders/${sold.id}`);
    expect(ofSale.map(({ data }) => data)).toEqual([sold, sold, sold]);

    await allLogged();
    expect(
      await deadLetters(),
      'the idempotency record has no event, so the publisher must not get it',
    ).toEqual([]);
    expect(
      petstore.publisherLogs.join(''),
      'violations, in one shard of four or another',
    ).not.toContain('violations');
    const [first] = entriesSent();
    expect([first.Source, first.DetailType]).toEqual(['petstore', 'petstore.category.created']);
    expect([JSON.parse(first.Detail), first.Time * 1000]).toEqual([
      events[0],
      Date.parse(events[0]!.time),
    ]);
    expect(events[0]!.source).toBe('/petstore/local');
    // DynamoDB Local rounds the time of a stream record down to the minute.
    expect(Math.abs(Date.parse(events[0]!.time) - Date.now())).toBeLessThan(120_000);
  });

  it('is published in a call of its own when the bus rejects a call with a 413 without a body', async () => {
    const listener = await listen();
    const { length } = await deadLetters();
    petstore.aws.faultFor = () => 'error';
    const ids = [await newCategory('One'), await newCategory('Two'), await newCategory('Three')];
    petstore.aws.faultFor = ({ operation, body }) =>
      operation === 'PutEvents' && body.Entries.length > 1
        ? () => ({ status: 413, body: undefined })
        : undefined;
    await waitForEvents(listener, events =>
      ids.every(id => hasSubject(`pets/categories/${id}`)(events)),
    );
    expect(await deadLetters()).toHaveLength(length);
  });
});

describe('a change that cannot be published', () => {
  const noEvents = /^Items such as DRAGON#\d+, DRAGON have no events \(lib\/model\/kinds\.ts\)\./;
  const tooLarge = / too large for a message/;
  const dragon = (id: number, name: string) => ({ pk: `DRAGON#${id}`, sk: 'DRAGON', id, name });
  // The event contains the client id. The API limits its length, but another program may write a longer one.
  const order = orderItem({ clientId: 'x'.repeat(300_000) });
  const refused = categoryItem({ id: 6, name: 'Refused' });
  // In JSON, the first character takes six bytes. The second takes two bytes, but is one character.
  const bytes = '\u0001'.repeat(160_000) + 'é'.repeat(60_000);

  const rejected = failEntries(({ Detail }) =>
    Detail.includes('Refused') ? 'MalformedDetail' : undefined,
  );

  it.each<[string, item: Item, ...reasons: RegExp[]]>([
    [
      'is of an unknown kind, with characters that SQS does not accept',
      dragon(2, '\uFFFE Smaug \uFFFF'),
      noEvents,
    ],
    ['has more bytes than a message, but fewer characters', dragon(4, bytes), noEvents, tooLarge],
    [
      'has an event that is too large for the bus',
      order,
      /^The bus rejects it: ValidationException: Total size/,
    ],
    [
      'has an event that the bus rejects permanently',
      refused,
      /^The bus rejects it: MalformedDetail: injected$/,
    ],
  ])(
    'is dead-lettered with the reason when it %s, while later changes are published',
    async (_, item, ...reasons) => {
      const listener = await listen();
      const { length } = await deadLetters();
      petstore.aws.faultFor = ({ operation }) =>
        operation === 'PutEvents' && item === refused ? rejected : undefined;
      await putBehindTheApi(item);
      const id = await newCategory('After it');
      await waitForEvents(listener, hasSubject(`pets/categories/${id}`));
      const { reason, record } = await nextDeadLetter(length);
      for (const expected of reasons) expect(reason).toMatch(expected);
      const Keys = marshall({ pk: item.pk, sk: item.sk });
      expect(record).toMatchObject({ eventName: 'INSERT', dynamodb: { Keys } });
      const image = reasons.includes(tooLarge) ? undefined : marshall(item);
      expect(record.dynamodb.NewImage).toEqual(image);
      expect(listener.events.map(({ subject }) => subject)).toEqual([`pets/categories/${id}`]);
      const logged = { item: item.pk, reason: expect.stringMatching(reasons[0]!) };
      const deadLettered = expect.arrayContaining([expect.objectContaining(logged)]);
      await expect
        .poll(() => lines().findLast(({ message }) => message.deadLettered?.length > 0))
        .toMatchObject({ level: 'ERROR', message: { deadLettered } });
      expect(petstore.publisherLogs.join('')).not.toContain('Smaug');
    },
  );

  it('is one of another table, which has another generation', async () => {
    // When a restored table is adopted, Lambda still delivers records of the former table for a while.
    const adopted = await startPetstore({
      publishesEvents: true,
      environment: { TABLE_NAME: 'restored' },
    });
    onTestFinished(adopted.stop);
    const item = categoryItem();
    await putBehindTheApi(item, adopted);
    await expect.poll(async () => (await deadLetters(adopted)).length).toBe(1);
    const reason = `It is a record of the table ${adopted.tableName}; the stage's table is restored.`;
    const record = { dynamodb: { NewImage: marshall(item) } };
    expect(await deadLetters(adopted)).toMatchObject([{ reason, record }]);
    expect(entriesSent(adopted)).toEqual([]);
  });
});

describe('a change that violates an invariant', () => {
  const violationsOf = (item: string) =>
    lines().flatMap(({ level, message }) =>
      (message.violations ?? [])
        .filter((entry: { item: string }) => entry.item === item)
        .map(({ invariants }: { invariants: string[] }) => ({
          level,
          invariants,
          count: message.violatingRecords,
        })),
    );

  it('is published, and is logged as an error with invariants and key, without data', async () => {
    const listener = await listen();
    await putBehindTheApi({ ...categoryItem({ id: 77, name: 'Smaug' }, 3), petCount: -1 });
    await waitForEvents(listener, hasSubject('pets/categories/77'));
    const invariants = ['numbers_in_bounds', 'write_count_increments'];
    const expected = { level: 'ERROR', invariants, count: 1 };
    await expect.poll(() => violationsOf('CATEGORY#77')).toEqual([expected]);
    expect(petstore.publisherLogs.join('')).not.toContain('Smaug');
    const published = { type: 'petstore.category.created', data: { name: 'Smaug' } };
    expect(listener.events[0]).toMatchObject(published);
  });

  it('is logged when it has no event, and when its event cannot be published', async () => {
    const item = categoryItem({ id: 78 });
    await putBehindTheApi(item);
    await putBehindTheApi({ ...item, petCount: -1, writeCount: 2 });
    await expect
      .poll(() => violationsOf('CATEGORY#78'))
      .toMatchObject([{ invariants: ['numbers_in_bounds'] }]);
    const { length } = await deadLetters();
    await putBehindTheApi({ ...item, name: 7, writeCount: 4 });
    await nextDeadLetter(length);
    const invariants = ['attributes_have_types', 'write_count_increments', 'version_increments'];
    await expect.poll(() => violationsOf('CATEGORY#78').at(-1)).toMatchObject({ invariants });
  });
});

it('a server publishes from the checkpoint of the server before it on', async () => {
  const stack = {
    assembly: sharedAssembly(),
    endpoint: inject('endpoint'),
    tableName: 'petstore-checkpoints',
  };
  const [state, signingKey] = [openState(), await loadSigningKey()];
  let [checkpoint, log] = [0, ''];
  const trimStream = (_table: string, _shard: string, last: string) => (checkpoint = Number(last));
  for (const _ of ['before', 'after']) {
    const before = checkpoint;
    const { url, stop } = await startServer({
      ...stack,
      state,
      signingKey,
      trimStream,
      log: text => (log += text),
    });
    await createCategory(clientOf(url, await tokenOf(url)));
    await expect.poll(() => checkpoint).toBeGreaterThan(before);
    await stop();
  }
  expect(log.match(/"published":\d+/g)).toEqual(['"published":1', '"published":1']);
});
