import { type Bus, type EntryFailure, entriesPerCall } from '../../../lib/events/bus.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import { publish } from '../../../lib/events/publish.ts';

/** In milliseconds, between two times that a bus is asked which takes nothing. */
const firstDelay = 1_000;
const longestDelay = 15_000;

const sleep = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

export interface Insisted {
  readonly told: number;
  /** Those that the bus never takes. */
  readonly refused: readonly (readonly [CloudEvent, EntryFailure])[];
}

/** That it would be answered the same however long one waits: there is no such bus, or these credentials may not. */
const isLasting = (cause: unknown): boolean => {
  const { name, $fault, $metadata } = (cause ?? {}) as {
    name?: string;
    $fault?: string;
    $metadata?: { httpStatusCode?: number };
  };
  if (name === 'CredentialsProviderError') return true;
  return $fault === 'client' && $metadata?.httpStatusCode !== 429 && !/throttl|too ?many|timeout/i.test(name ?? '');
};

/**
 * Tells events as the publisher does, and goes on asking a bus that takes none, which nobody does for it outside a function.
 * @param patience for how long it may take none, in milliseconds
 * @param wait is told what the bus said before the first pause
 * @throws what the bus said last
 */
export const insist = async (
  bus: Bus,
  events: readonly CloudEvent[],
  patience: number,
  wait: (cause: unknown) => void,
): Promise<Insisted> => {
  const refused: [CloudEvent, EntryFailure][] = [];
  let told = 0;
  let pending = events;
  let since = Date.now();
  for (let delay = firstDelay; ; delay = Math.min(2 * delay, longestDelay)) {
    const outcome = await publish(bus, pending);
    told += outcome.told;
    for (const [place, failure] of outcome.refused) refused.push([pending[place]!, failure]);
    const { failed, cause } = outcome;
    if (failed.length === 0) return { told, refused };
    if (outcome.told > 0) {
      since = Date.now();
      delay = firstDelay;
    }
    if (isLasting(cause) || Date.now() + delay - since > patience) throw cause;
    if (delay === firstDelay) wait(cause);
    const untried = (Math.floor(failed[0]! / entriesPerCall) + 1) * entriesPerCall;
    pending = pending.filter((_, place) => place >= untried || failed.includes(place));
    await sleep(delay);
  }
};
