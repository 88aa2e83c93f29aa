import { randomUUID } from 'node:crypto';
import { createRateLimit } from '../../commands/shared/rate-limit.ts';
import { type DeliveryError, invokeApiDestination } from './api-destination.ts';
import type { BusEvent } from './event-bus.ts';
import type { PendingDeliveries, PendingDelivery } from './pending-deliveries.ts';
import type { RetryPolicy, Rule } from './rules.ts';

export type ExhaustedRetryCondition = keyof RetryPolicy;

/** An event that is not retried any more, with its last error. */
export interface UndeliveredEvent {
  readonly rule: Rule;
  readonly event: BusEvent;
  readonly error: DeliveryError;
  readonly retries: number;
  /** Absent: the error is not retryable. */
  readonly condition?: ExhaustedRetryCondition;
}

interface DeliveryOptions {
  readonly rules: readonly Rule[];
  readonly pending: PendingDeliveries;
  readonly sendToDeadLetterQueue: (undelivered: UndeliveredEvent) => void;
  /** Called when deliveries to a target start to fail, and when they succeed again. */
  readonly log: (rule: Rule, level: 'INFO' | 'WARN', message: string) => void;
  /** Called with errors of this server itself, such as a file that cannot be written. */
  readonly report: (error: unknown) => void;
  /** The longest delay before the first retry, in milliseconds; tests shorten it. */
  readonly firstDelay?: number;
}

/** In milliseconds. EventBridge documents exponential backoff with jitter, without figures. */
const defaultFirstDelay = 500;
const maxDelay = 60_000;

/** Exponential retryDelay with equal jitter, in milliseconds. @param attempts that have failed */
export const retryDelay = (attempts: number, random: number, first = defaultFirstDelay): number =>
  Math.min(first * 2 ** (attempts - 1), maxDelay) * (0.5 + random / 2);

/** Which limit of the retry policy the next retry would exceed. @param age of the event at that time, in milliseconds */
export const exhaustedCondition = (
  retries: number,
  age: number,
  policy: RetryPolicy,
): ExhaustedRetryCondition | undefined => {
  if (retries > policy.MaximumRetryAttempts) return 'MaximumRetryAttempts';
  return age > policy.MaximumEventAgeInSeconds * 1000 ? 'MaximumEventAgeInSeconds' : undefined;
};

/** The target's URL for logs, without its query, which may contain secrets. */
const loggedUrl = ({ destination }: Rule) => destination.url.replace(/\?.*/, '');

/**
 * Delivers events to the targets of the rules that they match, each target with its own rate limit and retries. As on AWS:
 * at least once, in any order, and a target that does not respond delays no other.
 */
export const createEventDelivery = ({
  rules,
  pending,
  sendToDeadLetterQueue,
  log,
  report,
  firstDelay,
}: DeliveryOptions) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const rateLimits = new Map(rules.map(rule => [rule, createRateLimit(rule.destination.rate)]));
  const failing = new Set<Rule>();
  const pause = (milliseconds: number) => new Promise(resolve => void setTimeout(resolve, milliseconds).unref());

  const waitForRateLimit = async (rule: Rule) => {
    const delay = rateLimits.get(rule)!();
    if (delay > 0) await pause(delay);
  };

  const logOutcome = (rule: Rule, error: DeliveryError | undefined) => {
    if (error && !failing.has(rule)) log(rule, 'WARN', `Deliveries to ${loggedUrl(rule)} fail. ${error.message}`);
    if (!error && failing.has(rule)) log(rule, 'INFO', `Deliveries to ${loggedUrl(rule)} succeed again.`);
    if (error) failing.add(rule);
    else failing.delete(rule);
  };

  const deliver = async ({ id, event, receivedAt }: PendingDelivery, rule: Rule) => {
    for (let retries = 0; ; retries++) {
      await waitForRateLimit(rule);
      if (signal.aborted) return;
      const error = await invokeApiDestination(rule.destination, JSON.stringify(event.detail), signal);
      if (signal.aborted) return;
      logOutcome(rule, error);
      if (!error) return pending.remove(id);
      const delay = Math.max(retryDelay(retries + 1, Math.random(), firstDelay), error.retryAfter);
      const condition = exhaustedCondition(retries + 1, Date.now() - receivedAt + delay, rule.retryPolicy);
      if (!error.isRetryable || condition) {
        sendToDeadLetterQueue({ rule, event, error, retries, ...(error.isRetryable && condition && { condition }) });
        log(
          rule,
          'WARN',
          `${event.detail.id} is in the dead-letter queue and not delivered to ${loggedUrl(rule)}. ${error.message}`,
        );
        return pending.remove(id);
      }
      await pause(delay);
    }
  };

  for (const delivery of pending.all()) {
    const rule = rules.find(({ id }) => id === delivery.rule);
    if (rule) deliver(delivery, rule).catch(report);
    // The template no longer has the rule.
    else pending.remove(delivery.id);
  }

  return {
    /** Starts the delivery to the target of each rule that matches the event. */
    deliverEvent: (event: BusEvent): void => {
      for (const rule of rules.filter(({ matches }) => matches(event))) {
        const delivery = { id: randomUUID(), rule: rule.id, event, receivedAt: Date.now() };
        pending.add(delivery);
        deliver(delivery, rule).catch(report);
      }
    },
    stop: (): void => stopping.abort(),
  };
};
