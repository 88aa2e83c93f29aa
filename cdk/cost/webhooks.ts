import { retryHours } from '../../lib/webhook-retries.ts';
import { prices, secondsPerMonth } from '../config/prices.ts';
import type { Settings } from '../config/settings.ts';
import { sender } from '../config/webhooks.ts';
import { evaluate, resourcesOf, type Template } from '../synthesis/template.ts';
import { type CostLine, costLine, lambdaPrice, number, sum } from './bill.ts';

/** Bytes with headers: a category of the widest characters (test/lib/events/changes.test.ts). */
const largestEvent = 14_000;
/** Of an attempt (lib/webhooks/handle-queue.ts), with Lambda's envelope. */
const logBytes = 1_000;

/** Of a queue: Lambda has five connections, and a poll takes 20 s (guide, "Using Lambda with Amazon SQS"). */
const pollsPerMonth = (5 * secondsPerMonth) / 20;
/** Dollars a month. An idle webhook has a secret of its own. */
const polling = pollsPerMonth * prices.queueRequest;
export const idleWebhook = prices.secretMonth + polling;

/** Assumed. We expect about ten in the first hour, then two an hour (lib/webhooks/retry-delay.ts). */
const attemptsPerEvent = 8 + 3 * retryHours;
/** Seconds: a nearby receiver that rejects everything (estimated). The fastest attempts cost most. */
const fastestAttempt = 0.05;

/** Seconds until the function retries a failed read of a secret (lib/webhooks/signing-keys.ts). It caches secrets longer. */
const secretCacheTime = 30;

/**
 * At most: the function always runs at the concurrency of every webhook, and every attempt fails.
 * @param events published a second
 */
export const webhookCosts = (
  template: Template,
  events: number,
  attemptSeconds = fastestAttempt,
) => {
  const mappings = resourcesOf(template, 'AWS::Lambda::EventSourceMapping')
    .map(([, raw]) => evaluate(raw))
    .filter(({ ScalingConfig }) => ScalingConfig !== undefined);
  const [mapping] = mappings;
  const of = 'an attempt of a webhook';
  if (!mapping) return { runs: 0, logBytes, of, lines: [] as CostLine[] };
  const { MemorySize, Environment } = evaluate(
    template.Resources[mapping.FunctionName]!.Properties,
  );
  const webhooks: { secret: string }[] = Object.values(JSON.parse(Environment.Variables.WEBHOOKS));
  const secrets = new Set(webhooks.map(({ secret }) => secret)).size;
  const concurrency = sum(mappings.map(({ ScalingConfig }) => ScalingConfig.MaximumConcurrency));
  const gigabyteSeconds = (concurrency * MemorySize) / 1024;
  const sent = events * webhooks.length;
  const attempts = Math.min(concurrency / attemptSeconds, sent * attemptsPerEvent);
  const bytes = (largestEvent / 1e9) * prices.transferGigabyte;
  // Each environment of the function delivers for all webhooks, and reads two versions of each secret.
  const reads = (2 * concurrency * secrets) / secretCacheTime;
  // EventBridge sends each message once. Each attempt receives the message, then hides or deletes it.
  const delivering =
    attempts * (2 * prices.queueRequest + prices.lambdaRequest + bytes) +
    sent * prices.queueRequest;
  const busy = `concurrency ${concurrency}, always busy: ${number(gigabyteSeconds)} GB-seconds a second`;
  const failing = `${number(attempts)} failing attempts a second with the largest events; polling`;
  const read = `secrets: ${secrets}, read ${number(reads)} times a second`;
  const lines = [
    costLine('Lambda, webhooks', busy, gigabyteSeconds * prices.lambdaGigabyteSecond),
    costLine('SQS and Lambda, webhooks', failing, delivering, webhooks.length * polling),
    costLine('Secrets Manager', read, reads * prices.secretRequest, secrets * prices.secretMonth),
  ];
  return { runs: attempts, logBytes, of, lines };
};

/** Of an ordinary month, at most: each webhook gets every event. @param sent dollars, by a delivery */
export const deliveries = ({ webhooks }: Settings, events: number, sent: number) => {
  const runs = events * Object.keys(webhooks).length;
  // EventBridge sends a message, which the function receives and deletes. It reads at most two versions of a secret.
  const delivery = 3 * prices.queueRequest + 2 * prices.secretRequest + sent;
  const price = runs * delivery + lambdaPrice(runs, 0.3, sender.memory);
  return { runs, lines: runs > 0 ? { 'Webhooks, deliveries': price } : {} };
};
