import { evaluate, resourcesOf, type Template } from '../build/template.ts';
import { prices, secondsPerMonth } from '../config/prices.ts';
import type { CostLine } from './standing-costs.ts';

/** Bytes of the largest event with its headers: a category of the widest characters (test/lib/events/changes.test.ts). */
const largestEvent = 14_000;

const evaluated = (template: Template, type: string) => resourcesOf(template, type).map(([, raw]) => evaluate(raw));

/** What webhooks cost at most: each is called at its rate all the time, and every delivery fails and is dead-lettered. */
export const webhookCosts = (template: Template): CostLine[] => {
  const destinations = evaluated(template, 'AWS::Events::ApiDestination');
  if (destinations.length === 0) return [];
  const rate = destinations.reduce((sum, { InvocationRateLimitPerSecond }) => sum + InvocationRateLimitPerSecond, 0);
  const bytes = (largestEvent / 1e9) * prices.transferGigabyte;
  const secrets = new Set(
    evaluated(template, 'AWS::Events::Connection').map(
      ({ AuthParameters }) => AuthParameters.ApiKeyAuthParameters.ApiKeyValue,
    ),
  ).size;
  return [
    {
      what: 'EventBridge, webhooks',
      bound: `rates of ${destinations.length}: ${rate} requests a second with the largest events, all dead-lettered`,
      month: rate * secondsPerMonth * (prices.webhookRequest + prices.queueRequest + bytes),
    },
    {
      what: 'Secrets Manager',
      bound: `secrets: ${secrets}`,
      month: secrets * prices.secretMonth,
      idle: secrets * prices.secretMonth,
    },
  ];
};
