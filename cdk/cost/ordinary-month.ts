import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultLimit } from '../../lib/schemas/query.ts';
import { type Limits, publisher } from '../config/limits.ts';
import { usesTable } from '../config/permissions.ts';
import { daysPerMonth, prices, sampledShare, secondsPerMonth } from '../config/prices.ts';
import type { Settings } from '../config/settings.ts';
import type { Assembly } from '../synthesis/template.ts';
import { dollars, lambdaPrice, sum } from './bill.ts';
import * as webhooks from './webhooks.ts';
import { accessLogBytes, worstCaseMonth } from './worst-case-month.ts';

/** What Lambda bills for an ordinary request; a request to a warm function takes a third. */
const ordinarySeconds = 0.03;
/** Bytes of a request's log line, and of its response: a page of pets, with headers. */
export const lineBytes = 400;
export const responseBytes = 100 * defaultLimit;
const tracesOf = (requests: number): number =>
  Math.min(requests, secondsPerMonth + requests * sampledShare);
/** Write request units of an idempotency record, which each write has (test/api/access-patterns.test.ts). */
const keyUnits = 2;
/** At most: for example, a pet that changes its status also changes in the inventory. */
const eventsPerWrite = 2;

/** Dollars a month, by API Gateway's tiers (pricing page, REST APIs, us-east-1). */
export const gatewayPrice = (requests: number): number => {
  const above = (tier: number) => Math.max(0, requests - tier);
  // `0.7`, `0.42` and `0.87` are the dollars by which a million requests above the tier costs less.
  return (requests * 3.5 - above(333e6) * 0.7 - above(1e9) * 0.42 - above(20e9) * 0.87) / 1e6;
};

/** Of the most common case, with a key, as test/api/access-patterns.test.ts measures them. @throws if it has not measured the operation */
const unitsOf = (
  id: keyof Limits,
  measured: Readonly<Record<string, { read: number; write: number }>>,
) => {
  if (!usesTable(id)) return { read: 0, write: 0 };
  const units = measured[id];
  if (!units)
    throw new Error(`cdk/cost/request-units.json has no units of ${id}: npm run generate`);
  return units.write > 0 ? { ...units, write: units.write + keyUnits } : units;
};

/** Each client caches its token as long as it is valid. */
const clients = 3;

/** A template and the settings that it is of. */
export interface PricedStage {
  readonly assembly: Assembly;
  readonly settings: Settings;
}

/**
 * In dollars. It has also what the stage costs while idle, so no month costs less than an idle one.
 * @param requests in a month, by operation; each succeeds
 */
const monthOf = (
  requests: Partial<Record<keyof Limits, number>>,
  { assembly, settings }: PricedStage,
) => {
  const measured = JSON.parse(
    readFileSync(join(import.meta.dirname, 'request-units.json'), 'utf8'),
  );
  /** @param of the value of one request, by its request units */
  const total = (of: (units: ReturnType<typeof unitsOf>) => number) =>
    sum(
      Object.entries(requests).map(
        ([id, count]) => count * of(unitsOf(id as keyof Limits, measured)),
      ),
    );
  const all = total(() => 1);
  const changes = settings.events ? total(({ write }) => (write > 0 ? 1 : 0)) : 0;
  const events = changes * eventsPerWrite;
  const sent = responseBytes * (prices.transferGigabyte / 1e9);
  const background = [
    { runs: changes, lines: { EventBridge: events * prices.eventPut } },
    webhooks.deliveries(settings, events, sent),
  ];
  const runs = all + sum(background.map(of => of.runs));
  const logBytes = runs * lineBytes + (settings.accessLog ? all * accessLogBytes : 0);
  const tokens = (clients * secondsPerMonth) / (settings.tokenLifetime * 60);
  return {
    'API Gateway': gatewayPrice(all),
    ...(settings.requestsPerAddress && { 'AWS WAF, requests': all * prices.webAclRequest }),
    Lambda:
      lambdaPrice(all, ordinarySeconds, settings.functionMemory) +
      lambdaPrice(changes, ordinarySeconds, publisher.memory),
    DynamoDB: total(
      ({ read, write }) => read * prices.readRequestUnit + write * prices.writeRequestUnit,
    ),
    ...(Object.assign({}, ...background.map(({ lines }) => lines)) as Record<string, number>),
    'CloudWatch Logs': (logBytes / 1e9) * prices.logGigabyte,
    ...(settings.tracing && { 'X-Ray': tracesOf(runs) * prices.traceRecorded }),
    'Data transfer out': all * sent,
    'Cognito, tokens': tokens * prices.token,
    ...Object.fromEntries(
      worstCaseMonth(assembly).flatMap(({ what, idle }) => (idle > 0 ? [[what, idle]] : [])),
    ),
  };
};

/** Dollars of a month in which each operation has its rate, times a factor. */
export const monthAtLimits = (factor: number, stage: PricedStage): number => {
  const { limits } = stage.settings;
  const requests = Object.entries(limits).map(([id, { rate }]) => [
    id,
    rate * factor * secondsPerMonth,
  ]);
  return sum(Object.values(monthOf(Object.fromEntries(requests), stage)));
};

/** In a day. A page view lists pets and categories. An order is placed, read twice and completed. */
export const smallShop = { pageViews: 5_000, orders: 100 };

const { pageViews, orders } = smallShop;
const daily = {
  listPets: pageViews,
  listCategories: pageViews,
  placeOrder: orders,
  getOrder: 2 * orders,
  updateOrder: orders,
};
/** In dollars. */
export const ordinaryMonth = (stage: PricedStage): Readonly<Record<string, number>> => {
  const requests = Object.entries(daily).map(([id, count]) => [id, count * daysPerMonth]);
  return monthOf(Object.fromEntries(requests), stage);
};

/** The price of a month's tokens if clients request one for each protected request. An order has four such requests. */
export const tokensOfCalls = 4 * smallShop.orders * daysPerMonth * prices.token;

export const ordinaryMonthTable = (stage: PricedStage): string => {
  const month = Object.entries(ordinaryMonth(stage));
  const rows = month.map(([what, price]) => `| ${what} | ${dollars(price)} |`);
  const total = `| **Total** | **${dollars(sum(month.map(([, price]) => price)))}** |`;
  return ['| | Ordinary month |', '|---|---:|', ...rows, total].join('\n');
};
