import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect } from 'vitest';
import type { CloudEvent } from '../../lib/events/cloud-event.ts';
import { eventProblems } from '../support/documented.ts';
import type { Petstore } from '../support/petstore.ts';

export interface Listener {
  /** Each once, as a consumer keeps them: an event can arrive twice. */
  readonly events: CloudEvent[];
  /** @throws the first error of `onEvent`, which still gets all later events */
  readonly stop: () => void;
}

/** Records later events. @param onEvent gets each event, also again; without it, they are in `events` */
export const listenTo = async (
  url: string,
  onEvent?: (event: CloudEvent) => unknown,
): Promise<Listener> => {
  const stopping = new AbortController();
  const response = await fetch(`${url}/local/events`, { signal: stopping.signal });
  const events: CloudEvent[] = [];
  const keep = (event: CloudEvent) => {
    const known = events.find(({ source, id }) => source === event.source && id === event.id);
    if (known) expect(event).toEqual({ ...known, time: event.time });
    else events.push(event);
  };
  const take = onEvent ?? keep;
  let thrown: { readonly error: unknown } | undefined;
  const read = async () => {
    let rest = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      for (const line of lines)
        try {
          take(JSON.parse(line));
        } catch (error) {
          thrown ??= { error };
        }
    }
  };
  read().catch(() => undefined);
  const stop = () => {
    stopping.abort();
    if (thrown) throw thrown.error;
  };
  return { events, stop };
};

/** After each test, all listeners stop, and the injection of faults ends. */
export const useListeners = (petstore: Petstore): (() => Promise<Listener>) => {
  const listeners: Listener[] = [];
  afterEach(() => {
    for (const { stop } of listeners.splice(0)) stop();
    petstore.aws.faultFor = () => undefined;
  });
  return async () => {
    const listener = await listenTo(petstore.url);
    listeners.push(listener);
    return listener;
  };
};

const compared = new WeakSet<CloudEvent>();

/** The timeout is that of the test. */
export const waitForEvents = async (
  listener: Listener,
  isEnough: (events: readonly CloudEvent[]) => boolean,
): Promise<CloudEvent[]> => {
  while (!isEnough(listener.events)) await sleep(20);
  for (const event of listener.events.filter(event => !compared.has(event))) {
    compared.add(event);
    expect(eventProblems(event), 'the event is not as cdk/openapi documents it').toEqual([]);
  }
  return listener.events;
};

/** Applies events in any order. For each subject, the event with the highest sequence counts. */
export const createConsumer = () => {
  const newest = new Map<string, CloudEvent>();
  return {
    receive: (event: CloudEvent) => {
      const known = newest.get(event.subject);
      if (known?.sequence === event.sequence)
        expect(event.data, 'events of one change carry equal data').toEqual(known.data);
      if (!known || known.sequence < event.sequence) newest.set(event.subject, event);
    },
    /** Subject → data, of the resources that still exist. */
    state: () => {
      const present = [...newest].filter(([, { type }]) => !/\.(deleted|cancelled)$/.test(type));
      return new Map<string, unknown>(present.map(([subject, { data }]) => [subject, data]));
    },
  };
};

export const stateFrom = (events: readonly CloudEvent[]): Map<string, unknown> => {
  const { receive, state } = createConsumer();
  events.forEach(receive);
  return state();
};
