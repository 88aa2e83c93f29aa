import { beforeAll, describe, expect, it, vi } from 'vitest';
import { usesTable } from '../../cdk/config/permissions.ts';
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
      lines.set(
        `${id} ${outcome}`,
        petstore.logs.findLast(line => line.includes(`"operation":"${id}"`))!,
      );
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
  const { MetricName: metric, MetricValue } = MetricTransformations[0];
  return { group, metric, value: Number(MetricValue), matches: matchesPattern(FilterPattern) };
});
const isProtected = (id: OperationId) => operations[id].access !== 'public';
const alarms = new Map(
  resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, raw]) => [
    id.slice('Alarms'.length, -8),
    evaluate(raw),
  ]),
);

interface Sample {
  readonly metric: string;
  readonly value: number;
  /** Of the requests. */
  readonly share: number;
}
const endings = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const found = new Map<string, Sample[]>();
/** What requests add to metrics. API Gateway generates request ids at random. */
const samplesOf = (id: OperationId, outcome: string): Sample[] => {
  const known = found.get(`${id} ${outcome}`);
  if (known) return known;
  const [status = '', type] = outcome.split(' ');
  const clientId = isProtected(id) && !status.startsWith('4') ? 'shop' : undefined;
  const { method: httpMethod, path: resourcePath } = operations[id];
  const runs = !type && !status.startsWith('4');
  const values = {
    status,
    httpMethod,
    resourcePath,
    'error.responseType': type,
    'authorizer.claims.client_id': clientId,
  };
  const access = accessLine(template, { ...values, integrationStatus: runs ? '200' : undefined });
  const logged = runs
    ? lines.get(`${id} ${outcome}`)!.replace(/(?<="requestId":")[\w-]+/g, '0b-4d*')
    : '';
  const samples = filters.flatMap(({ group, metric, value, matches }) => {
    if (group.startsWith('ApiAccessLog'))
      return matches(access) ? [{ metric, value, share: 1 }] : [];
    if (!runs || !group.startsWith(`${id}Logs`)) return [];
    const matching = endings.filter(ending => matches(logged.replaceAll('*', ending))).length;
    return matching > 0 ? [{ metric, value, share: matching / endings.length }] : [];
  });
  found.set(`${id} ${outcome}`, samples);
  return samples;
};

/** A linear congruential generator ("Numerical Recipes"). */
const generator = (seed: number) => {
  let state = seed * 7_919;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
};

type Traffic = readonly (readonly [
  OperationId,
  perDay: number,
  outcome: string,
  fromDay?: number,
  toDay?: number,
])[];
/** By alarm, the periods of five minutes after which it is on. */
const simulate = (traffic: Traffic, days: number, seed: number): Map<string, number[]> => {
  const random = generator(seed);
  const empty = (): number[][] => Array.from({ length: days * 288 }, () => []);
  const failures = empty();
  const metrics = new Map<string, number[][]>();
  for (const [id, perDay, outcome, fromDay = 0, toDay = days] of traffic) {
    const samples = samplesOf(id, outcome);
    for (const { metric } of samples) if (!metrics.has(metric)) metrics.set(metric, empty());
    const addAtRandom = (share: number, added: readonly Sample[]) => {
      const expected = perDay * share * (toDay - fromDay);
      for (let left = Math.floor(expected + (expected % 1 && random())); left > 0; left--) {
        const period = Math.floor((fromDay + random() * (toDay - fromDay)) * 288);
        for (const { metric, value } of added) metrics.get(metric)![period]!.push(value);
        if (outcome >= '5') failures[period]!.push(1);
      }
    };
    // A failure adds to all metrics at once. A success adds to one, and only if it is sampled.
    if (outcome >= '5' || outcome.startsWith('429')) addAtRandom(1, samples);
    else for (const sample of samples) addAtRandom(sample.share, [sample]);
  }
  // 5XXError has 0 or 1 for each request (API Gateway developer guide, "dimensions and metrics").
  const perPeriod =
    traffic.reduce(
      (sum, [, perDay, , from = 0, to = days]) => sum + (perDay * (to - from)) / days,
      0,
    ) / 288;
  metrics.set(
    '5XXError',
    failures.map(({ length }) => [length / Math.max(perPeriod, length, 1)]),
  );
  const measured = [...alarms].filter(([, { MetricName }]) => metrics.has(MetricName));
  return new Map(
    measured.map(([name, alarm]) => [name, ringsAfter(alarm, metrics.get(alarm.MetricName)!)]),
  );
};

/** A shop with so many requests for orders a day, in the proportions of cdk/cost/README.md. Staff sends fewer than customers. */
const shopOf =
  (size: number) =>
  (id: OperationId): number => {
    const [views, orders] = [(smallShop.pageViews * size) / 400, (smallShop.orders * size) / 400];
    if (id === 'listPets' || id === 'listCategories') return views;
    if (/^(place|get|update)Order$/.test(id)) return id === 'getOrder' ? 2 * orders : orders;
    return isProtected(id) ? orders / 5 : views / 100;
  };
const sizes = [5, 50, 400, 4_000, 40_000];

it('a failure adds 1 to one metric of its operation, logged by the function, Lambda or the gateway, and of 64 successes one takes 0.64 from it', () => {
  for (const id of operationIds) {
    const ofOperation = (outcome: string) =>
      samplesOf(id, outcome).filter(({ metric }) => metric.startsWith('Failing'));
    const metric = ofOperation('500').map(sample => sample.metric);
    expect(metric.length, id).toBe(/^list(Pets|Categories)$/.test(id) ? 0 : 1);
    for (const outcome of [
      '500',
      '502',
      '502 INTEGRATION_FAILURE',
      ...(usesTable(id) ? ['503'] : []),
    ])
      expect(ofOperation(outcome), id).toEqual(
        metric.map(name => ({ metric: name, value: 1, share: 1 })),
      );
    expect(ofOperation('200'), id).toEqual(
      metric.map(name => ({ metric: name, value: -0.64, share: 1 / 64 })),
    );
    expect([ofOperation('401 UNAUTHORIZED'), ofOperation('429 THROTTLED')], id).toEqual([[], []]);
  }
});

/** After a healthy day, in minutes: the slowest of five days. `none`: on some day, none rings. */
const firstAlarm = (
  shop: (id: OperationId) => number,
  failing?: OperationId,
  outcome = '200',
  others: Traffic = [],
) => {
  const traffic = operationIds.flatMap((id): Traffic => {
    if (id !== failing) return [[id, shop(id), '200']];
    return [
      [id, shop(id), '200', 0, 1],
      [id, shop(id), outcome, 1, 2],
    ];
  });
  const firsts = Array.from({ length: 5 }, (_, seed): [minutes: number, name: string] => {
    const rings = [...simulate([...traffic, ...others], 2, seed)].flatMap(
      ([name, on]): [number, string][] =>
        on
          .slice(0, 1)
          .map(period => [(period - 288) * 5, name.replace(/(?<=RequestsFailing).*/, '')]),
    );
    return rings.toSorted(([a], [b]) => a - b)[0] ?? [9e9, 'none'];
  });
  const [minutes, name] = firsts.toSorted(([a], [b]) => b - a)[0]!;
  return { name, minutes };
};
const rare = (shop: (id: OperationId) => number, few: OperationId) => (id: OperationId) =>
  id === few ? 3 : shop(id);

describe.each(sizes)('in a shop of %i requests for orders a day', size => {
  const shop = shopOf(size);

  it.each([0.001, 0.000_1])(
    'at most one alarm a quarter rings if %d of the requests fail at random',
    rate => {
      const traffic = operationIds.flatMap((id): Traffic => {
        const requests = shop(id);
        return [
          [id, requests * (1 - rate), '200'],
          [id, requests * rate, '500'],
        ];
      });
      const rung = [...simulate(traffic, 2 * 92, size)].flatMap(([name, periods]) =>
        periods.filter((at, index) => periods[index - 1] !== at - 1).map(() => name),
      );
      expect(rung.length, rung.join(', ')).toBeLessThanOrEqual(2);
    },
  );

  it('an alarm rings within a day if any operation always fails, also one with three requests a day', () => {
    // ServerErrors watches the public lists, which every page view requests.
    const few = operationIds
      .filter(id => !/^list(Pets|Categories)$/.test(id))
      .map(id => [id, rare(shop, id)] as const);
    const used = operationIds.filter(id => shop(id) >= 3).map(id => [id, shop] as const);
    const silent = [...few, ...used].filter(
      ([id, of]) => firstAlarm(of, id, '500').minutes > 24 * 60,
    );
    expect(silent.map(([id]) => id)).toEqual([]);
  });
});

it.each([
  ['503', 'listPets', 'Throttled'],
  ['500', 'listPets', 'ServerErrors'],
  ['502', 'placeOrder', 'RequestsFailing'],
  // Only the workflow `monitor` sees this.
  ['401 UNAUTHORIZED', 'placeOrder', 'none'],
  ['200', 'placeOrder', 'none'],
] as const)(
  'if %s is the outcome of %s, the first alarm of a small shop is %s',
  (outcome, id, name) => {
    expect(firstAlarm(shopOf(400), id, outcome)).toMatchObject({ name });
  },
);

it('a flood of a request a second rings if the rate limit rejects it, but not if AWS WAF blocks it', () => {
  const flood = (outcome: string) =>
    firstAlarm(shopOf(40), undefined, '200', [['listPets', 86_400, outcome, 1]]);
  expect(flood('429 THROTTLED')).toEqual({ name: 'CallersThrottled', minutes: 15 });
  expect(flood('429 WAF_FILTERED')).toMatchObject({ name: 'none' });
});

const times = (count: number, ...of: number[]): number[] =>
  Array.from({ length: count }, () => of).flat();
const repeated = (periods: number, of: number[]): number[][] =>
  Array.from({ length: periods }, () => of);
const latencies = (slow: number) => repeated(3, [...times(slow, 1_500), ...times(109 - slow, 100)]);
/** SQS reports no data for an unused queue. The alarm stays until a person has emptied the queue. */
const unusedQueue: [number[][]] = [[[0, 1, 0], ...repeated(100, [])]];
const thresholds: Record<string, [rings: number[][], stays?: number[][]]> = {
  ServerErrors: [repeated(3, [1, ...times(9, 0)]), repeated(3, [1, ...times(10, 0)])],
  // A day of successes, each of which is sampled, makes up for a failure.
  RequestsFailing: [
    [[1], ...repeated(285, []), [1], [1]],
    [[1], ...repeated(287, []), [1, 1, -0.64, 1]],
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
  const [rings, stays = [[0]]] = thresholds[name.replace(/(?<=RequestsFailing).*/, '')]!;
  expect(ringsAfter(alarm, rings)).toContain(rings.length);
  expect(ringsAfter(alarm, [...rings, ...repeated(288, [0])])).not.toContain(rings.length + 288);
  expect(ringsAfter(alarm, stays)).toEqual([]);
});
