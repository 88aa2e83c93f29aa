import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startAllowance } from '../../cdk/config/limits.ts';
import { prices, secondsPerMonth } from '../../cdk/config/prices.ts';
import { type Settings, settingsOf } from '../../cdk/config/settings.ts';
import { standingCosts, sum } from '../../cdk/cost/bill.ts';
import { methodLimitsOf } from '../../cdk/cost/method-limits.ts';
import {
  gatewayPrice,
  monthAtLimits,
  ordinaryMonth,
  type PricedStage,
} from '../../cdk/cost/ordinary-month.ts';
import { largestChanges, largestOtherChanges, publishingCosts } from '../../cdk/cost/publishing.ts';
import { totals } from '../../cdk/cost/tables.ts';
import { webhookCosts } from '../../cdk/cost/webhooks.ts';
import { accessLogBytes, explainExcess, worstCaseMonth } from '../../cdk/cost/worst-case-month.ts';
import { readApi } from '../../cdk/synthesis/api.ts';
import { type Assembly, resourcesOf } from '../../cdk/synthesis/template.ts';
import { everything, least } from '../stack/settings.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { read, root } from '../support/project.ts';
import { full, one } from '../webhooks/settings.ts';

const stage = (settings: Partial<Settings> = {}) => synthesizeShared({ stage: 'prod', settings });
const assembly = await stage();
const lineOf = (of: Assembly, name: string, lines = worstCaseMonth(of)) =>
  lines.find(({ what }) => what === name)!;

it('each price is used', () => {
  const code = globSync('cdk/{commands,config,cost}/**/*.ts', { cwd: root }).map(read);
  expect(
    Object.keys(prices).filter(name => !code.some(text => text.includes(`prices.${name}`))),
  ).toEqual([]);
});

it('the gateway waits for each function, and not longer than AWS grants', () => {
  const { resources, functions } = readApi(assembly);
  const targets = resources.flatMap(({ methods }) =>
    [...methods.values()].map(({ target }) => target),
  );
  const invoking = targets.flatMap(target => ('mock' in target ? [] : [target]));
  expect(invoking.length).toBeGreaterThan(20);
  for (const target of invoking) {
    expect(target.timeout).toBe((functions.get(target.function)!.timeout + startAllowance) * 1_000);
    expect(target.timeout).toBeLessThanOrEqual(29_000);
  }
});

it('every function of an operation has the memory by which an ordinary month is priced', () => {
  const functions = resourcesOf(assembly.template, 'AWS::Lambda::Function').filter(
    ([id]) => !id.startsWith('Events'),
  );
  expect(functions.length).toBeGreaterThan(20);
  const sizes = new Set(functions.map(([, { MemorySize }]) => MemorySize));
  expect(sizes, 'cdk/cost/ordinary-month.ts has one memory').toEqual(
    new Set([settingsOf('prod').functionMemory]),
  );
});

it('the largest changes are of methods that exist, and not above the maximum', () => {
  const names = methodLimitsOf(assembly).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(largestChanges)));
  for (const { records, events } of Object.values(largestChanges)) {
    const remedy = 'raise largestOtherChanges';
    expect(records, remedy).toBeLessThanOrEqual(largestOtherChanges.records);
    expect(events, remedy).toBeLessThanOrEqual(largestOtherChanges.events);
  }
});

// test/project/generated.test.ts writes what each setting adds to a month to cdk/README.md.
it('an idle month costs nothing by default and with the least', async () => {
  const idleOf = (of: Assembly) => sum(worstCaseMonth(of).map(({ idle }) => idle));
  expect([idleOf(assembly), idleOf(await stage(least))]).toEqual([0, 0]);
  const mappings = resourcesOf(assembly.template, 'AWS::Lambda::EventSourceMapping');
  expect(mappings.map(([, { ProvisionedPollerConfig }]) => ProvisionedPollerConfig)).toEqual([
    undefined,
  ]);
});

it('an alarm costs by its metrics', () => {
  const [metric, expression] = [{ MetricStat: {} }, { Expression: 'a + b' }];
  const alarm = (Properties: object) => ({ Type: 'AWS::CloudWatch::Alarm', Properties });
  const Resources = {
    one: alarm({ MetricName: 'a' }),
    two: alarm({ Metrics: [expression, metric, metric] }),
  };
  expect(standingCosts({ Resources })).toMatchObject([{ idle: expect.closeTo(3 * 0.1) }]);
});

describe('the worst-case month', () => {
  it('is reported with its three most expensive rows when it exceeds the cap', () => {
    const costs = { logs: 20, reads: 3_000.5, gateway: 10, duration: 4_000, out: 40 };
    const lines = Object.entries(costs).map(([what, month]) => ({
      what,
      bound: '',
      month,
      idle: 0,
    }));
    expect(explainExcess(lines, 7_070.5)).toBeUndefined();
    expect(explainExcess(lines, 7_070.49)).toContain(
      'costs $7,070.50, more than the cap of $7,070.49 (worstMonthCap). The most expensive rows: duration $4,000.00, reads $3,000.50, out $40.00.',
    );
  });

  it('has busy functions, reads of secrets and failing attempts of webhooks', async () => {
    const twenty = await stage(full);
    const busy = 'concurrency 237, always busy: 59.3 GB-seconds a second';
    expect(lineOf(twenty, 'Lambda, webhooks').bound).toBe(busy);
    // Each of 237 environments reads two versions of 19 secrets every 30 seconds.
    const secrets = lineOf(twenty, 'Secrets Manager');
    expect(secrets.bound).toBe('secrets: 19, read 300.2 times a second');
    const { events } = publishingCosts(twenty.template, methodLimitsOf(twenty));
    const slowest = webhookCosts(twenty.template, events, 15).lines;
    const [fast, slow] = [undefined, slowest].map(lines =>
      lineOf(twenty, 'SQS and Lambda, webhooks', lines),
    );
    expect(fast!.bound).toMatch(/^4,740 failing attempts a second/);
    expect(slow!.bound).toMatch(/^15.8 failing attempts a second/);
    expect(slow!.month).toBeLessThan(fast!.month / 10);
    expect([secrets.idle, fast!.idle]).toEqual([
      expect.closeTo(19 * 0.4),
      expect.closeTo(20 * 0.26784),
    ]);
  });

  it('has nothing for events and webhooks that a stage does not have', async () => {
    const logged = await stage({ ...least, tracing: true });
    const rows = worstCaseMonth(logged).map(({ what, bound }) => `${what}: ${bound}`);
    expect(rows.filter(row => /webhook|Secrets|publisher|EventBridge|batch|NaN/.test(row))).toEqual(
      [],
    );
  });
});

it('the worst month has every method, and an access log line of each request', async () => {
  const methods = methodLimitsOf(assembly);
  expect(methods.length).toBe(resourcesOf(assembly.template, 'AWS::ApiGateway::Method').length);
  const [before, after] = [assembly, await stage({ accessLog: true })].map(
    of => lineOf(of, 'CloudWatch Logs').month,
  );
  const gigabytes = (sum(methods.map(({ rate }) => rate)) * secondsPerMonth * accessLogBytes) / 1e9;
  expect(after! - before!).toBeCloseTo(gigabytes * prices.logGigabyte, 6);
});

describe('the ordinary month of a small shop', () => {
  const prod = { assembly, settings: settingsOf('prod') };
  const ordinaryOf = (of: PricedStage) => sum(Object.values(ordinaryMonth(of)));

  it('is less than $10', () => {
    expect(ordinaryOf(prod)).toBeLessThan(10);
    const small = { assembly, settings: settingsOf('prod', { functionMemory: 512 }) };
    expect(ordinaryOf(prod) - ordinaryOf(small)).toBeCloseTo(0.06, 2);
  });

  // Of 322,400 requests, 6,200 write, which publishes 12,400 events. cdk/config/prices.ts has the prices.
  it.each<[string, settings: Partial<Settings>, dollars?: number]>([
    ['the access log', { accessLog: true }, 322_400 * 700 * 0.5e-9],
    ['the web ACL', { requestsPerAddress: 600 }, 6 + 322_400 * 0.6e-6],
    ['traces', { tracing: true }, (322_400 + 6_200) * 5e-6],
    ['the dashboard', { dashboard: true }, 3],
    // That on webhooks is missing.
    [
      'alarms, with the access log',
      { alarms: everything.alarms },
      10 * prices.alarmMetric + 322_400 * 700 * 0.5e-9,
    ],
    [
      'no events',
      { events: false },
      -(12_400e-6 + 6_200 * (0.2e-6 + (0.03 / 4) * 13.33e-6 + 400 * 0.5e-9)),
    ],
    ['a secret and deliveries', { webhooks: { one } }, 0.668 + 12_400 * 12.8e-6],
    ['everything', everything],
    ['twenty webhooks', full],
    ['the least', least],
  ])(
    'has the price of %s, and is between an idle month and a flood',
    async (_, settings, added) => {
      const priced = { assembly: await stage(settings), settings: settingsOf('prod', settings) };
      if (added) expect(ordinaryOf(priced) - ordinaryOf(prod)).toBeCloseTo(added, 3);
      const { idle, month: worst } = totals(worstCaseMonth(priced.assembly));
      const ascending = [idle, ordinaryOf(priced), monthAtLimits(1, priced), worst];
      expect(ascending).toEqual(ascending.toSorted((a, b) => a - b));
    },
  );

  it('costs at ten times the limits less than ten times as much, by the tiers of API Gateway', () => {
    expect(gatewayPrice(0)).toBe(0);
    for (const [tier, price] of Object.entries({ 333e6: 2.8, 1e9: 2.38, 20e9: 1.51 }))
      expect(gatewayPrice(Number(tier) + 100e6)).toBeCloseTo(
        gatewayPrice(Number(tier)) + 100 * price,
      );
    const [once, tenfold] = [monthAtLimits(1, prod), monthAtLimits(10, prod)];
    expect(tenfold).toBeLessThan(10 * once);
    expect(tenfold).toBeGreaterThan(8 * once);
  });
});
