import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { resourcesOf } from '../../cdk/synthesis/template.ts';
import { stateFrom } from '../events/listener.ts';
import { createCategory, stockedPet } from '../support/fixtures.ts';
import { grantsOf } from '../support/permissions.ts';
import { type Client, synthesizeShared, usePetstore } from '../support/petstore.ts';
import { callQueue, messagesIn, outputsAt, passTime } from '../support/queue.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const [all, silent, shopOwn] = await Promise.all([
  startReceiver(),
  startReceiver(() => 'never'),
  startReceiver(),
]);
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
      silent: {
        ...everything,
        url: silent.url,
        types: ['petstore.category.created'],
        concurrency: 2,
      },
      shop: { ...everything, url: shopOwn.url, client: 'shop' },
    },
  },
});

const petstore = usePetstore({ publishesEvents: true, assembly });

const newCategory = async (name: string) =>
  `pets/categories/${(await createCategory(petstore.staff, name)).id}`;

/** Both shops order a pet. One order is completed, the other cancelled. */
const trade = async () => {
  const { staff, shop, rival } = petstore;
  const { id: pet } = await stockedPet(staff, 5);
  const body = { petId: pet, quantity: 2 };
  const place = async (client: Client) =>
    `store/orders/${(await client('POST', '/store/orders', { body })).body.id}`;
  const [own, others] = [await place(shop), await place(rival)];
  await staff('PATCH', `/${own}`, { body: { complete: true } });
  await rival('DELETE', `/${others}`);
  return { pet, own, others };
};

const received = ({ events }: Receiver, subject: string, type: string) =>
  events.some(event => event.subject === subject && event.type === `petstore.${type}`);
const untilReceived = (...event: Parameters<typeof received>) =>
  expect.poll(() => received(...event)).toBe(true);

describe('a webhook', () => {
  it('receives every event, and the events rebuild the state that the API returns', async () => {
    const { pet, own, others } = await trade();
    await untilReceived(all, others, 'order.cancelled');
    await untilReceived(all, own, 'order.completed');
    await expect
      .poll(() => stateFrom(all.events).get(`store/inventory/${pet}`))
      .toMatchObject({ quantity: 3 });
    const state = [...stateFrom(all.events)];
    expect(state.length).toBeGreaterThan(3);
    for (const [subject, data] of state) {
      const { status, body } = await petstore.staff('GET', `/${subject}`);
      expect([subject, status, body]).toEqual([subject, 200, data]);
    }
    expect((await petstore.staff('GET', `/${others}`)).status).toBe(404);
  });

  it('of a shop receives the events of its own orders, and nothing else', async () => {
    const before = shopOwn.events.length;
    const { own, others } = await trade();
    // The events of this trade follow all that the client must not receive.
    const { own: last } = await trade();
    await untilReceived(shopOwn, last, 'order.completed');
    await untilReceived(all, others, 'order.cancelled');
    const events = shopOwn.events.slice(before);
    expect(new Set(events.map(({ subject }) => subject))).toEqual(new Set([own, last]));
    expect(new Set(events.map(({ clientid }) => clientid))).toEqual(new Set(['shop']));
  });

  it('that responds with 503 for a while receives everything later', async () => {
    all.respond = () => ({ status: 503, headers: { 'Retry-After': '1' } });
    const [first, second] = [await newCategory('Later'), await newCategory('Later still')];
    const attempts = () => all.requests.filter(({ event }) => event.subject === second).length;
    await expect
      .poll(() => {
        passTime(5);
        return attempts();
      })
      .toBeGreaterThan(1);
    expect(received(all, second, 'category.created')).toBe(false);
    all.respond = () => 204;
    // On a slow machine, several attempts can be a minute or more apart, so each poll advances the clock.
    const receivedLater = (subject: string) => {
      passTime(60);
      return received(all, subject, 'category.created');
    };
    for (const subject of [first, second])
      await expect.poll(() => receivedLater(subject)).toBe(true);
  });

  it('that never responds does not delay others', async () => {
    const category = await newCategory('Unanswered');
    await untilReceived(all, category, 'category.created');
    // The silent receiver has two requests at a time. Those of earlier tests have timed out, or still wait.
    await expect.poll(() => silent.requests.length).toBeGreaterThan(1);
    expect(silent.events).toEqual([]);
    const ofIt = silent.requests.filter(({ event }) => event.subject === category);
    expect(ofIt.length).toBeLessThan(2);
    expect(petstore.logs.join('') + petstore.senderLogs.join('')).not.toMatch(/whsec_/);
  });

  it('has an event dead-lettered after its last attempt, with the last status', async () => {
    all.respond = () => 500;
    const { WebhooksDeadLetterQueueUrl: deadLetterQueue } = await outputsAt(petstore.url);
    const queues = resourcesOf(assembly.template, 'AWS::SQS::Queue').map(([id]) => id);
    const queue = queues.find(id => id.startsWith('WebhooksallQueue'))!;
    const body = JSON.stringify({ ...all.events[0], id: 'pets/1/0001-0000000000000001/old' });
    // On the clock of the queue, the event was sent some days ago.
    passTime(-300_000);
    await callQueue(deadLetterQueue!.replace(/\w+$/, queue), 'SendMessage', { MessageBody: body });
    passTime(300_000);
    const status = { StringValue: '500' };
    await expect
      .poll(() => messagesIn(petstore.url, 'WebhooksDeadLetterQueueUrl'))
      .toMatchObject([{ Body: body, MessageAttributes: { status } }]);
    all.respond = () => 204;
  });

  it('requires every permission that the sender has', () => {
    const [sender, granted] = [...grantsOf(assembly.template)].find(([id]) =>
      id.startsWith('Webhooks'),
    )!;
    const ofWebhook = /Webhooks(all|silent|shop)Queue\w+/;
    const kindsOf = (permissions: Iterable<string>) =>
      new Set([...permissions].map(text => text.replace(ofWebhook, 'of a webhook')));
    expect(kindsOf(petstore.used.get(sender)!)).toEqual(kindsOf(granted.keys()));
    expect(kindsOf(granted.keys()).size).toBe(6);
  });
});
