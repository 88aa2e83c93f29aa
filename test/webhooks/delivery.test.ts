import { afterAll, describe, expect, it } from 'vitest';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { stateFrom } from '../events/listener.ts';
import { stockedPet } from '../support/fixtures.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { signToken } from '../support/sign-token.ts';
import { messagesIn } from './queue.ts';
import { startReceiver } from './receiver.ts';

const [all, strict, silent, shopOwn] = await Promise.all([
  startReceiver(),
  startReceiver(() => 400),
  startReceiver(() => 'never'),
  startReceiver(),
]);
afterAll(() => {
  for (const { stop } of [all, strict, silent, shopOwn]) stop();
});

const everything = { types: ['petstore.*'], secret: 'petstore/partner', rate: 300 };
const assembly = await synthesizeShared({
  stage: 'local',
  settings: {
    webhooks: {
      all: { ...everything, url: all.url },
      strict: { ...everything, url: strict.url, types: ['petstore.category.deleted'] },
      silent: { ...everything, url: silent.url, types: ['petstore.category.created'] },
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

const deadLetters = async () =>
  (await messagesIn(petstore.url, 'WebhooksDeadLetterQueueUrl')).map(({ Body, MessageAttributes = {} }) => ({
    ...JSON.parse(Body),
    because: Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]),
    ),
  }));

describe('a webhook', () => {
  it('of one client is sent the orders that users placed through it', async () => {
    const token = await signToken(petstore.tokenKey, { user: '3b0c1f6e-0000-4000-8000-00000000000a', client: 'shop' });
    const { id: petId } = await stockedPet(petstore.staff, 1);
    const { body } = await petstore.withToken(token)('POST', '/store/orders', { body: { petId } });
    await expect.poll(() => has(shopOwn.events, `store/orders/${body.id}`, 'order.placed')).toBe(true);
  });

  it('gets every event, with its secret, as a CloudEvent; they rebuild the state that the API returns', async () => {
    const { pet, own, others } = await trade();
    await expect.poll(() => has(all.events, `store/orders/${others}`, 'order.cancelled')).toBe(true);
    await expect.poll(() => has(all.events, `store/orders/${own}`, 'order.completed')).toBe(true);
    await expect.poll(() => stateFrom(all.events).get(`store/inventory/${pet}`)).toMatchObject({ quantity: 3 });
    for (const { method, headers } of all.requests)
      expect([method, headers]).toEqual([
        'POST',
        expect.objectContaining({
          ...{ 'x-webhook-secret': 'local', 'content-type': 'application/cloudevents+json; charset=UTF-8' },
          ...{ 'user-agent': 'Amazon/EventBridge/ApiDestinations', connection: 'close' },
        }),
      ]);
    const state = [...stateFrom(all.events)];
    expect(state.length).toBeGreaterThan(3);
    for (const [subject, data] of state) {
      const { status, body } = await petstore.staff('GET', `/${subject}`);
      expect([subject, status, body]).toEqual([subject, 200, data]);
    }
    expect((await petstore.staff('GET', `/store/orders/${others}`)).status).toBe(404);
  });

  it('of a shop is sent what happens to its own orders, and nothing else', async () => {
    const before = shopOwn.events.length;
    const { own, others } = await trade();
    // Published after all events that the client must not get.
    const { own: last } = await trade();
    await expect.poll(() => has(shopOwn.events, `store/orders/${last}`, 'order.completed')).toBe(true);
    await expect.poll(() => has(all.events, `store/orders/${others}`, 'order.cancelled')).toBe(true);
    const heard = shopOwn.events.slice(before);
    expect(new Set(heard.map(({ subject }) => subject))).toEqual(
      new Set([`store/orders/${own}`, `store/orders/${last}`]),
    );
    expect(new Set(heard.map(({ clientid }) => clientid))).toEqual(new Set(['shop']));
  });

  it('that answers 503 for a while, and asks to wait, is sent everything later', async () => {
    all.answer = () => ({ status: 503, retryAfter: '1' });
    const ids = [await newCategory('Later'), await newCategory('Later still')];
    const tries = () => all.requests.filter(({ event }) => event.subject === `pets/categories/${ids[1]}`).length;
    await expect.poll(tries).toBeGreaterThan(1);
    expect(has(all.events, `pets/categories/${ids[1]}`, 'category.created')).toBe(false);
    all.answer = () => 204;
    for (const id of ids)
      await expect.poll(() => has(all.events, `pets/categories/${id}`, 'category.created')).toBe(true);
    await expect.poll(() => petstore.logs.join('')).toContain('succeed again.');
  });

  it('that answers 400 is not sent the same again; the event is kept, with the cause', async () => {
    const id = await newCategory('Refused');
    await petstore.staff('DELETE', `/pets/categories/${id}`);
    const letters = async () =>
      (await deadLetters()).filter(({ detail }) => detail.subject === `pets/categories/${id}`);
    await expect.poll(async () => (await letters()).length).toBe(1);
    const [{ because, ...event }] = (await letters()) as [{ because: object; detail: CloudEvent }];
    expect(event).toMatchObject({ source: 'petstore', 'detail-type': 'petstore.category.deleted' });
    expect(event.detail).toEqual(strict.requests.at(-1)!.event);
    expect(because).toEqual({
      RULE_ARN: expect.stringMatching(
        /^arn:aws:events:us-east-1:000000000000:rule\/EventsBus\w+\/WebhooksstrictRule\w+$/,
      ),
      TARGET_ARN: expect.any(String),
      ...{ ERROR_CODE: 'SDK_CLIENT_ERROR', ERROR_MESSAGE: 'The receiver responded with 400.', RETRY_ATTEMPTS: '0' },
    });
  });

  it('that never answers costs nobody else anything', async () => {
    const id = await newCategory('Unanswered');
    const isOfIt = ({ event }: (typeof silent.requests)[number]) => event.subject === `pets/categories/${id}`;
    await expect.poll(() => silent.requests.some(isOfIt)).toBe(true);
    await expect.poll(() => has(all.events, `pets/categories/${id}`, 'category.created')).toBe(true);
    expect(silent.events).toEqual([]);
    expect(petstore.logs.join('')).not.toContain('petstore/partner');
    // All tests before went by since they answered.
    expect(strict.requests.length).toBe(1);
    expect(new Set(shopOwn.events.map(({ clientid }) => clientid))).toEqual(new Set(['shop']));
  });
});
