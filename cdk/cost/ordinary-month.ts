import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultLimit } from '../../lib/schemas/query.ts';
import type { Limits } from '../config/limits.ts';
import { usesTable } from '../config/permissions.ts';
import { prices, sampledShare, secondsPerMonth } from '../config/prices.ts';
import { type Settings, settingsOf } from '../config/settings.ts';
import { dollars, sum } from './bill.ts';

/** What Lambda bills for an ordinary request; a request to a warm function takes a third. */
const ordinarySeconds = 0.03;
/** Bytes of a request's log line, and of its response: a page of pets, with headers. */
export const lineBytes = 400;
export const responseBytes = 100 * defaultLimit;
const tracesOf = (requests: number): number => Math.min(requests, secondsPerMonth + requests * sampledShare);
/** At most: for example, a pet that changes its status also changes in the inventory. */
const eventsPerWrite = 2;

/** Dollars a month, by API Gateway's tiers (pricing page, REST APIs, us-east-1). */
export const gatewayPrice = (requests: number): number => {
  const above = (tier: number) => Math.max(0, requests - tier);
  // `0.7`, `0.42` and `0.87` are the dollars by which a million requests above the tier costs less.
  return (requests * 3.5 - above(333e6) * 0.7 - above(1e9) * 0.42 - above(20e9) * 0.87) / 1e6;
};

/** Of the most common case, as test/api/access-patterns.test.ts measures them. @throws if it has not measured the operation */
const unitsOf = (id: keyof Limits, measured: Readonly<Record<string, { read: number; write: number }>>) => {
  if (!usesTable(id)) return { read: 0, write: 0 };
  const units = measured[id];
  if (!units) throw new Error(`cdk/cost/request-units.json has no units of ${id}: npm run generate`);
  return units;
};

/** In dollars. @param requests in a month, by operation */
const costsOf = (requests: Partial<Record<keyof Limits, number>>, settings: Settings) => {
  const measured = JSON.parse(readFileSync(join(import.meta.dirname, 'request-units.json'), 'utf8'));
  /** @param of the value of one request, by its request units */
  const total = (of: (units: ReturnType<typeof unitsOf>) => number) =>
    sum(Object.entries(requests).map(([id, count]) => count * of(unitsOf(id as keyof Limits, measured))));
  const all = total(() => 1);
  const gigabytes = settings.functionMemory / 1024;
  return {
    'API Gateway': gatewayPrice(all),
    Lambda: all * (prices.lambdaRequest + ordinarySeconds * gigabytes * prices.lambdaGigabyteSecond),
    DynamoDB: total(({ read, write }) => read * prices.readRequestUnit + write * prices.writeRequestUnit),
    EventBridge: total(({ write }) => (write > 0 ? eventsPerWrite : 0)) * prices.eventPut,
    'CloudWatch Logs': all * (lineBytes / 1e9) * prices.logGigabyte,
    ...(settings.tracing && { 'X-Ray': tracesOf(all) * prices.traceRecorded }),
    'Data transfer out': all * (responseBytes / 1e9) * prices.transferGigabyte,
  };
};

/** Dollars of a month in which each operation has its rate, times a factor. */
export const monthAtLimits = (factor: number, settings = settingsOf('prod')): number => {
  const requests = Object.entries(settings.limits).map(([id, { rate }]) => [id, rate * factor * secondsPerMonth]);
  return sum(Object.values(costsOf(Object.fromEntries(requests), settings)));
};

/** In a day. A page view lists pets and categories. An order is placed, read twice and completed. */
export const smallShop = { pageViews: 5_000, orders: 100 };
const days = 30;
/** Each client caches its token as long as it is valid. */
const clients = 3;

/** In dollars. */
export const ordinaryMonth = (
  { pageViews, orders } = smallShop,
  settings = settingsOf('prod'),
): Readonly<Record<string, number>> => {
  const daily = {
    listPets: pageViews,
    listCategories: pageViews,
    placeOrder: orders,
    getOrder: 2 * orders,
    updateOrder: orders,
  };
  const monthly = Object.fromEntries(Object.entries(daily).map(([id, count]) => [id, count * days]));
  const tokens = (clients * secondsPerMonth) / (settings.tokenLifetime * 60);
  return { ...costsOf(monthly, settings), 'Cognito, tokens': tokens * prices.token };
};

/** The price of a month's tokens if clients request one for each protected request. An order has four such requests. */
export const tokensOfCalls = 4 * smallShop.orders * days * prices.token;

export const ordinaryMonthTable = (settings?: Settings): string => {
  const month = Object.entries(ordinaryMonth(smallShop, settings));
  const rows = month.map(([what, price]) => `| ${what} | ${dollars(price)} |`);
  const total = `| **Total** | **${dollars(sum(month.map(([, price]) => price)))}** |`;
  return ['| | Ordinary month |', '|---|---:|', ...rows, total].join('\n');
};
