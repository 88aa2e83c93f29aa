import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, inject, it } from 'vitest';
import { connect } from '../../cdk/local/engine/table.ts';
import { storedCategory } from '../../lib/model/category-item.ts';
import { startPetstore, usePetstore } from '../support/petstore.ts';
import { messagesIn } from '../webhooks/queue.ts';
import { listenTo, useListeners, waitForEvents } from './listener.ts';

const petstore = usePetstore({ publishesEvents: true });

const listen = useListeners(petstore);

const newCategory = async (name = 'Cats') =>
  (await petstore.staff('POST', '/pets/categories', { body: { name } })).body.id as number;

const hasSubject = (subject: string) => (events: readonly { subject: string }[]) =>
  events.some(event => event.subject === subject);

/** The log lines of the publisher so far. */
const lines = () =>
  petstore.publisherLogs
    .join('')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));

const records = () => lines().reduce((sum, { message }) => sum + message.records, 0);

/** Waits until every batch has its log line, which is written shortly after its events are published. */
const allLogged = async () => {
  const published = () => lines().reduce((sum, { message }) => sum + message.published, 0);
  const sent = () => petstore.aws.calls.flatMap(({ body }) => body.Entries ?? []).length;
  await expect.poll(() => published() === sent()).toBe(true);
};

const putBehindTheApi = async (item: object) => {
  const client = connect(inject('endpoint'));
  await client.send(new PutItemCommand({ TableName: petstore.tableName, Item: marshall(item) }));
  client.destroy();
};

/** The messages in the queue, which stay there. */
const deadLetteredRecords = async (): Promise<{ reason: string; record: { dynamodb: object } }[]> => {
  return (await messagesIn(petstore.url, 'EventsDeadLetterQueueUrl')).map(({ Body }) => JSON.parse(Body));
};

describe('a change', () => {
  it('is published once, with the representation of its resource', async () => {
    const listener = await listen();
    const { staff, shop } = petstore;
    const cats = await newCategory();
    const { body: tom } = await staff('POST', '/pets', { body: { name: 'Tom', categoryId: cats } });
    await staff('PUT', `/store/inventory/${tom.id}`, { body: { quantity: 2 } });
    const { body: order } = await shop('POST', '/store/orders', {
      body: { petId: tom.id, quantity: 2 },
      headers: { 'Idempotency-Key': 'one' },
    });
    await staff('PATCH', `/store/orders/${order.id}`, { body: { shipDate: '2027-01-01T00:00:00Z' } });
    await shop('DELETE', `/store/orders/${order.id}`);
    await staff('DELETE', `/pets/${tom.id}`);
    await staff('DELETE', `/pets/categories/${cats}`);
    const events = await waitForEvents(listener, all => all.some(({ type }) => type === 'petstore.category.deleted'));
    expect(
      events.map(({ type, sequence, clientid = '-' }) => [type, Number(sequence.split('-')[1]), clientid]),
    ).toEqual([
      ['petstore.category.created', 1, '-'],
      ['petstore.pet.created', 1, '-'],
      ['petstore.inventory.updated', 1, '-'],
      ['petstore.inventory.updated', 2, '-'],
      ['petstore.order.placed', 1, 'shop'],
      ['petstore.pet.updated', 3, '-'],
      ['petstore.inventory.updated', 3, '-'],
      ['petstore.order.updated', 2, 'shop'],
      ['petstore.order.cancelled', 3, 'shop'],
      ['petstore.pet.updated', 4, '-'],
      ['petstore.inventory.updated', 4, '-'],
      ['petstore.pet.deleted', 5, '-'],
      ['petstore.inventory.deleted', 5, '-'],
      ['petstore.category.deleted', 4, '-'],
    ]);
    expect(events[4]!.data).toEqual(order);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it('is the detail of a bus entry, with the source petstore and its event type', async () => {
    const listener = await listen();
    const id = await newCategory('Dogs');
    await waitForEvents(listener, hasSubject(`pets/categories/${id}`));
    const entries = petstore.aws.calls.flatMap(({ body }) => body.Entries ?? []);
    const entry = entries.find(({ Detail }) => Detail.includes(`${id}`));
    expect([entry.Source, entry.DetailType]).toEqual(['petstore', 'petstore.category.created']);
    const [event] = listener.events;
    expect(JSON.parse(entry.Detail)).toEqual(event);
    expect(event!.source).toBe('/petstore/local');
    expect(Math.abs(Date.parse(event!.time) - Date.now())).toBeLessThan(60_000);
  });

  it('of an idempotency record has no event and does not invoke the publisher', async () => {
    const listener = await listen();
    await allLogged();
    const before = records();
    const headers = { 'Idempotency-Key': 'two' };
    const { body } = await petstore.staff('POST', '/pets/categories', { body: { name: 'Birds' }, headers });
    await newCategory('Last');
    await waitForEvents(listener, events => events.length === 2);
    await allLogged();
    expect(records()).toBe(before + 2);
    expect(listener.events[0]!.data).toEqual(body);
  });
});

describe('PutEvents', () => {
  it('is retried with only the entries that the bus rejected', async () => {
    const listener = await listen();
    let rejectedId: string | undefined;
    petstore.aws.faultFor = () =>
      rejectedId
        ? undefined
        : {
            failEntries: ({ Detail }) => {
              rejectedId ??= JSON.parse(Detail).id as string;
              return JSON.parse(Detail).id === rejectedId ? 'ThrottlingException' : undefined;
            },
          };
    const before = petstore.aws.calls.length;
    const cats = await newCategory();
    const { body: tom } = await petstore.staff('POST', '/pets', { body: { name: 'Tom', categoryId: cats } });
    await waitForEvents(listener, events =>
      [`pets/categories/${cats}`, `pets/${tom.id}`].every(subject => hasSubject(subject)(events)),
    );
    const details = petstore.aws.calls
      .slice(before)
      .flatMap(({ body }) => body.Entries ?? [])
      .map(({ Detail }) => JSON.parse(Detail).id);
    expect(details.filter(id => id === rejectedId).length).toBe(2);
    expect(details.length).toBe(4);
  });

  it('is retried until the bus accepts all events again', async () => {
    const listener = await listen();
    petstore.aws.faultFor = () => 'error';
    const ids: number[] = [];
    for (let count = 0; count < 12; count++) ids.push(await newCategory(`Kind ${count}`));
    await expect.poll(() => lines().filter(({ message }) => message.retryFrom).length).toBeGreaterThan(1);
    expect(listener.events).toEqual([]);
    petstore.aws.faultFor = () => undefined;
    await waitForEvents(listener, events => ids.every(id => hasSubject(`pets/categories/${id}`)(events)));
    expect(lines().findLast(({ message }) => message.retryFrom)).toMatchObject({
      level: 'WARN',
      message: { published: 0, error: { name: 'ServiceUnavailableException' } },
    });
  });

  it('publishes an identical event again when its response was lost', async () => {
    const listener = await listen();
    let cut = 0;
    petstore.aws.faultFor = () => (cut++ < 2 ? 'cutAfter' : undefined);
    const id = await newCategory('Twice');
    await waitForEvents(listener, events => events.length >= 3);
    expect(new Set(listener.events.map(event => JSON.stringify(event))).size).toBe(1);
    expect(listener.events[0]!.subject).toBe(`pets/categories/${id}`);
  });
});

describe('a change that cannot be published', () => {
  it('is dead-lettered in full, with the reason, while later changes are published', async () => {
    const listener = await listen();
    const dragon = { pk: 'DRAGON#1', sk: 'DRAGON', id: 1, name: 'Smaug', writeCount: 1 };
    await putBehindTheApi(dragon);
    const id = await newCategory('After the dragon');
    await waitForEvents(listener, hasSubject(`pets/categories/${id}`));
    await expect.poll(async () => (await deadLetteredRecords()).length).toBe(1);
    const [{ reason, record }] = (await deadLetteredRecords()) as [{ reason: string; record: { dynamodb: object } }];
    expect(reason).toBe('Items such as DRAGON#1, DRAGON have no events (lib/events/subjects.ts).');
    expect(record).toMatchObject({ eventName: 'INSERT', dynamodb: { NewImage: marshall(dragon) } });
    const deadLetteredLine = () => lines().find(({ message }) => message.deadLettered);
    await expect.poll(deadLetteredLine).toBeDefined();
    const line = deadLetteredLine();
    expect(line).toMatchObject({ level: 'ERROR', message: { deadLettered: [{ item: 'DRAGON#1', reason }] } });
    expect(JSON.stringify(line)).not.toContain('Smaug');
  });

  it.each([
    ['has characters that SQS does not accept, which are escaped', { name: '\uFFFE Smaug \uFFFF' }],
    ['is larger than a message, as its key without the images', { name: '\u0001'.repeat(200_000) }],
    // JSON escapes the first with six bytes; the second has two bytes and one character.
    ['has more bytes than a message, but fewer characters', { name: '\u0001'.repeat(160_000) + 'é'.repeat(60_000) }],
  ])('is dead-lettered although it %s', async (_, fields) => {
    const listener = await listen();
    const { length } = await deadLetteredRecords();
    const dragon = { pk: `DRAGON#${length}`, sk: 'DRAGON', id: length, writeCount: 1, ...fields };
    await putBehindTheApi(dragon);
    const id = await newCategory('After another dragon');
    await waitForEvents(listener, hasSubject(`pets/categories/${id}`));
    await expect.poll(async () => (await deadLetteredRecords()).length).toBe(length + 1);
    const { reason, record } = (await deadLetteredRecords()).at(-1)! as {
      reason: string;
      record: { dynamodb: object };
    };
    const isWhole = dragon.name.length < 1_000;
    expect(reason.includes('too large for a message')).toBe(!isWhole);
    const { pk, sk } = dragon;
    expect(record.dynamodb).toMatchObject({
      Keys: marshall({ pk, sk }),
      ...(isWhole && { NewImage: marshall(dragon) }),
    });
    expect('NewImage' in record.dynamodb).toBe(isWhole);
  });

  it('is dead-lettered when its event is too large for one call, while others are published', async () => {
    const listener = await listen();
    const { length } = await deadLetteredRecords();
    petstore.aws.faultFor = () => 'error';
    const before = await newCategory('Before');
    // The event contains the client id, whose length another writer does not limit.
    const order = {
      id: 5,
      petId: 7,
      quantity: 1,
      complete: false,
      ownerId: 'x',
      clientId: 'x'.repeat(300_000),
      version: 1,
      writeCount: 1,
    };
    await putBehindTheApi({ pk: 'ORDER#5', sk: 'ORDER', ...order });
    const after = await newCategory('After');
    petstore.aws.faultFor = () => undefined;
    await waitForEvents(listener, events => [before, after].every(id => hasSubject(`pets/categories/${id}`)(events)));
    await expect.poll(async () => (await deadLetteredRecords()).length).toBe(length + 1);
    expect((await deadLetteredRecords()).at(-1)!.reason).toMatch(
      /^The bus rejects it: ValidationException: Total size/,
    );
    expect(hasSubject('store/orders/5')(listener.events)).toBe(false);
  });

  it('is published in a call of its own when the bus rejects a call with a 413 without a body', async () => {
    const listener = await listen();
    const { length } = await deadLetteredRecords();
    petstore.aws.faultFor = () => 'error';
    const ids = [await newCategory('One'), await newCategory('Two'), await newCategory('Three')];
    petstore.aws.faultFor = ({ operation, body }) =>
      operation === 'PutEvents' && body.Entries.length > 1 ? 'tooLarge' : undefined;
    await waitForEvents(listener, events => ids.every(id => hasSubject(`pets/categories/${id}`)(events)));
    petstore.aws.faultFor = () => undefined;
    expect((await deadLetteredRecords()).length).toBe(length);
  });

  it('is dead-lettered when the bus rejects it permanently', async () => {
    const listener = await listen();
    const { length } = await deadLetteredRecords();
    petstore.aws.faultFor = ({ operation }) =>
      operation === 'PutEvents'
        ? { failEntries: ({ Detail }) => (Detail.includes('Refused') ? 'MalformedDetail' : undefined) }
        : undefined;
    await newCategory('Refused');
    const id = await newCategory('Taken');
    await waitForEvents(listener, hasSubject(`pets/categories/${id}`));
    await expect.poll(async () => (await deadLetteredRecords()).length).toBe(length + 1);
    expect((await deadLetteredRecords()).at(-1)!.reason).toBe('The bus rejects it: MalformedDetail: injected');
  });

  it('is retried until the dead-letter queue accepts it', async () => {
    const { length } = await deadLetteredRecords();
    const retriedBatches = () => lines().filter(({ message }) => message.retryFrom).length;
    const before = retriedBatches();
    petstore.aws.faultFor = ({ operation }) => (operation === 'SendMessage' ? 'error' : undefined);
    await putBehindTheApi({ pk: 'DRAGON#2', sk: 'DRAGON', id: 2, writeCount: 1 });
    await expect.poll(retriedBatches).toBeGreaterThan(before);
    petstore.aws.faultFor = () => undefined;
    await expect.poll(async () => (await deadLetteredRecords()).length).toBe(length + 1);
  });
});

describe('a change that violates an invariant', () => {
  const violationsOf = (item: string) =>
    lines().flatMap(({ level, message }) =>
      (message.violations ?? [])
        .filter((entry: { item: string }) => entry.item === item)
        .map(({ invariants }: { invariants: string[] }) => ({ level, invariants, count: message.violatingRecords })),
    );

  it('is published, and is logged as an error with invariants and key, without data', async () => {
    const listener = await listen();
    const item = { ...storedCategory({ id: 77, name: 'Smaug' }), petCount: -1, writeCount: 3 };
    await putBehindTheApi(item);
    await waitForEvents(listener, hasSubject('pets/categories/77'));
    const expected = { level: 'ERROR', invariants: ['numbers_in_bounds', 'write_count_increments'], count: 1 };
    await expect.poll(() => violationsOf('CATEGORY#77')).toEqual([expected]);
    expect(petstore.publisherLogs.join('')).not.toContain('Smaug');
    expect(listener.events[0]).toMatchObject({ type: 'petstore.category.created', data: { name: 'Smaug' } });
  });

  it('is not reported for an item in an existing index shard', async () => {
    const sharded = await startPetstore({ publishesEvents: true, environment: { INDEX_SHARDS: '4' } });
    try {
      const listener = await listenTo(sharded.url);
      for (let index = 0; index < 8; index++)
        await sharded.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
      await waitForEvents(listener, events => events.length === 8);
      listener.stop();
      const published = () => sharded.publisherLogs.join('').match(/"published":(\d+)/g)?.length ?? 0;
      await expect.poll(published).toBeGreaterThan(0);
      expect(sharded.publisherLogs.join('')).not.toContain('violations');
    } finally {
      await sharded.stop();
    }
  });

  it('is logged when it has no event, and when its event cannot be published', async () => {
    const item = { ...storedCategory({ id: 78, name: 'Cats' }), writeCount: 1 };
    await putBehindTheApi(item);
    await putBehindTheApi({ ...item, petCount: -1, writeCount: 2 });
    await expect.poll(() => violationsOf('CATEGORY#78')).toMatchObject([{ invariants: ['numbers_in_bounds'] }]);
    const { length } = await deadLetteredRecords();
    await putBehindTheApi({ ...item, name: 7, writeCount: 4 });
    await expect.poll(async () => (await deadLetteredRecords()).length).toBe(length + 1);
    await expect
      .poll(() => violationsOf('CATEGORY#78').at(-1))
      .toMatchObject({ invariants: ['attributes_have_types', 'write_count_increments', 'version_increments'] });
  });
});

describe('a record of another table', () => {
  it('is dead-lettered, and not published with the generation of this table', async () => {
    // As when a restored table is adopted, and the event source mapping of the old one still delivers.
    const adopted = await startPetstore({ publishesEvents: true, environment: { TABLE_NAME: 'restored' } });
    try {
      const client = connect(inject('endpoint'));
      const item = { ...storedCategory({ id: 1, name: 'Cats' }), writeCount: 1 };
      await client.send(new PutItemCommand({ TableName: adopted.tableName, Item: marshall(item) }));
      client.destroy();
      const messages = () => messagesIn(adopted.url, 'EventsDeadLetterQueueUrl');
      await expect.poll(async () => (await messages()).length).toBe(1);
      const { Body } = (await messages())[0]!;
      expect(JSON.parse(Body)).toMatchObject({
        reason: `It is a record of the table ${adopted.tableName}; the stage's table is restored.`,
        record: { dynamodb: { NewImage: marshall(item) } },
      });
      expect(adopted.aws.calls.filter(({ operation }) => operation === 'PutEvents')).toEqual([]);
    } finally {
      await adopted.stop();
    }
  });
});
