import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import { nextPageOf } from '../../cdk/openapi/petstore-client.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { type Command, Ids, remember, requestOf } from '../reference/commands.ts';
import type { ReferenceStore } from '../reference/reference-store.ts';
import type { ApiResponse, Client } from '../support/petstore.ts';
import { type Listener, stateFrom, waitForEvents } from './listener.ts';

/** The clients in these tests. */
export interface Callers {
  readonly staff: Client;
  readonly shop: Client;
  readonly rival: Client;
}

export const perform = (command: Command, ids: Ids, callers: Callers, headers: Record<string, string> = {}) => {
  const { actor, method, path, body } = requestOf(command, ids);
  return callers[actor](method, path, { headers, ...(body && { body }) });
};

/** Initial commands, so that short sequences reach interesting states. */
export const begin = async (callers: Callers): Promise<Ids> => {
  const ids = new Ids();
  for (const command of [
    { do: 'createCategory', name: 'Cats' },
    { do: 'createPet', category: 0 },
    { do: 'createPet', category: 0 },
    { do: 'setInventory', pet: 0, quantity: 4 },
  ] as Command[])
    remember(command, ids, await perform(command, ids, callers));
  return ids;
};

/** Retries after a 503 and after a lost response, until the outcome is known, as a careful client does. */
export const retry = async (send: () => Promise<ApiResponse>): Promise<ApiResponse> => {
  for (let attempts = 0; attempts < 40; attempts++) {
    const response = await send().catch(() => undefined);
    if (response && response.status !== 503) return response;
    await sleep(25);
  }
  throw new Error('never got through');
};

const lists = { pets: '/pets', categories: '/pets/categories', inventory: '/store/inventory', orders: '/store/orders' };

/** The resources that the API returns: subject of the events → representation. */
export const apiState = async (staff: Client): Promise<Map<string, unknown>> => {
  const all = new Map<string, unknown>();
  for (const path of Object.values(lists)) {
    let url: string | undefined = `${path}?limit=100`;
    while (url) {
      const { body, headers }: ApiResponse = await staff('GET', url);
      for (const thing of body) all.set(`${path.slice(1)}/${thing.petId && !thing.id ? thing.petId : thing.id}`, thing);
      url = nextPageOf(headers);
    }
  }
  return all;
};

/** The resources that the reference model returns, in the same form. */
export const viewOf = (store: ReferenceStore): Map<string, unknown> =>
  new Map<string, unknown>([
    ...[...store.categories.keys()].map(id => [`pets/categories/${id}`, store.categoryView(id)] as const),
    ...[...store.pets.keys()].map(id => [`pets/${id}`, store.petView(id)] as const),
    ...[...store.pets.keys()].map(id => [`store/inventory/${id}`, store.inventoryView(id)] as const),
    ...[...store.orders.keys()].map(id => [`store/orders/${id}`, store.orderView(id)] as const),
  ]);

/** The same events in another order, some of them several times. */
const inAnotherOrder = (events: readonly CloudEvent[]): CloudEvent[] => {
  const [shuffled] = fc.sample(
    fc.tuple(
      fc.shuffledSubarray([...events], { minLength: events.length }),
      fc.shuffledSubarray([...events]),
      fc.shuffledSubarray([...events]),
    ),
    1,
  );
  return fc.sample(fc.shuffledSubarray(shuffled!.flat(), { minLength: shuffled!.flat().length }), 1)[0]!;
};

/** Waits until all commits so far are published: records come in the order of the commits. */
export const allPublished = async (staff: Client, listener: Listener): Promise<readonly CloudEvent[]> => {
  const { body } = await retry(() => staff('POST', '/pets/categories', { body: { name: 'The end' } }));
  return waitForEvents(listener, events => events.some(({ subject }) => subject === `pets/categories/${body.id}`));
};

/** The state after the events, applied in any order, equals the resources that the API returns. */
export const expectComplete = async (events: readonly CloudEvent[], staff: Client) => {
  const current = await apiState(staff);
  for (let arrival = 0; arrival < 3; arrival++) expect(stateFrom(inAnotherOrder(events))).toEqual(current);
};

/** Every delivery and republication of an event is equal. */
export const expectSameEachTime = (events: readonly CloudEvent[]) => {
  const known = new Map<string, string>();
  for (const event of events) {
    const text = JSON.stringify(event);
    expect(known.get(event.id) ?? text).toBe(text);
    known.set(event.id, text);
  }
};
