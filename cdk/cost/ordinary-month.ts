import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../config/limits.ts';
import { prices, secondsPerMonth } from '../config/prices.ts';
import { settingsOf } from '../config/settings.ts';

/** Seconds that an ordinary request is billed; a warm one takes a third. */
const ordinarySeconds = 0.03;
/** Bytes that an ordinary request logs, with Lambda's lines, and bytes of its response. */
const logBytes = 900;
const responseBytes = 2_000;
const sampledShare = 0.05;
/** Events of one write, at most: a pet that changes its status also changes in the inventory. */
const eventsPerWrite = 2;

/** Dollars for a number of requests a month, by API Gateway's tiers (pricing page, REST APIs, us-east-1). */
export const gatewayPrice = (requests: number): number => {
  const tiers = [
    [333e6, 3.5],
    [667e6, 2.8],
    [19e9, 2.38],
    [Number.POSITIVE_INFINITY, 1.51],
  ] as const;
  let [left, price] = [requests, 0];
  for (const [size, perMillion] of tiers) {
    price += (Math.min(left, size) * perMillion) / 1e6;
    left = Math.max(0, left - size);
  }
  return price;
};

interface Units {
  readonly read: number;
  readonly write: number;
}

/** The measured units of each operation's first row in lib/model/README.md, which is the most common case. */
const measuredUnits = (): Map<string, Units> => {
  const text = readFileSync(join(import.meta.dirname, '../../lib/model/README.md'), 'utf8');
  const rows = text.matchAll(/^\| `(\w+)` \|.*\| [\d.]+ \| ([\d.]+) \| ([\d.]+) \|$/gm);
  const units = new Map<string, Units>();
  for (const [, id, read, write] of rows)
    if (!units.has(id!)) units.set(id!, { read: Number(read), write: Number(write) });
  return units;
};

/** Dollars of a month with ordinary requests: every operation at its rate of cdk/config/limits.ts, times a factor. */
export const ordinaryMonth = (factor: number): number => {
  const units = measuredUnits();
  const gigabytes = settingsOf('prod').functionMemory / 1024;
  const monthly = Object.entries(limits).map(([id, { rate }]) => ({
    requests: rate * factor * secondsPerMonth,
    // The documentation reads no table.
    ...(units.get(id) ?? { read: 0, write: 0 }),
  }));
  const total = (of: (row: (typeof monthly)[number]) => number) => monthly.reduce((sum, row) => sum + of(row), 0);
  const requests = total(row => row.requests);
  const writes = total(row => (row.write > 0 ? row.requests : 0));
  return (
    gatewayPrice(requests) +
    requests *
      (prices.lambdaRequest +
        ordinarySeconds * gigabytes * prices.lambdaGigabyteSecond +
        (logBytes / 1e9) * prices.logGigabyte +
        (responseBytes / 1e9) * prices.transferGigabyte +
        sampledShare * prices.traceRecorded) +
    total(row => row.requests * (row.read * prices.readRequestUnit + row.write * prices.writeRequestUnit)) +
    writes * eventsPerWrite * prices.eventPut
  );
};
