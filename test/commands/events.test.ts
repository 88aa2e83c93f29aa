import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { connect } from '../../cdk/local/engine/table.ts';
import { allPublished, apiState, begin, expectComplete, perform } from '../events/actions.ts';
import { type Listener, stateFrom, useListeners } from '../events/listener.ts';
import { anyCommand, remember } from '../reference/commands.ts';
import { type Fault, failEntries, startAwsProxy } from '../support/aws-proxy.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { startForwarder } from '../support/forwarder.ts';
import { usePetstore } from '../support/petstore.ts';
import { callQueue, messagesIn, outputsAt } from '../support/queue.ts';
import { runCommand } from '../support/run-command.ts';

const petstore = usePetstore({ publishesEvents: true });
const listen = useListeners(petstore);
let outputs: Record<string, string>;
const client = connect(inject('endpoint'));
const put = (Item: Record<string, AttributeValue>) =>
  client.send(new PutItemCommand({ TableName: petstore.tableName, Item }));
/** Proxies: `bus` of the event bus, and `front` of the local server, whose outputs name `bus`. */
const [bus, front] = await Promise.all([startAwsProxy(), startForwarder('')]);
afterAll(() => [client.destroy(), bus.stop(), front.stop()]);
beforeAll(async () => {
  outputs = await outputsAt(petstore.url);
  bus.target = outputs.EventsEndpoint!;
  const body = JSON.stringify({ ...outputs, EventsEndpoint: bus.url });
  front.hooks = { request: () => ({ status: 200, headers: {}, body }) };
  const { id } = await createCategory(petstore.staff);
  // More events than events:republish publishes at once.
  for (let number = 0; number < 50; number++) await createPet(petstore.staff, id);
  // No events are published for an idempotency record.
  await put(marshall({ pk: 'RECORD#1', sk: 'IDEMPOTENCY' }));
});

type FaultOf = (call: number) => Fault | undefined;
/** @param faultOf of each call to the bus; with it, attempts follow each other without a delay */
const command = async (name: string, args: readonly string[], faultOf?: FaultOf) => {
  let calls = 0;
  bus.faultFor = () => faultOf?.(calls++);
  if (faultOf) vi.spyOn(Math, 'random').mockReturnValue(0);
  const local = ['--local', front.url, ...args];
  return runCommand(`cdk/commands/events/${name}.ts`, local).finally(() => vi.restoreAllMocks());
};
const failing = (code: string, pattern = /./, message = 'injected'): Fault =>
  failEntries(({ Detail }) => (pattern.test(Detail) ? code : undefined), message);

const deadLettered = () => messagesIn(petstore.url, 'EventsDeadLetterQueueUrl');
/** @returns the exit code, the output, and how many messages are left */
const redrive = async (args: readonly string[], fault?: Fault) => {
  const { code, out } = await command('redrive', args, () => fault);
  return [code, out, (await deadLettered()).length];
};

it('events:redrive deletes a message when the bus accepted all its events', async () => {
  const { events } = await listen();
  const [fault, throttling] = ['MalformedDetail', 'ThrottlingException'].map(code =>
    failing(code, /created.*"Dead"/),
  );
  petstore.aws.faultFor = ({ operation }) => (operation === 'PutEvents' ? fault : undefined);
  const pet = await createPet(petstore.staff, undefined, { name: 'Dead' });
  await expect.poll(deadLettered).toHaveLength(1);
  petstore.aws.faultFor = () => undefined;
  const name = `1 PET#${pet.id} (The bus rejects it: MalformedDetail: injected)`;
  const types = 'petstore.pet.created, petstore.inventory.updated\n1 message:';
  expect(await redrive([])).toEqual([
    0,
    `${name}: would publish ${types} nothing was changed.\n`,
    1,
  ]);
  const rejected = (cause: string) => [
    1,
    expect.stringContaining(`${name}: the bus rejected it: ${cause}\n`),
    1,
  ];
  for (const each of [fault, throttling])
    expect(await redrive(['--yes'], each)).toEqual(rejected('injected'));
  expect(await redrive(['--yes'], failing('InternalFailure', /./, ''))).toEqual(
    rejected('InternalFailure'),
  );
  const unavailable = `${name}: the bus rejected it: InternalServerError (PutEvents at `;
  expect(await redrive(['--yes'], 'error')).toEqual([1, expect.stringContaining(unavailable), 1]);
  expect(await redrive(['--yes'])).toEqual([0, `${name}: published ${types} 1 done, 0 left.\n`, 0]);
  await expect.poll(() => stateFrom(events).get(`pets/${pet.id}`)).toEqual(pet);
});

const dragon = marshall({ pk: 'DRAGON#4', sk: 'DRAGON', id: 4, writeCount: 1 });
const record = { dynamodb: { Keys: dragon } };
const ofOtherTable = {
  ...record,
  eventSourceARN: 'arn:aws:dynamodb:eu-west-1:1:table/before/stream/2026-01-01',
};
it.each<[kind: string, line: string, left: 0 | 1, message: object | undefined]>([
  [
    'of Lambda',
    'a message of Lambda without images: the change is lost',
    0,
    { DDBStreamBatchInfo: {} },
  ],
  ['of another table', ': of another table, before', 0, { record: ofOtherTable }],
  [
    'without images',
    'DRAGON#4 (a b): without images, so the change is lost',
    0,
    { reason: 'a\n b', record },
  ],
  ['of another program', 'not a message of this service', 1, undefined],
  [
    'of no known kind',
    'DRAGON#4: still cannot be ',
    1,
    { record: { dynamodb: { Keys: dragon, NewImage: dragon } } },
  ],
])(
  'events:redrive deletes a message %s only with --delete-unpublishable, or never',
  async (_, line, left, message) => {
    const call = (operation: string, input: object) =>
      callQueue(outputs.EventsDeadLetterQueueUrl!, operation, input);
    await call('SendMessage', { MessageBody: JSON.stringify(message) ?? 'text' });
    const printed = (then: string) =>
      expect.stringContaining(left === 0 ? `${line}. ${then}` : line);
    expect(await redrive(['--yes'])).toEqual([1, printed('Publish the current state'), 1]);
    expect(await redrive(['--delete-unpublishable'])).toEqual([0, printed('Would be deleted'), 1]);
    expect(await redrive(['--delete-unpublishable', '--yes'])).toEqual([
      left,
      printed('Deleted'),
      left,
    ]);
    for (const { MessageId } of await deadLettered())
      await call('DeleteMessage', { ReceiptHandle: MessageId });
  },
);

/** From now on. */
const laterEvents = async () => {
  await allPublished(petstore.staff, await listen());
  return (await listen()).events;
};
/** After as many events as the command printed. @returns the state that they rebuild */
const stateAfter = async (events: Listener['events'], out: string) => {
  const [, published] = / (\d+) events published, \d failed\.$/m.exec(out) ?? [];
  await expect.poll(() => `${events.length}`).toBe(published);
  return stateFrom(events);
};

it('events:republish publishes every item to a failing bus, again with the same ids', async () => {
  const ids = await begin(petstore);
  for (const each of fc.sample(anyCommand, 40))
    remember(each, ids, await perform(each, ids, petstore));
  const events = await laterEvents();
  const { code, err } = await command('republish', []);
  const cost =
    / \((\d+) items [\s\S]*at most (\d+) events: \$0\.\d+; and .*\nNothing was published/;
  const [, items, most] = cost.exec(err)!;
  expect([code, Number(most)]).toEqual([0, 2 * Number(items)]);
  const throttling = failEntries((_, index) => (index === 0 ? 'ThrottlingException' : undefined));
  // The publisher makes four attempts, and in each the SDK makes three by default.
  const faultOf = (call: number) =>
    call < 15 ? 'error' : call >= 18 && call < 22 ? throttling : undefined;
  const first = await command('republish', ['--yes'], faultOf);
  expect([first.code, await stateAfter(events, first.out)]).toEqual([
    0,
    await apiState(petstore.staff),
  ]);
  const published = new Set(events.splice(0).map(({ id }) => id));
  await stateAfter(events, (await command('republish', ['--yes'])).out);
  expect(new Set(events.map(({ id }) => id))).toEqual(published);
});

it('events:republish is safe during writes', async () => {
  const listener = await listen();
  const ids = await begin(petstore);
  const republishing = command('republish', ['--yes']);
  for (const each of fc.sample(anyCommand, 40))
    remember(each, ids, await perform(each, ids, petstore));
  expect((await republishing).code).toBe(0);
  await expectComplete(await allPublished(petstore.staff, listener), petstore.staff);
});

it.each<[fault: string, end: string, faultOf: FaultOf]>([
  [
    'fails',
    '30. Run it again later: InternalServerError',
    call => (call < 3 ? undefined : 'error'),
  ],
  [
    'throttles all entries',
    '0. Run it again later: ThrottlingException',
    () => failing('ThrottlingException'),
  ],
])('events:republish exits with 2 when the bus %s for ever', async (_, end, faultOf) => {
  const { code, err } = await command('republish', ['--yes'], faultOf);
  expect([code, err]).toEqual([2, expect.stringContaining(` took no more events after ${end}`)]);
  expect(await command('republish', ['--yes'])).toMatchObject({ code: 0 });
});

it('events:republish exits with 1 after everything but what cannot be published', async () => {
  const { id } = await createCategory(petstore.staff, 'Rejected');
  await put(dragon);
  const events = await laterEvents();
  const { code, out } = await command('republish', ['--yes'], () =>
    failing('MalformedDetail', /"Rejected"/),
  );
  const known = await apiState(petstore.staff);
  known.delete(`pets/categories/${id}`);
  expect([code, await stateAfter(events, out)]).toEqual([1, known]);
  expect(out).toContain(
    'DRAGON#4: cannot be published: Items such as DRAGON#4, DRAGON have no events',
  );
  expect(out).toContain(`pets/categories/${id}: cannot be published: MalformedDetail: injected\n`);
});
