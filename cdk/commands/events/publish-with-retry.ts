import { type Bus, type EntryError, entriesPerCall } from '../../../lib/events/bus.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import { publish } from '../../../lib/events/publish.ts';

/** Between two attempts, in milliseconds. */
const firstDelay = 1_000;
const maxDelay = 15_000;

const sleep = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

interface Published {
  readonly published: number;
  /** Events that the bus never takes. */
  readonly refused: readonly (readonly [CloudEvent, EntryError])[];
}

/** Whether a retry would fail as well: there is no such bus, or no permission. */
const isFatal = (cause: unknown): boolean => {
  const { name, $fault, $metadata } = (cause ?? {}) as {
    name?: string;
    $fault?: string;
    $metadata?: { httpStatusCode?: number };
  };
  if (name === 'CredentialsProviderError') return true;
  return $fault === 'client' && $metadata?.httpStatusCode !== 429 && !/throttl|too ?many|timeout/i.test(name ?? '');
};

/**
 * Publishes events as the publisher does, and retries with exponential backoff: outside a function, Lambda does not.
 * @param timeout for how long the bus may take no event, in milliseconds
 * @param onRetry gets the cause before the first delay
 * @throws the last error of the bus
 */
export const publishWithRetry = async (
  bus: Bus,
  events: readonly CloudEvent[],
  timeout: number,
  onRetry: (cause: unknown) => void,
): Promise<Published> => {
  const refused: [CloudEvent, EntryError][] = [];
  let published = 0;
  let pending = events;
  let lastSuccess = Date.now();
  for (let delay = firstDelay; ; delay = Math.min(2 * delay, maxDelay)) {
    const outcome = await publish(bus, pending);
    published += outcome.published;
    for (const [index, failure] of outcome.rejected) refused.push([pending[index]!, failure]);
    const { failed, cause } = outcome;
    if (failed.length === 0) return { published, refused };
    if (outcome.published > 0) {
      lastSuccess = Date.now();
      delay = firstDelay;
    }
    if (isFatal(cause) || Date.now() + delay - lastSuccess > timeout) throw cause;
    if (delay === firstDelay) onRetry(cause);
    const untried = (Math.floor(failed[0]! / entriesPerCall) + 1) * entriesPerCall;
    pending = pending.filter((_, index) => index >= untried || failed.includes(index));
    await sleep(delay);
  }
};
