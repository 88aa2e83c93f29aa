import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { afterAll, describe, expect, inject, it, vi } from 'vitest';
import { originOf } from '../../../cdk/commands/events/origin.ts';
import type { Stage } from '../../../cdk/commands/shared/stage.ts';
import { connect } from '../../../cdk/local/engine/table.ts';
import { allPublished, apiState, begin, expectComplete, perform } from '../../events/actions.ts';
import { stateFrom, useListeners, waitForEvents } from '../../events/listener.ts';
import { anyCommand, remember } from '../../reference/commands.ts';
import { createCategory, createPet } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/in-process.ts';
import { usePetstore } from '../../support/petstore.ts';
import { passVisibilityTimeout } from '../../webhooks/queue.ts';

const petstore = usePetstore({ publishesEvents: true });

const listen = useListeners(petstore);
afterAll(() => vi.restoreAllMocks());

const command = (name: string, ...args: string[]) => runInProcess(`cdk/commands/events/${name}.ts`, args);
const localServer = () => ['--local', petstore.url];

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

/** Writes an item of an unknown kind without the API. */
const putDragon = async () => {
  const client = connect(inject('endpoint'));
  const dragon = { pk: 'DRAGON#4', sk: 'DRAGON', id: 4, writeCount: 1 };
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
/** A bus that fails after a number of calls. */
const startCutOff = (calls: number) => {
  let left = calls;
  return startWithBus(() => (left-- <= 0 ? unavailable : undefined));
};

/** A bus that rejects every event. */
const startRejecting = () =>
  startWithBus(body => {
    const Entries = JSON.parse(body).Entries.map(() => ({ ErrorCode: 'MalformedDetail', ErrorMessage: 'injected' }));
    return { status: 200, body: { FailedEntryCount: Entries.length, Entries } };
  });

describe('npm run events:redrive', () => {
  it('publishes the records that it can, deletes only these, and prints the reason for each other', async () => {
    const listener = await listen();
    const { staff } = petstore;
    petstore.aws.faultFor = ({ operation }) =>
      operation === 'PutEvents'
        ? { failEntries: ({ Detail }) => (/pet\.created/.test(Detail) ? 'MalformedDetail' : undefined) }
        : undefined;
    const pet = await createPet(staff, (await createCategory(staff)).id);
    await allPublished(staff, listener);
    petstore.aws.faultFor = () => undefined;
    // A message that Lambda itself sends when it gives up a batch.
    await putDragon();
    await queue('SendMessage', { MessageBody: JSON.stringify({ DDBStreamBatchInfo: { shardId: 'shardId-1' } }) });
    await queue('SendMessage', { MessageBody: 'not a record' });
    await expect.poll(async () => (await messages()).length).toBe(4);
    // The order of the messages is not defined. Add a record of a former table.
    const bodies = (await messages()).map(({ Body }) => (Body.startsWith('{') ? JSON.parse(Body) : {}));
    const { reason, record } = bodies.find(body => body.record && !JSON.stringify(body).includes('DRAGON'));
    expect(record.eventSourceARN).toContain(`:table/${petstore.tableName}/stream/`);
    const eventSourceARN =
      'arn:aws:dynamodb:eu-west-1:123456789012:table/petstore-before/stream/2026-01-01T00:00:00.000';
    await queue('SendMessage', { MessageBody: JSON.stringify({ reason, record: { ...record, eventSourceARN } }) });
    const { Keys } = record.dynamodb;
    await queue('SendMessage', {
      MessageBody: JSON.stringify({ reason: 'two\n  lines', record: { ...record, dynamodb: { Keys } } }),
    });

    const dry = await command('redrive', ...localServer(), '--dry-run');
    expect(dry.code, dry.output).toBe(0);
    expect(dry.output).toContain('would publish petstore.pet.created, petstore.inventory.updated');
    expect(dry.output).toContain('6 records: nothing was changed.');
    expect((await messages()).length).toBe(6);
    expect(listener.events.filter(({ type }) => type === 'petstore.pet.created')).toEqual([]);

    const server = await startRejecting();
    const rejected = await command('redrive', '--local', server.url);
    server.stop();
    expect([rejected.code, rejected.output]).toEqual([1, expect.stringContaining('the bus rejected it: injected\n')]);
    expect(rejected.output).toContain('6 records: 0 published and deleted, 6 left.');
    passVisibilityTimeout();

    const real = await command('redrive', ...localServer());
    expect(real.code, real.output).toBe(1);
    expect(real.output).toContain(
      `PET#${pet.id} (The bus rejects it: MalformedDetail: injected): published petstore.pet.created`,
    );
    expect(real.output).toMatch(/DRAGON#4: still cannot be published: Items such as DRAGON#4, DRAGON have no events/);
    expect(real.output).toContain('a message of Lambda: it has no images');
    expect(real.output).toMatch(/^PET#\d+ \(two lines\): it has no images, so the change is lost\./m);
    expect(real.output).toMatch(/^PET#\d+ .*: of another table, petstore-before\. Publish the current state/m);
    expect(real.output).toContain('not a message of this service: it stays in the queue');
    expect(real.output).toContain('6 records: 1 published and deleted, 5 left.');
    const events = await waitForEvents(listener, all => all.some(({ type }) => type === 'petstore.pet.created'));
    expect(events.find(({ type }) => type === 'petstore.pet.created')!.data).toEqual(pet);

    passVisibilityTimeout();
    const rest = await messages();
    expect(rest.length).toBe(5);
    passVisibilityTimeout();

    const cleaned = await command('redrive', ...localServer(), '--delete-unpublishable');
    expect([cleaned.code, cleaned.output]).toEqual([1, expect.stringContaining('5 records: 3 deleted, 2 left.')]);
    expect(cleaned.output).toContain('it has no images, so the change is lost. Deleted');
    expect(cleaned.output).toContain('of another table, petstore-before. Deleted');
    passVisibilityTimeout();
    const unmapped = await messages();
    expect(unmapped.length).toBe(2);
    for (const { ReceiptHandle } of unmapped) await queue('DeleteMessage', { ReceiptHandle });
    const again = await command('redrive', ...localServer());
    expect([again.code, again.output]).toEqual([0, '0 records: 0 published and deleted, 0 left.\n']);
  });
});

describe('npm run events:republish', () => {
  it('publishes the current state of every item, with the same ids each time', async () => {
    const ids = await begin(petstore);
    for (const each of fc.sample(anyCommand, 60)) remember(each, ids, await perform(each, ids, petstore));
    // An idempotency record has no events.
    const key = { headers: { 'Idempotency-Key': 'republish' }, body: { name: 'Fish' } };
    await petstore.staff('POST', '/pets/categories', key);
    const early = await listen();
    await allPublished(petstore.staff, early);

    const late = await listen();
    const dry = await command('republish', ...localServer(), '--dry-run');
    expect([dry.code, dry.output]).toEqual([0, expect.stringMatching(/at most \d+ events .*: \$0\.\d+/)]);
    expect(dry.output).not.toContain('events published');
    const known = await apiState(petstore.staff);
    // An item that cannot be published does not stop the others.
    await putDragon();
    const first = await command('republish', ...localServer());
    expect(first.output).toMatch(/DRAGON#4: cannot be published: .*\n.*items: \d+ events published, 1 failed\./s);
    expect(first.code).toBe(1);
    await expect.poll(() => stateFrom(late.events)).toEqual(known);
    const firstIds = late.events.map(({ id }) => id);

    await command('republish', ...localServer());
    const again = () => new Set(late.events.slice(firstIds.length).map(({ id }) => id));
    await expect.poll(again).toEqual(new Set(firstIds));
  });

  it('retries for two minutes by default', async () => {
    // Four attempts, each with three of the SDK.
    let failing = 12;
    const server = await startWithBus(() => (failing-- > 0 ? unavailable : undefined));
    await createCategory(petstore.staff);
    const { err } = await command('republish', '--local', server.url);
    server.stop();
    expect(err).toMatch(/^The bus takes no events \(.*unavailable.*\)\. Retrying for 120 s\.$/m);
  });

  it('prints events that the bus rejects, its progress, and exits with 1', async () => {
    const client = connect(inject('endpoint'));
    for (let number = 0; number < 1_000; number++) {
      const Item = marshall({ pk: `IDEMPOTENCY#republish ${number}`, sk: 'IDEMPOTENCY' });
      await client.send(new PutItemCommand({ TableName: petstore.tableName, Item }));
    }
    client.destroy();
    const { id } = await createCategory(petstore.staff);
    const server = await startRejecting();
    const { code, out, err } = await command('republish', '--local', server.url);
    server.stop();
    expect(code).toBe(1);
    expect(out).toContain(`pets/categories/${id}: the bus rejected the event: MalformedDetail: injected\n`);
    expect(out).toMatch(/^\d+ items: 0 events published, [1-9]\d* failed\.$/m);
    expect(err).toMatch(/^1000 items read, 0 events published$/m);
  });

  it('is safe during writes: a receiver that applies all events has the state of the API', async () => {
    const listener = await listen();
    const ids = await begin(petstore);
    const republishing = command('republish', ...localServer());
    for (const each of fc.sample(anyCommand, 60)) remember(each, ids, await perform(each, ids, petstore));
    await republishing;
    await expectComplete(await allPublished(petstore.staff, listener), petstore.staff);
  });

  it('retries while the bus accepts no events, then fails; the next run publishes everything', async () => {
    const listener = await listen();
    const { staff } = petstore;
    const { id } = await createCategory(staff);
    for (let number = 0; number < 60; number++) await createPet(staff, id);
    await allPublished(staff, listener);

    // Eleven calls publish the first hundred events.
    const server = await startCutOff(11);
    const failed = await command('republish', '--local', server.url, '--timeout', '3');
    server.stop();
    expect(failed.output).toMatch(/^The bus takes no events \(.*unavailable.*\)\. Retrying for 3 s\.$/m);
    expect(failed.output).toMatch(/The bus took no more events after \d\d+: /);
    expect(failed.code).toBe(2);

    const late = await listen();
    const { output } = await command('republish', ...localServer());
    await expect.poll(() => stateFrom(late.events)).toEqual(await apiState(staff));
    const ids = new Set(late.events.map(({ id }) => id));
    expect(output, 'each event once').toContain(` items: ${ids.size} events published, `);
  });

  it('reports that the bus accepts no more events, and that you can run it again', async () => {
    const server = await startCutOff(0);
    const { code, output } = await command('republish', '--local', server.url, '--timeout', '1');
    server.stop();
    expect(code).toBe(2);
    expect(output).toMatch(/The bus took no more events after 0: .*unavailable.*\nRun it again later\./);
  });
});

it('publishes with the source and the generation of the deployed stage', () => {
  const stage = { name: 'prod', output: (name: string) => (name === 'EventsGeneration' ? '3' : name) } as Stage;
  expect(originOf(stage)).toEqual({ source: '/petstore/prod', generation: 3 });
});

it('npm run events:redrive accepts either --dry-run or --delete-unpublishable', async () => {
  expect(await command('redrive', ...localServer(), '--dry-run', '--delete-unpublishable')).toMatchObject({
    ...{ code: 2, out: '' },
    err: expect.stringMatching(/^--dry-run deletes nothing: leave --delete-unpublishable out\.\n/),
  });
});

describe.each(['redrive', 'republish'])('the command %s', name => {
  it('prints its usage when an argument is wrong', async () => {
    // An option without its dashes is an error.
    const slip = await command(name, 'dry-run');
    expect([slip.code, slip.output]).toEqual([
      2,
      expect.stringMatching(/Unexpected argument 'dry-run'[\s\S]*npm run events/),
    ]);
    const bare = await command(name);
    expect([bare.code, bare.output]).toEqual([
      2,
      expect.stringMatching(/^Which stage\? --stage NAME, or --local URL\n/),
    ]);
  });
});
