import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBRecord } from 'aws-lambda';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { storedCategory } from '../../../lib/model/category-item.ts';
import { newPetItem, storedPet } from '../../../lib/model/pet-item.ts';

interface Entry {
  readonly Detail: string;
}
/** The bus's response to an entry. */
let respond: (entry: Entry) => object;
const calls: Entry[][] = [];
const messages: { QueueUrl: string; MessageBody: string }[] = [];

/** EventBridge and SQS, over the AWS JSON protocol. */
const operations: Record<string, (input: never) => object> = {
  'AWSEvents.PutEvents': ({ Entries }: { Entries: Entry[] }) => {
    calls.push(Entries);
    return { Entries: Entries.map(respond) };
  },
  'AmazonSQS.SendMessage': (input: (typeof messages)[number]) => {
    messages.push(input);
    return { MD5OfMessageBody: createHash('md5').update(input.MessageBody).digest('hex') };
  },
};
const server = createServer(async (request, response) => {
  const input = await json(request);
  response.end(JSON.stringify(operations[String(request.headers['x-amz-target'])]!(input as never)));
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

Object.assign(process.env, {
  ...{ TABLE_NAME: 'pets', EVENT_SOURCE: '/petstore/test', EVENTS_GENERATION: '1', EVENT_BUS: 'the-bus' },
  ...{ DYNAMODB_ENDPOINT: 'http://127.0.0.1:1', EVENTS_ENDPOINT: url, DEAD_LETTER_QUEUE_URL: `${url}/0/dead` },
  ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
});
vi.resetModules();
const { publishChanges } = await import('../../../lib/events/publish-changes.ts');
const { handleStream } = await import('../../../lib/events/handle-stream.ts');
const { requestContext, withinRequest } = await import('../../../lib/request-context.ts');

const record = (id: number, item: object): DynamoDBRecord => ({
  eventSourceARN: 'arn:aws:dynamodb:us-east-1:000000000000:table/pets/stream/1',
  dynamodb: {
    SequenceNumber: `${id}`,
    ApproximateCreationDateTime: 1_800_000_000,
    NewImage: marshall(item) as never,
  },
});
const category = (id: number) => record(id, { ...storedCategory({ id, name: 'Cats' }), writeCount: 1 });
const dragon = (id: number) => record(id, { pk: `DRAGON#${id}`, sk: 'DRAGON', id, writeCount: 1 });

beforeEach(() => {
  calls.length = 0;
  messages.length = 0;
  respond = () => ({ EventId: 'one' });
  // No delay between attempts.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => vi.restoreAllMocks());

const idOf = ({ Detail }: Entry): number => JSON.parse(Detail).data.id;

it('an event is an entry with the name of the bus and the time of the event', async () => {
  await publishChanges([category(7)]);
  const [[entry]] = calls as [[Entry]];
  expect(entry).toEqual({
    EventBusName: 'the-bus',
    Source: 'petstore',
    DetailType: 'petstore.category.created',
    // 2027-01-15T08:00:00Z in seconds.
    Time: 1_800_000_000,
    Detail: expect.any(String),
  });
  expect(JSON.parse(entry.Detail)).toMatchObject({ time: '2027-01-15T08:00:00Z', data: { id: 7, name: 'Cats' } });
});

it('records before a failed call are dead-lettered in their order, and those after it are left to the retry', async () => {
  // Ten events in the first call, one in the second.
  const records = [dragon(100), ...[1, 2, 3, 4, 5].map(category), dragon(101), ...[6, 7, 8, 9, 10, 11].map(category)];
  records.push(dragon(102));
  respond = entry => {
    if (idOf(entry) === 3) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'never' };
    if (idOf(entry) === 11) return { ErrorCode: 'InternalFailure', ErrorMessage: 'later' };
    return { EventId: 'one' };
  };
  const result = await withinRequest(30_000, () => publishChanges(records));
  const noEvents = (id: number) => `Items such as DRAGON#${id}, DRAGON have no events (lib/events/subjects.ts).`;
  const deadLettered = [
    { reason: noEvents(100), record: records[0] },
    { reason: 'The bus rejects it: MalformedDetail: never', record: records[3] },
    { reason: noEvents(101), record: records[6] },
  ];
  expect(result).toEqual({
    ...{ published: 9, deadLettered, violating: [] },
    failed: { record: category(11), cause: { code: 'InternalFailure', message: 'later' } },
  });
  expect(messages).toEqual(
    deadLettered.map(message => ({
      QueueUrl: process.env.DEAD_LETTER_QUEUE_URL,
      MessageBody: JSON.stringify(message),
    })),
  );
});

it('a record with a rejected and a failed event is left to the retry, not dead-lettered', async () => {
  const pet = record(7, {
    ...storedPet(newPetItem(7, { name: 'Tom', categoryId: 3, status: 'available' })),
    writeCount: 1,
  });
  respond = ({ Detail }) =>
    JSON.parse(Detail).type === 'petstore.pet.created'
      ? { ErrorCode: 'MalformedDetail', ErrorMessage: 'never' }
      : { ErrorCode: 'InternalFailure', ErrorMessage: 'later' };
  const result = await withinRequest(30_000, () => publishChanges([pet]));
  expect([result.published, result.deadLettered, result.failed?.record]).toEqual([0, [], pet]);
  expect(messages).toEqual([]);
});

it('an entry without an id and without an error is retried, and then failed', async () => {
  respond = () => ({});
  expect(await publishChanges([category(1)])).toMatchObject({
    published: 0,
    failed: { cause: { code: 'NoResponse', message: '' } },
  });
  expect(calls.length).toBe(4);
});

it('the work on a batch ends a second before Lambda’s timeout', async () => {
  vi.spyOn(console, 'info').mockImplementation(() => undefined);
  vi.spyOn(Date, 'now').mockReturnValue(1_000_000);
  let deadline = 0;
  const handler = handleStream(async () => {
    ({ deadline } = requestContext());
    return { published: 0, deadLettered: [], violating: [] };
  });
  const context = { getRemainingTimeInMillis: () => 30_000 } as Context;
  expect(await handler({ Records: [] }, context)).toEqual({ batchItemFailures: [] });
  expect(deadline).toBe(1_029_000);
});
