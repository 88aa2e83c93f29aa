import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import { nextPageOf } from '../../cdk/openapi/petstore-client.ts';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { resources } from '../../lib/model/kinds.ts';
import { type Call, type Command, Ids, remember, requestOf } from '../reference/commands.ts';
import type { Actor } from '../reference/reference-store.ts';
import { type Fault, failEntries } from '../support/aws-proxy.ts';
import { newPet } from '../support/new-pet.ts';
import type { ApiResponse, Client } from '../support/petstore.ts';
import { type Listener, stateFrom, waitForEvents } from './listener.ts';

/** Of table and bus. With retries, each write still takes effect once, and each of its events is published. */
export const tableFaults: readonly Fault[] = [
  'conflict',
  'throttle',
  'error',
  'cutBefore',
  'cutAfter',
  'slow',
];
export const busFaults: readonly Fault[] = [
  'error',
  'cutAfter',
  failEntries((_, index) => (index % 2 ? undefined : 'ThrottlingException')),
];

export type Callers = Readonly<Record<Actor, Client>>;

export const sendAs =
  (callers: Callers) =>
  async ({ actor, method, path, body, tagged }: Call, headers: Record<string, string> = {}) => {
    const client = callers[actor];
    const tag = tagged && ((await client('GET', path)).headers.get('ETag') ?? '"none"');
    return client(method, path, {
      headers: { ...headers, ...(tag && { 'If-Match': tag }) },
      ...(body && { body }),
    });
  };

export const perform = (
  command: Command,
  ids: Ids,
  callers: Callers,
  headers?: Record<string, string>,
) => sendAs(callers)(requestOf(command, ids), headers);

/** Let a short sequence of commands reach interesting states. */
export const beginning: readonly Command[] = [
  { do: 'createCategory', name: 'Cats' },
  { do: 'createPet', ...newPet, categoryId: 0 },
  { do: 'createPet', ...newPet, categoryId: 0 },
  { do: 'setInventory', petId: 0, quantity: 4 },
];

export const begin = async (callers: Callers): Promise<Ids> => {
  const ids = new Ids();
  for (const command of beginning) remember(command, ids, await perform(command, ids, callers));
  return ids;
};

/** Like a careful client, retries after a 503 or a lost response until the outcome is known. */
export const retry = async (send: () => Promise<ApiResponse>): Promise<ApiResponse> => {
  for (let attempts = 0; attempts < 40; attempts++) {
    const response = await send().catch(() => undefined);
    if (response && response.status !== 503) return response;
    await sleep(25);
  }
  throw new Error('never got through');
};

/** All resources, by the `subject` of their events. */
export const apiState = async (staff: Client): Promise<Map<string, unknown>> => {
  const all = new Map<string, unknown>();
  for (const { path } of resources) {
    for (let url: string | undefined = `/${path}?limit=100`; url; ) {
      const { status, body, headers }: ApiResponse = await staff('GET', url);
      expect(status, url).toBe(200);
      for (const resource of body) all.set(`${path}/${resource.id ?? resource.petId}`, resource);
      url = nextPageOf(headers);
    }
  }
  return all;
};

/** Records arrive in the order of the commits, so one last event is enough. */
export const allPublished = async (
  staff: Client,
  listener: Listener,
): Promise<readonly CloudEvent[]> => {
  const { body } = await retry(() =>
    staff('POST', '/pets/categories', { body: { name: 'The end' } }),
  );
  return waitForEvents(listener, events =>
    events.some(({ subject }) => subject === `pets/categories/${body.id}`),
  );
};

/** All events, applied twice in random order, must result in what the API returns. */
export const expectComplete = async (events: readonly CloudEvent[], staff: Client) => {
  const current = await apiState(staff);
  const twice = [...events, ...events];
  for (const arrival of fc.sample(fc.shuffledSubarray(twice, { minLength: twice.length }), 3))
    expect(stateFrom(arrival)).toEqual(current);
};

/** However often events are delivered or republished, those with the same id must be equal. */
export const expectSameEachTime = (events: readonly CloudEvent[]) => {
  const first = new Map(events.toReversed().map(event => [event.id, event]));
  for (const event of events) expect(event).toEqual(first.get(event.id));
};
