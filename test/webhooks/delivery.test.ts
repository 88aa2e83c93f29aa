import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { resourcesOf } from '../../cdk/build/template.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { stateFrom } from '../events/listener.ts';
import { stockedPet } from '../support/fixtures.ts';
import { grantsOf } from '../support/permissions.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { signToken } from '../support/sign-token.ts';
import { callQueue, messagesIn, outputsAt, passTime } from './queue.ts';
import { isVerified, startReceiver } from './receiver.ts';

const [all, silent, shopOwn] = await Promise.all([startReceiver(), startReceiver(() => 'never'), startReceiver()]);
afterEach(() => vi.restoreAllMocks());
afterAll(() => {
  for (const { stop } of [all, silent, shopOwn]) stop();
});

const everything = { types: ['petstore.*'], secret: 'petstore/partner', concurrency: 10 };
const assembly = await synthesizeShared({
  stage: 'local',
  settings: {
    webhooks: {
      all: { ...everything, url: all.url },
      silent: { ...everything, url: silent.url, types: ['petstore.category.created'], concurrency: 2 },
      shop: { ...everything, url: shopOwn.url, client: 'shop' },
    },
  },
});

const petstore = usePetstore({ publishesEvents: true, assembly });

const newCategory = async (name: string): Promise<number> =>
  (await petstore.staff('POST', '/pets/categories', { body: { name } })).body.id;

/** A pet with stock, an order of it by either shop, one of them completed, the other cancelled. */
const trade = async () => {
  const { staff, shop, rival } = petstore;
  const { body: pet } = await staff('POST', '/pets', { body: { name: 'Tom', categoryId: await newCategory('Cats') } });
  await staff('PUT', `/store/inventory/${pet.id}`, { body: { quantity: 5 } });
  const body = { petId: pet.id, quantity: 2 };
  const [own, others] = [await shop('POST', '/store/orders', { body }), await rival('POST', '/store/orders', { body })];
  await staff('PATCH', `/store/orders/${own.body.id}`, { body: { complete: true } });
  await rival('DELETE', `/store/orders/${others.body.id}`);
  return { pet: pet.id, own: own.body.id, others: others.body.id } as Record<'pet' | 'own' | 'others', number>;
};

const has = (events: readonly CloudEvent[], subject: string, type: string) =>
  events.some(event => event.subject === subject && event.type === `petstore.${type}`);

const logged = () =>
  petstore.senderLogs
    .join('')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line).message);

describe('a webhook', () => {
  it('of one client receives the orders that users placed through it', async () => {
    const token = await signToken(petstore.tokenKey, { user: '3b0c1f6e-0000-4000-8000-00000000000a', client: 'shop' });
    const { id: petId } = await stockedPet(petstore.staff, 1);
    const { body } = await petstore.withToken(token)('POST', '/store/orders', { body: { petId } });
    await expect.poll(() => has(shopOwn.events, `store/orders/${body.id}`, 'order.placed')).toBe(true);
  });

  it('receives every event, signed, and the events rebuild the state that the API returns', async () => {
    const { pet, own, others } = await trade();
    await expect.poll(() => has(all.events, `store/orders/${others}`, 'order.cancelled')).toBe(true);
    await expect.poll(() => has(all.events, `store/orders/${own}`, 'order.completed')).toBe(true);
    await expect.poll(() => stateFrom(all.events).get(`store/inventory/${pet}`)).toMatchObject({ quantity: 3 });
    for (const request of all.requests) {
      expect(isVerified(request)).toBe(true);
      expect(request).toMatchObject({
        method: 'POST',
        headers: {
          'content-type': 'application/cloudevents+json; charset=UTF-8',
          'webhook-id': request.event.id,
        },
      });
    }
    const state = [...stateFrom(all.events)];
    expect(state.length).toBeGreaterThan(3);
    for (const [subject, data] of state) {
      const { status, body } = await petstore.staff('GET', `/${subject}`);
      expect([subject, status, body]).toEqual([subject, 200, data]);
    }
    expect((await petstore.staff('GET', `/store/orders/${others}`)).status).toBe(404);
  });

  it('of a shop receives the events of its own orders, and nothing else', async () => {
    const before = shopOwn.events.length;
    const { own, others } = await trade();
    // Published after all events that the client must not receive.
    const { own: last } = await trade();
    await expect.poll(() => has(shopOwn.events, `store/orders/${last}`, 'order.completed')).toBe(true);
    await expect.poll(() => has(all.events, `store/orders/${others}`, 'order.cancelled')).toBe(true);
    const received = shopOwn.events.slice(before);
    expect(new Set(received.map(({ subject }) => subject))).toEqual(
      new Set([`store/orders/${own}`, `store/orders/${last}`]),
    );
    expect(new Set(received.map(({ clientid }) => clientid))).toEqual(new Set(['shop']));
  });

  it('that responds with 503 for a while receives everything later', async () => {
    all.respond = () => ({ status: 503, headers: { 'Retry-After': '1' } });
    const ids = [await newCategory('Later'), await newCategory('Later still')];
    const attempts = () => all.requests.filter(({ event }) => event.subject === `pets/categories/${ids[1]}`).length;
    await expect
      .poll(() => {
        passTime(5);
        return attempts();
      })
      .toBeGreaterThan(1);
    expect(has(all.events, `pets/categories/${ids[1]}`, 'category.created')).toBe(false);
    all.respond = () => 204;
    // On a slow machine there were several attempts, after which the delay can be longer than a minute.
    const receivedLater = (id: number) => {
      passTime(60);
      return has(all.events, `pets/categories/${id}`, 'category.created');
    };
    for (const id of ids) await expect.poll(() => receivedLater(id)).toBe(true);
    expect(logged()).toContainEqual(
      expect.objectContaining({
        ...{ webhook: 'all', type: 'petstore.category.created', outcome: 'retried', status: 503, attempt: 1 },
      }),
    );
  });

  it('that never responds does not delay others', async () => {
    const id = await newCategory('Unanswered');
    const isOfIt = ({ event }: (typeof silent.requests)[number]) => event.subject === `pets/categories/${id}`;
    await expect.poll(() => has(all.events, `pets/categories/${id}`, 'category.created')).toBe(true);
    // It has two requests at a time; those of the tests before have timed out or still wait.
    await expect.poll(() => silent.requests.length).toBeGreaterThan(1);
    expect(silent.events).toEqual([]);
    expect(silent.requests.filter(isOfIt).length).toBeLessThan(2);
    expect(petstore.logs.join('') + petstore.senderLogs.join('')).not.toMatch(/whsec_/);
  });

  it('has an event dead-lettered after 24 hours of attempts, with the last status', async () => {
    all.respond = () => 500;
    const { WebhooksDeadLetterQueueUrl: deadLetterQueue } = await outputsAt(petstore.url);
    const [queue] = resourcesOf(assembly.template, 'AWS::SQS::Queue').find(([id]) =>
      id.startsWith('WebhooksallQueue'),
    )!;
    const body = JSON.stringify({ ...all.events[0], id: 'pets/1/0001-0000000000000001/old' });
    // Some days ago, on the clock of the queue.
    passTime(-300_000);
    await callQueue(deadLetterQueue!.replace(/\w+$/, queue), 'SendMessage', { MessageBody: body });
    passTime(300_000);
    await expect
      .poll(() => messagesIn(petstore.url, 'WebhooksDeadLetterQueueUrl'))
      .toMatchObject([
        {
          Body: body,
          MessageAttributes: {
            webhook: { StringValue: 'all' },
            queue: { StringValue: `arn:aws:sqs:us-east-1:000000000000:${queue}` },
            status: { StringValue: '500' },
            attempts: { StringValue: '1' },
          },
        },
      ]);
    all.respond = () => 204;
  });

  it('requires every permission that the sender has', () => {
    const [sender, granted] = [...grantsOf(assembly.template)].find(([id]) => id.startsWith('Webhooks'))!;
    const kindsOf = (permissions: ReadonlySet<string>) =>
      new Set([...permissions].map(text => text.replace(/Webhooks(all|silent|shop)Queue\w+/, 'of a webhook')));
    expect(kindsOf(petstore.used.get(sender)!)).toEqual(kindsOf(granted));
    expect(kindsOf(granted).size).toBe(6);
  });
});
