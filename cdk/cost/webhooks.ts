import { evaluate, resourcesOf, type Template } from '../build/template.ts';
import { prices, secondsPerMonth } from '../config/prices.ts';
import { number, sum } from './numbers.ts';
import type { CostLine } from './standing-costs.ts';

/** Bytes of the largest event with its headers: a category of the widest characters (test/lib/events/changes.test.ts). */
const largestEvent = 14_000;
/** Bytes that an attempt logs (lib/webhooks/handle-queue.ts), with Lambda's envelope. */
const logBytes = 1_000;

/** Requests with which Lambda polls a queue: five connections, each waits 20 seconds (Lambda developer guide, "Using Lambda with Amazon SQS"). */
const pollsPerMonth = (5 * secondsPerMonth) / 20;

/** The most attempts of one event in its 24 hours; some 60 are expected (lib/webhooks/retry-delay.ts). */
const maxAttempts = 80;
/** Seconds of the fastest attempt: a receiver nearby that rejects everything. Estimated. */
const fastestAttempt = 0.05;

const none = { attempts: 0, logBytes: 0, lines: [] as CostLine[] };

/**
 * What webhooks cost at most: the function is busy all the time at the concurrency of each, as with a receiver that takes 15
 * seconds; and there are as many attempts as with a receiver that rejects every event at once.
 * @param events published a second
 */
export const webhookCosts = (template: Template, events: number) => {
  const mappings = resourcesOf(template, 'AWS::Lambda::EventSourceMapping')
    .map(([, raw]) => evaluate(raw))
    .filter(({ ScalingConfig }) => ScalingConfig !== undefined);
  const [mapping] = mappings;
  if (!mapping) return none;
  const sender = evaluate(template.Resources[mapping.FunctionName]!.Properties);
  const webhooks: { secret: string }[] = Object.values(JSON.parse(sender.Environment.Variables.WEBHOOKS));
  const secrets = new Set(webhooks.map(({ secret }) => secret)).size;
  const concurrency = sum(mappings.map(({ ScalingConfig }) => ScalingConfig.MaximumConcurrency));
  const gigabyteSeconds = (concurrency * sender.MemorySize) / 1024;
  const sent = events * webhooks.length;
  const attempts = Math.min(concurrency / fastestAttempt, sent * maxAttempts);
  const bytes = (largestEvent / 1e9) * prices.transferGigabyte;
  const polling = webhooks.length * pollsPerMonth * prices.queueRequest;
  // Each environment reads both versions of a secret every five minutes (lib/webhooks/signing-keys.ts).
  const reads = 2 * concurrency * (secondsPerMonth / 300);
  const lines: CostLine[] = [
    {
      what: 'Lambda, webhooks',
      bound: `concurrency ${concurrency}, always busy, as with receivers that take 15 seconds: ${number(gigabyteSeconds)} GB-seconds a second`,
      month: gigabyteSeconds * secondsPerMonth * prices.lambdaGigabyteSecond,
    },
    {
      what: 'SQS and Lambda, webhooks',
      bound: `${number(attempts)} failing attempts a second with the largest events; polling`,
      // A message is sent once. Each attempt receives it, and hides or deletes it.
      month:
        (attempts * (2 * prices.queueRequest + prices.lambdaRequest + bytes) + sent * prices.queueRequest) *
          secondsPerMonth +
        polling,
      idle: polling,
    },
    {
      what: 'Secrets Manager',
      bound: `secrets: ${secrets}`,
      month: secrets * prices.secretMonth + reads * prices.secretRequest,
      idle: secrets * prices.secretMonth,
    },
  ];
  return { attempts, logBytes, lines };
};
