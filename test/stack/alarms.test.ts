import { beforeAll, expect, it, vi } from 'vitest';
import { smallShop } from '../../cdk/cost/ordinary-month.ts';
import { logLine } from '../../cdk/local/lambda/log-line.ts';
import { evaluate, resourcesOf } from '../../cdk/synthesis/template.ts';
import { handle } from '../../lib/http/handle.ts';
import { type OperationId, operationIds, operations } from '../../lib/operations/index.ts';
import { accessLine, matchesPattern, platformLine, ringsAfter } from '../support/cloudwatch.ts';
import { eventOf } from '../support/event-of.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { requestOf, send, world } from '../support/requests.ts';
import { everything } from './settings.ts';

// As CloudWatch sees days of a shop: lines pass the template's metric filters, and metrics its alarms.
const { template } = await synthesizeShared({ stage: 'prod', settings: everything });
const petstore = usePetstore({ environment: { RETRY_BUDGET_MS: '1' } });

/**
 * By operation and outcome: the status (500: a defect, 502: a crash) and, if no function runs, the type of the gateway's
 * response. The bundles log the lines, or for a defect the middleware chain.
 */
const lines = new Map<string, string>();
beforeAll(async () => {
  for (const name of ['BUILD', 'DEPRECATED_ON', 'SUNSET_ON']) vi.stubEnv(name, '2026-11-01');
  const resources = await world(petstore);
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  for (const id of operationIds) {
    for (const [outcome, fault] of [['200'], ['503', 'throttle']] as const) {
      petstore.proxy.faultFor = () => fault;
      await send(petstore, requestOf(operations[id], resources));
      lines.set(`${id} ${outcome}`, petstore.logs.findLast(line => line.includes(`"operation":"${id}"`))!);
    }
    const defect = handle(operations[id])(() => Promise.reject(new Error('defect')));
    await defect(eventOf(id) as never, { getRemainingTimeInMillis: () => 5_000 } as never);
    lines.set(`${id} 500`, logLine('error', 'one', logged.mock.lastCall![0]));
    lines.set(`${id} 502`, platformLine);
  }
  logged.mockRestore();
  vi.unstubAllEnvs();
});

const filters = resourcesOf(template, 'AWS::Logs::MetricFilter').map(([, raw]) => {
  const { LogGroupName: group, FilterPattern, MetricTransformations } = evaluate(raw);
  return { group, metric: MetricTransformations[0].MetricName, matches: matchesPattern(FilterPattern) };
});
const isProtected = (id: OperationId) => operations[id].access !== 'public';

/** Of one request. 5XXError has 0 or 1 (API Gateway developer guide, "dimensions and metrics"). */
const samplesOf = (id: OperationId, outcome: string): (readonly [metric: string, sample: number])[] => {
  const [status = '', type] = outcome.split(' ');
  const clientId = isProtected(id) && !status.startsWith('4') ? 'shop' : undefined;
  const values = { status, 'error.responseType': type, 'authorizer.claims.client_id': clientId };
  const [access, line] = [accessLine(template, values), lines.get(`${id} ${outcome}`)];
  // The access log is optional, so if a function runs, its line has to suffice.
  const logged = type ? { group: 'ApiAccessLog', line: access } : { group: `${id}Logs`, line };
  const matching = filters.filter(({ group, matches }) => group.startsWith(logged.group) && matches(logged.line!));
  return [['5XXError', status < '5' ? 0 : 1], ['Latency', 100], ...matching.map(({ metric }) => [metric, 1] as const)];
};

const alarms = new Map(
  resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, raw]) => [id.slice('Alarms'.length, -8), evaluate(raw)]),
);

type Day = readonly (readonly [OperationId, requests: number, outcome: string])[];
/** After how many minutes it rings: the median of eleven days. `none`: on most days, none rings. */
const firstAlarm = (day: Day): string => {
  const firsts = Array.from({ length: 11 }, (_, index): [minutes: number, name: string] => {
    const metrics = new Map<string, number[][]>();
    for (const [id, requests, outcome] of day) {
      const samples = samplesOf(id, outcome).map(([metric, sample]) => {
        const periods = metrics.get(metric) ?? Array.from({ length: 288 }, (): number[] => []);
        metrics.set(metric, periods);
        return (period: number) => periods[period]!.push(sample);
      });
      // At random times (a linear congruential generator, "Numerical Recipes").
      for (let state = index * 7_919, request = 0; request < requests; request++) {
        state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
        for (const addIn of samples) addIn(Math.floor((state / 2 ** 32) * 288));
      }
    }
    const rings = [...alarms].flatMap(([name, alarm]): [number, string][] =>
      ringsAfter(alarm, metrics.get(alarm.MetricName) ?? []).map(periods => [periods * 5, name]),
    );
    return rings.toSorted(([a], [b]) => a - b)[0] ?? [9e9, 'none'];
  });
  const [minutes, name] = firsts.toSorted(([a], [b]) => a - b)[5]!;
  return name === 'none' ? name : `${name} ${minutes}`;
};

/** The shop of cdk/cost/README.md, and one with a tenth of its requests. Staff sends fewer requests than customers. */
const shops = [1, 10].map(divisor => (id: OperationId) => {
  const [views, orders] = [smallShop.pageViews / divisor, smallShop.orders / divisor];
  if (id === 'listPets' || id === 'listCategories') return views;
  if (/^(place|get|update)Order$/.test(id)) return id === 'getOrder' ? 2 * orders : orders;
  return isProtected(id) ? orders / 5 : views / 100;
});
const dayOf = (shop: (typeof shops)[0], failing?: OperationId, outcome = '200'): Day =>
  operationIds.map(id => [id, shop(id), id === failing ? outcome : '200']);

const others = operationIds.filter(id => !/^list(Pets|Categories)$|^(place|get|update)Order$/.test(id));
const staff = others.filter(isProtected);
it.each<[outcome: string, of: readonly OperationId[], readme: string, quiet: string]>([
  ['500', ['placeOrder', 'updateOrder'], 'RequestsFailing 40', 'RequestsFailing 1155'],
  ['500', ['getOrder'], 'RequestsFailing 30', 'RequestsFailing 250'],
  ['500', staff, 'RequestsFailing 250', 'none'],
  ['500', ['listPets', 'listCategories'], 'ServerErrors 15', 'ServerErrors 15'],
  ['500', others.filter(id => !isProtected(id)), 'none', 'none'],
  ['502', ['placeOrder', 'updateOrder'], 'RequestsFailing 40', 'RequestsFailing 1155'],
  ['502 INTEGRATION_FAILURE', ['placeOrder', 'updateOrder'], 'RequestsFailing 40', 'RequestsFailing 1155'],
  ['503', ['listPets'], 'Throttled 5', 'ServerErrors 15'],
  // Only the workflow `monitor` sees this.
  ['401 UNAUTHORIZED', operationIds.filter(isProtected), 'none', 'none'],
  ['200', ['placeOrder'], 'none', 'none'],
])('if %s is the outcome of %j, the first alarms and their minutes are %s, %s', (outcome, of, ...expected) => {
  for (const id of of)
    expect([id, ...shops.map(shop => firstAlarm(dayOf(shop, id, outcome)))]).toEqual([id, ...expected]);
});

it('a flood of a request a second rings if the rate limit rejects it, but not if AWS WAF blocks it', () => {
  for (const shop of shops) {
    const flood = (outcome: string) => firstAlarm([...dayOf(shop), ['listPets', 86_400, outcome]]);
    expect(['429 THROTTLED', '429 WAF_FILTERED'].map(flood)).toEqual(['CallersThrottled 15', 'none']);
  }
});

const times = (count: number, ...of: number[]): number[] => Array.from({ length: count }, () => of).flat();
const repeated = (periods: number, of: number[]): number[][] => Array.from({ length: periods }, () => of);
const latencies = (slow: number) => repeated(3, [...times(slow, 1_500), ...times(109 - slow, 100)]);
/** SQS reports no data for an unused queue. The alarm stays until a person has emptied the queue. */
const unusedQueue: [number[][]] = [[[0, 1, 0], ...repeated(100, [])]];
const thresholds: Record<string, [rings: number[][], stays?: number[][]]> = {
  ServerErrors: [repeated(3, [1, ...times(9, 0)]), repeated(3, [1, ...times(10, 0)])],
  RequestsFailing: [
    [[1], ...repeated(11, []), [1], ...repeated(10, []), [1]],
    [times(50, 1), [1]],
  ],
  HighLatency: [latencies(11), latencies(10)],
  FunctionsThrottled: [[[0, 0, 1]]],
  Throttled: [[times(5, 1)], repeated(2, times(4, 1))],
  CallersThrottled: [repeated(3, times(10, 1)), repeated(24, times(9, 1))],
  EventPublishingDelayed: [[[0, 900_000, 0]], repeated(5, [840_000])],
  InvariantViolated: [[[1]]],
  EventsDeadLettered: unusedQueue,
  WebhookDeliveryFailed: unusedQueue,
};
it.each([...alarms])('%s rings at its threshold, not below it, and ends', (name, alarm) => {
  const [rings, stays = [[0]]] = thresholds[name]!;
  expect(ringsAfter(alarm, rings)).toContain(rings.length);
  expect(ringsAfter(alarm, [...rings, ...repeated(26, [0])])).not.toContain(rings.length + 26);
  expect(ringsAfter(alarm, stays)).toEqual([]);
});
