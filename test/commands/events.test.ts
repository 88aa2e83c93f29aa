import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { connect } from '../../cdk/local/engine/table.ts';
import { allPublished, apiState, begin, expectComplete, perform } from '../events/actions.ts';
import { stateFrom, useListeners } from '../events/listener.ts';
import { anyCommand, remember } from '../reference/commands.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';
import { passVisibilityTimeout } from '../webhooks/queue.ts';

const petstore = usePetstore({ publishesEvents: true });

const listen = useListeners(petstore);
afterAll(() => vi.restoreAllMocks());

const command = (name: string, ...args: string[]) => runInProcess(`cdk/commands/events/${name}.ts`, args);
const at = (url = petstore.url) => ['--local', url];

/** A call to the dead-letter queue. */
const queue = async (operation: string, input: object) => {
  const { EventsDeadLetterQueueUrl: url } = (await (await fetch(`${petstore.url}/local`)).json()) as Record<
    string,
    string
  >;
  const headers = { 'X-Amz-Target': `AmazonSQS.${operation}` };
  const body = JSON.stringify({ QueueUrl: url, ...input });
  return (await fetch(url!, { method: 'POST', headers, body })).json();
};
const messages = async (): Promise<{ Body: string; ReceiptHandle: string }[]> =>
  ((await queue('ReceiveMessage', { MaxNumberOfMessages: 10, VisibilityTimeout: 0 })) as { Messages: never[] })
    .Messages;

const dragon = { pk: 'DRAGON#4', sk: 'DRAGON', id: 4, writeCount: 1 };
/** Writes an item of an unknown kind without the API. */
const putDragon = async () => {
  const client = connect(inject('endpoint'));
  await client.send(new PutItemCommand({ TableName: petstore.tableName, Item: marshall(dragon) }));
  client.destroy();
};

/** The server as a command finds it, with another bus. @param respond returns an error or rejections, or undefined */
const startWithBus = async (respond: (body: string) => { status: number; body: object } | undefined) => {
  const description = (await (await fetch(`${petstore.url}/local`)).json()) as { EventsEndpoint: string };
  const server = createServer(async (request, response) => {
    const url = `http://${request.headers.host}`;
    if (request.url === '/local') return response.end(JSON.stringify({ ...description, EventsEndpoint: url }));
    const body = await text(request);
    const own = respond(body);
    if (own) return response.writeHead(own.status).end(JSON.stringify(own.body));
    const headers = { 'X-Amz-Target': 'AWSEvents.PutEvents' };
    const busResponse = await fetch(description.EventsEndpoint, { method: 'POST', headers, body });
    return response.end(await busResponse.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
};

const unavailable = {
  status: 503,
  body: { __type: 'ServiceUnavailableException', message: 'The service is unavailable.' },
};
/** A bus that rejects entries: all, or those that have the text. */
const startRejecting = (ErrorCode: string, text = '') =>
  startWithBus(body => {
    const Entries = JSON.parse(body).Entries.map((entry: object) =>
      JSON.stringify(entry).includes(text) ? { ErrorCode, ErrorMessage: 'injected' } : { EventId: 'accepted' },
    );
    return { status: 200, body: { FailedEntryCount: Entries.length, Entries } };
  });

describe('npm run events:redrive', () => {
  let listener: Awaited<ReturnType<typeof listen>>;
  let pet: { id: number };
  /** A record that the publisher dead-lettered. */
  let dead: { reason: string; record: { dynamodb: { Keys: object }; eventSourceARN: string } };
  const arn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/petstore-before/stream/2026-01-01T00:00:00.000';

  beforeAll(async () => {
    listener = await listen();
    const { staff } = petstore;
    petstore.aws.faultFor = ({ operation }) =>
      operation === 'PutEvents'
        ? { failEntries: ({ Detail }) => (/pet\.created/.test(Detail) ? 'MalformedDetail' : undefined) }
        : undefined;
    pet = await createPet(staff, (await createCategory(staff)).id);
    await allPublished(staff, listener);
    petstore.aws.faultFor = () => undefined;
    await vi.waitFor(async () => expect(await messages()).toHaveLength(1), 30_000);
    const [{ Body, ReceiptHandle }] = (await messages()) as [{ Body: string; ReceiptHandle: string }];
    dead = JSON.parse(Body);
    expect(dead.record.eventSourceARN).toContain(`:table/${petstore.tableName}/stream/`);
    await queue('DeleteMessage', { ReceiptHandle });
  });

  /** Redrives a queue with this message, and empties it. */
  const redriveOne = async (message: unknown, ...args: string[]) => {
    const MessageBody = typeof message === 'string' ? message : JSON.stringify(message);
    await queue('SendMessage', { MessageBody });
    const { code, out } = await command('redrive', ...args);
    passVisibilityTimeout();
    const left = await messages();
    for (const { ReceiptHandle } of left) await queue('DeleteMessage', { ReceiptHandle });
    return { code, out, isLeft: left.length > 0 };
  };
  const outcome = (code: number, out: string, isLeft: boolean) => ({ code, out: expect.stringContaining(out), isLeft });

  it('prints what it would publish, and publishes it with --yes', async () => {
    const name = `PET#${pet.id} (The bus rejects it: MalformedDetail: injected)`;
    const types = 'petstore.pet.created, petstore.inventory.updated';
    expect(await redriveOne(dead, ...at())).toEqual(
      outcome(0, `1 ${name}: would publish ${types}\n1 messages: not`, true),
    );
    const { events } = listener;
    expect(events.filter(({ type }) => type === 'petstore.pet.created')).toEqual([]);
    expect(await redriveOne(dead, ...at(), '--yes')).toEqual(outcome(0, `1 ${name}: published ${types}\n`, false));
    await expect.poll(() => events.find(({ type }) => type === 'petstore.pet.created')?.data).toEqual(pet);
  });

  it.each<[kind: string, message: () => unknown, line: string]>([
    ['of Lambda', () => ({ DDBStreamBatchInfo: { shardId: 'shardId-1' } }), 'a message of Lambda without images'],
    [
      'of another table',
      () => ({ ...dead, record: { ...dead.record, eventSourceARN: arn } }),
      'of another table, petstore-before',
    ],
    [
      'without images',
      () => ({ reason: 'two\n  lines', record: { ...dead.record, dynamodb: { Keys: dead.record.dynamodb.Keys } } }),
      '(two lines): without images, so the change is lost',
    ],
  ])('leaves a message %s, and deletes it with --delete-unpublishable and --yes', async (_, message, line) => {
    expect(await redriveOne(message(), ...at(), '--yes')).toEqual(outcome(1, line, true));
    expect(await redriveOne(message(), ...at(), '--delete-unpublishable')).toEqual(outcome(0, line, true));
    expect(await redriveOne(message(), ...at(), '--delete-unpublishable', '--yes')).toEqual(outcome(0, line, false));
  });

  it.each([
    ['of others', 'not a record', 'not a message of this service'],
    [
      'that this version cannot map',
      { reason: 'old', record: { dynamodb: { Keys: marshall(dragon), NewImage: marshall(dragon) } } },
      'DRAGON#4: still cannot be published: Items such as DRAGON#4, DRAGON have no events',
    ],
  ])('leaves a message %s', async (_, message, line) => {
    const args = [...at(), '--delete-unpublishable', '--yes'];
    expect(await redriveOne(message, ...args)).toEqual(outcome(1, line, true));
  });

  it.each(['MalformedDetail', 'ThrottlingException'])(
    'leaves a change of which the bus takes one event and rejects the other with %s',
    async ErrorCode => {
      const server = await startRejecting(ErrorCode, 'petstore.pet.created');
      expect(await redriveOne(dead, ...at(server.url), '--yes')).toEqual(
        outcome(1, 'the bus rejected it: injected', true),
      );
      server.stop();
    },
  );
});

describe('npm run events:republish', () => {
  it('publishes the current state of every item, with the same ids each time', async () => {
    const ids = await begin(petstore);
    for (const each of fc.sample(anyCommand, 60)) remember(each, ids, await perform(each, ids, petstore));
    // An idempotency record has no events.
    const key = { headers: { 'Idempotency-Key': 'republish' }, body: { name: 'Fish' } };
    await petstore.staff('POST', '/pets/categories', key);
    await allPublished(petstore.staff, await listen());

    const late = await listen();
    const { code, output } = await command('republish', ...at());
    expect([code, output]).toEqual([0, expect.stringMatching(/at most \d+ events: \$0\.\d+.*\nNothing was published/)]);
    const known = await apiState(petstore.staff);
    // An item that cannot be published does not stop the others.
    await putDragon();
    const first = await command('republish', ...at(), '--yes');
    expect(first.output).toMatch(/DRAGON#4: cannot be published: .*\n.*items: \d+ events published, 1 failed\./s);
    expect(first.code).toBe(1);
    await expect.poll(() => stateFrom(late.events)).toEqual(known);
    const firstIds = late.events.map(({ id }) => id);

    await command('republish', ...at(), '--yes');
    const again = () => new Set(late.events.slice(firstIds.length).map(({ id }) => id));
    await expect.poll(again).toEqual(new Set(firstIds));
  });

  it('prints events that the bus rejects, and exits with 1', async () => {
    const { id } = await createCategory(petstore.staff);
    const server = await startRejecting('MalformedDetail');
    const { code, out } = await command('republish', ...at(server.url), '--yes');
    server.stop();
    expect(out).toContain(`pets/categories/${id}: cannot be published: MalformedDetail: injected\n`);
    expect([code, out]).toEqual([1, expect.stringMatching(/^\d+ items: 0 events published, [1-9]\d* failed\.$/m)]);
  });

  it('is safe during writes: a receiver that applies all events has the state of the API', async () => {
    const listener = await listen();
    const ids = await begin(petstore);
    const republishing = command('republish', ...at(), '--yes');
    for (const each of fc.sample(anyCommand, 60)) remember(each, ids, await perform(each, ids, petstore));
    await republishing;
    await expectComplete(await allPublished(petstore.staff, listener), petstore.staff);
  });

  it('publishes each event once to a bus that fails, and that throttles entries, and then takes them', async () => {
    const { staff } = petstore;
    const { id } = await createCategory(staff);
    for (let number = 0; number < 60; number++) await createPet(staff, id);
    await allPublished(staff, await listen());
    const late = await listen();
    let calls = 0;
    const server = await startWithBus(() => (++calls % 4 === 2 ? unavailable : undefined));
    // Of each call the bus throttles the last entry, once in all four attempts of the publisher.
    const throttled = new Map<string, number>();
    petstore.aws.faultFor = ({ operation }) =>
      operation === 'PutEvents'
        ? {
            failEntries: ({ Detail }) => {
              const times = (throttled.get(Detail) ?? 0) + 1;
              throttled.set(Detail, times);
              return Detail.includes('inventory') && times <= 4 ? 'ThrottlingException' : undefined;
            },
          }
        : undefined;
    const { code, output } = await command('republish', ...at(server.url), '--yes');
    petstore.aws.faultFor = () => undefined;
    server.stop();
    expect([code, output]).toEqual([1, expect.stringContaining(' events published, 1 failed.')]);
    await expect.poll(() => stateFrom(late.events)).toEqual(await apiState(staff));
    const ids = late.events.map(({ id }) => id);
    expect([new Set(ids).size, output]).toEqual([
      ids.length,
      expect.stringContaining(` ${ids.length} events published`),
    ]);
  });

  it('fails when the bus takes nothing, and says that you can run it again', async () => {
    const server = await startRejecting('ThrottlingException');
    const { code, output } = await command('republish', ...at(server.url), '--yes');
    server.stop();
    expect([code, output]).toEqual([
      2,
      expect.stringContaining('The bus took no more events after 0. Run it again later'),
    ]);
  });
});
