import { randomUUID } from 'node:crypto';
import { createRateLimit } from '../../commands/shared/rate-limit.ts';
import { type SendFailure, send } from './api-destination.ts';
import type { BusEvent } from './event-bus.ts';
import type { Delivery, Pending } from './pending-deliveries.ts';
import { type Exhausted, exhausted, waitAfter } from './retries.ts';
import type { Rule } from './rules.ts';

/** An event that was given up, and why. */
export interface DeadLetter {
  readonly rule: Rule;
  readonly event: BusEvent;
  readonly failure: SendFailure;
  readonly retries: number;
  /** Absent: it was not worth a repetition. */
  readonly condition?: Exhausted;
}

interface Surroundings {
  readonly rules: readonly Rule[];
  readonly pending: Pending;
  readonly bury: (letter: DeadLetter) => void;
  /** Is told when a receiver begins to fail, and when it no longer does. */
  readonly say: (rule: Rule, level: 'INFO' | 'WARN', words: string) => void;
  /** Is given what this server itself cannot do, such as write a file. */
  readonly report: (error: unknown) => void;
  /** The longest wait before the first retry, in milliseconds; tests shorten it. */
  readonly firstWait?: number;
}

/** Where a receiver is, without a query that is nobody's business. */
const placeOf = ({ destination }: Rule) => destination.url.replace(/\?.*/, '');

/**
 * Delivers to each rule's target what the rule matches, each at its own rate and with its own retries: as on AWS, at least
 * once, in any order, and one that does not answer is nobody else's affair.
 */
export const createDeliveries = ({ rules, pending, bury, say, report, firstWait }: Surroundings) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const rateLimits = new Map(rules.map(rule => [rule, createRateLimit(rule.destination.rate)]));
  const failing = new Set<Rule>();
  const pause = (milliseconds: number) => new Promise(resolve => void setTimeout(resolve, milliseconds).unref());

  const turn = async (rule: Rule) => {
    const wait = rateLimits.get(rule)!();
    if (wait > 0) await pause(wait);
  };

  const note = (rule: Rule, failure: SendFailure | undefined) => {
    if (failure && !failing.has(rule)) say(rule, 'WARN', `${placeOf(rule)} does not take events. ${failure.message}`);
    if (!failure && failing.has(rule)) say(rule, 'INFO', `${placeOf(rule)} takes events again.`);
    if (failure) failing.add(rule);
    else failing.delete(rule);
  };

  const deliver = async ({ id, event, taken }: Delivery, rule: Rule) => {
    for (let retries = 0; ; retries++) {
      await turn(rule);
      if (signal.aborted) return;
      const failure = await send(rule.destination, JSON.stringify(event.detail), signal);
      if (signal.aborted) return;
      note(rule, failure);
      if (!failure) return pending.remove(id);
      const wait = Math.max(waitAfter(retries + 1, Math.random(), firstWait), failure.wait);
      const condition = exhausted(retries + 1, Date.now() - taken + wait, rule.retry);
      if (failure.isFinal || condition) {
        bury({ rule, event, failure, retries, ...(!failure.isFinal && condition && { condition }) });
        say(
          rule,
          'WARN',
          `${placeOf(rule)} is not sent ${event.detail.id} any more: it is a dead letter. ${failure.message}`,
        );
        return pending.remove(id);
      }
      await pause(wait);
    }
  };

  const ruleOf = (id: string) => rules.find(rule => rule.id === id);
  for (const delivery of pending.all()) {
    const rule = ruleOf(delivery.rule);
    // The rule left the template meanwhile.
    if (rule) deliver(delivery, rule).catch(report);
    else pending.remove(delivery.id);
  }

  return {
    take: (event: BusEvent): void => {
      for (const rule of rules.filter(({ matches }) => matches(event))) {
        const delivery = { id: randomUUID(), rule: rule.id, event, taken: Date.now() };
        pending.add(delivery);
        deliver(delivery, rule).catch(report);
      }
    },
    stop: (): void => stopping.abort(),
  };
};
