import { describe, expect, it } from 'vitest';
import { evaluate, resourcesOf } from '../../cdk/synthesis/template.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { everything } from './settings.ts';
import { type AlarmProperties, simulateAlarm } from './simulate-alarm.ts';

const { template } = await synthesizeShared({ stage: 'prod', settings: everything });

const alarms = new Map(
  resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, properties]) => [
    /^Alarms(\w+?)\w{8}$/.exec(id)![1]!,
    evaluate(properties) as AlarmProperties,
  ]),
);

/** This number of equal samples. */
const samples = (count: number, value: number): number[] => Array(count).fill(value);
const repeated = (periods: number, of: number[]): number[][] => Array(periods).fill(of);

const minute = 60_000;
const quiet = samples(10, 0);
/** This many of a thousand requests take this long; the others take 100 ms. */
const latencies = (slow: number, milliseconds: number) => [
  ...samples(slow, milliseconds),
  ...samples(1_000 - slow, 100),
];

/** For each alarm: series of periods after which it must be in ALARM, and series during which it must not. */
const series: Readonly<Record<string, { readonly fires: number[][][]; readonly stays: number[][][] }>> = {
  ServerErrors: {
    fires: [
      // Exactly one of ten requests.
      repeated(3, [1, ...samples(9, 0)]),
      // Three requests in two hours, which all fail.
      [[1], ...repeated(11, []), [1], ...repeated(10, []), [1]],
    ],
    stays: [
      repeated(3, [1, ...samples(10, 0)]),
      [[1], [1]],
      // One failing request among any number of others.
      [[0], [], [1], [], [0]],
      [[1], ...repeated(30, quiet), [1], ...repeated(30, quiet), [1]],
      // The third error is five minutes too late.
      [[1], ...repeated(12, quiet), [1], ...repeated(10, quiet), [1]],
    ],
  },
  OrdersFailing: {
    fires: [repeated(3, [1]), [[1], ...repeated(11, []), [1], ...repeated(10, []), [1]]],
    stays: [
      [samples(50, 1), [1]],
      // The third order fails too late, also for the two periods more that CloudWatch retrieves.
      [[1], ...repeated(12, []), [1], ...repeated(12, []), [1]],
    ],
  },
  HighLatency: {
    fires: [
      repeated(3, latencies(101, 1_500)),
      // A quiet shop: one request in 40 minutes, each of which is slow.
      [[1_500], ...repeated(7, []), [9_000], ...repeated(7, []), [1_500]],
      [latencies(101, 2_000), latencies(0, 0), ...repeated(2, latencies(101, 2_000))],
    ],
    stays: [
      repeated(24, latencies(101, 1_499)),
      repeated(24, latencies(99, 60_000)),
      // A slow request among others, and a slow one alone, twice.
      repeated(24, [9_000, ...samples(10, 100)]),
      [[9_000], ...repeated(7, [100]), [9_000], ...repeated(15, [100])],
    ],
  },
  FunctionsThrottled: { fires: [[[0, 0, 1]]], stays: [[quiet, [], quiet]] },
  Throttled: { fires: [[samples(5, 1)]], stays: [[samples(4, 1), samples(4, 1)], [[]]] },
  CallersThrottled: {
    fires: [repeated(3, samples(10, 1))],
    stays: [repeated(24, samples(9, 1)), [...repeated(2, samples(900, 1)), samples(9, 1), samples(900, 1)]],
  },
  EventPublishingDelayed: {
    fires: [[[0, 0, 15 * minute, 0]]],
    // More than 15 minutes in total, and never 15 minutes in a row.
    stays: [[samples(30, minute)], [samples(5, 14 * minute)], [[]]],
  },
  InvariantViolated: { fires: [[[1]], [[], [3]]], stays: [[[], []]] },
  EventsDeadLettered: { fires: [[[0, 1, 0]]], stays: [[quiet, []]] },
  WebhookDeliveryFailed: { fires: [[[0, 1, 0]]], stays: [[quiet, []]] },
};

describe('an alarm', () => {
  it('has a simulation in this file', () => {
    expect(Object.keys(series)).toEqual([...alarms.keys()]);
  });

  it.each(Object.entries(series))(
    '%s goes to ALARM for every bad series, and stays out of it for every good one',
    (name, { fires, stays }) => {
      const alarm = alarms.get(name)!;
      for (const periods of fires) expect(simulateAlarm(alarm, periods).at(-1)).toBe('ALARM');
      for (const periods of stays) expect(simulateAlarm(alarm, periods)).not.toContain('ALARM');
    },
  );

  it('returns to OK when the metric is healthy again', () => {
    for (const [name, { fires }] of Object.entries(series)) {
      // A metric of log lines has no samples while all is well.
      const ofLines = /^(OrdersFailing|Throttled|CallersThrottled|InvariantViolated)$/.test(name);
      const healthy = name === 'HighLatency' ? latencies(0, 0) : ofLines ? [] : quiet;
      const [periods = []] = fires;
      expect(simulateAlarm(alarms.get(name)!, [...periods, ...repeated(26, healthy)]).at(-1), name).toBe('OK');
    }
  });

  it.each(['EventsDeadLettered', 'WebhookDeliveryFailed'])(
    '%s stays in ALARM while SQS reports no data for the queue',
    name => {
      expect(simulateAlarm(alarms.get(name)!, [[1], ...repeated(100, [])]).at(-1)).toBe('ALARM');
    },
  );
});

describe('a shop', () => {
  const day = 288;
  /** The alarm's states over periods of five minutes, one failed request at each of these times (in periods). */
  const statesOf = (name: string, times: readonly number[], periods: number) => {
    const counted = Array.from({ length: periods }, (): number[] => []);
    for (const time of times) counted[Math.floor(time)]!.push(1);
    return simulateAlarm(alarms.get(name)!, counted);
  };
  /** How often an alarm goes off. */
  const alertsIn = (states: readonly string[]) =>
    states.filter((state, index) => state === 'ALARM' && states[index - 1] !== 'ALARM').length;

  // Mulberry32: the same numbers in each run.
  const randomFrom = (seed: number) => {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      const next = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((next ^ (next >>> 14)) >>> 0) / 2 ** 32;
    };
  };
  const timesIn = (periods: number, count: number, random: () => number) =>
    Array.from({ length: count }, () => random() * periods).sort((a, b) => a - b);

  it.each([
    [20, 3],
    [100, 1],
  ])('whose %i orders of twelve hours all fail learns it within %i hours, half of the time', (orders, hours) => {
    const random = randomFrom(orders);
    const delays = Array.from({ length: 200 }, () => {
      const times = timesIn(day / 2, orders, random);
      const first = statesOf('OrdersFailing', times, day).indexOf('ALARM');
      return first < 0 ? Number.POSITIVE_INFINITY : first - Math.floor(times[0]!);
    });
    expect(delays.sort((a, b) => a - b)[100]! / 12).toBeLessThanOrEqual(hours);
  });

  it('with one failed order a day, at the same time of day, gets no email in a month', () => {
    const times = Array.from({ length: 30 }, (_, index) => index * day + 100);
    for (const name of ['OrdersFailing', 'ServerErrors'])
      expect(alertsIn(statesOf(name, times, 30 * day)), name).toBe(0);
  });

  it('with a thousand orders a day, of which one in a thousand fails, gets at most one email in a month', () => {
    const random = randomFrom(7);
    const months = Array.from({ length: 40 }, () => {
      const failing = timesIn(30 * day, 30_000, random).filter(() => random() < 0.001);
      return alertsIn(statesOf('OrdersFailing', failing, 30 * day));
    });
    expect(Math.max(...months)).toBeLessThanOrEqual(1);
  });
});
