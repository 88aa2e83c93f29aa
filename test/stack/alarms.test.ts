import { describe, expect, it } from 'vitest';
import { evaluate, resourcesOf } from '../../cdk/build/template.ts';
import { withOwnTable } from '../../cdk/config/settings.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { type AlarmProperties, simulateAlarm } from '../support/simulate-alarm.ts';

const webhooks = {
  one: { url: 'https://example.com/', types: ['petstore.*'], secret: 'petstore-webhook', concurrency: 2 },
};
const settings = { alarms: { email: 'oncall@example.com' }, webhooks };
const { template } = await synthesizeShared({ stage: 'prod', settings: { ...withOwnTable, ...settings } });

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
/** One request of a hundred, or several, takes this long; the others take 100 ms. */
const latencies = (slow: number, milliseconds: number) => [
  ...samples(slow, milliseconds),
  ...samples(2_000 - slow, 100),
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
  HighLatency: {
    fires: [repeated(3, latencies(21, 1_500))],
    stays: [
      repeated(3, latencies(21, 1_499)),
      repeated(3, latencies(19, 60_000)),
      [latencies(21, 2_000), latencies(0, 0), ...repeated(2, latencies(21, 2_000))],
      // Too few requests for a percentile.
      repeated(3, samples(100, 5_000)),
    ],
  },
  FunctionsThrottled: { fires: [[[0, 0, 1]]], stays: [[quiet, [], quiet]] },
  TableReadsThrottled: { fires: [[samples(5, 1)]], stays: [[samples(4, 1), samples(4, 1)], [[]]] },
  IndexReadsThrottled: { fires: [[samples(5, 1)]], stays: [[samples(4, 1), samples(4, 1)], [[]]] },
  WritesThrottled: { fires: [[samples(5, 1)]], stays: [[samples(4, 1), samples(4, 1)], [[]]] },
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
      const healthy = name === 'HighLatency' ? latencies(0, 0) : quiet;
      const [periods = []] = fires;
      expect(simulateAlarm(alarms.get(name)!, [...periods, ...repeated(24, healthy)]).at(-1), name).toBe('OK');
    }
  });

  it.each(['EventsDeadLettered', 'WebhookDeliveryFailed'])(
    '%s stays in ALARM while SQS reports no data for the queue',
    name => {
      expect(simulateAlarm(alarms.get(name)!, [[1], ...repeated(100, [])]).at(-1)).toBe('ALARM');
    },
  );
});

/** Uniform in [0, 1), the same in every run (mulberry32). */
const generator = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

describe('ServerErrors of a stage', () => {
  const alarm = alarms.get('ServerErrors')!;
  const random = generator(1);
  const runs = 200;

  /** A day's traffic in periods: requests arrive at random (Poisson), and each fails with this probability. */
  const dayOf = (requests: number, failing: number): number[][] => {
    const periods: number[][] = Array.from({ length: 86_400 / alarm.Period }, () => []);
    for (let time = 0; ; ) {
      time += (-Math.log(1 - random()) * 86_400) / requests;
      if (time >= 86_400) return periods;
      periods[Math.floor(time / alarm.Period)]!.push(random() < failing ? 1 : 0);
    }
  };

  /**
   * Minutes until ALARM in each of the runs; Infinity when it does not occur within the day. `beyond`: the extra
   * datapoints that CloudWatch retrieves.
   */
  const minutesUntil = (requests: number, failing: number, beyond: number) =>
    Array.from({ length: runs }, () => {
      const index = simulateAlarm(alarm, dayOf(requests, failing), beyond).indexOf('ALARM');
      return index === -1 ? Number.POSITIVE_INFINITY : ((index + 1) * alarm.Period) / 60;
    }).sort((a, b) => a - b);

  // AWS does not document how many extra datapoints CloudWatch retrieves for 24 evaluation periods. Neither number
  // may matter.
  describe.each([0, 24])('when CloudWatch retrieves %i datapoints more', beyond => {
    it('goes to ALARM within two hours at 50 requests a day that all fail, in half of the runs', () => {
      expect(minutesUntil(50, 1, beyond)[runs / 2]).toBeLessThanOrEqual(120);
    });

    it('goes to ALARM within 30 minutes at 500 requests a day that all fail', () => {
      expect(minutesUntil(500, 1, beyond)[runs * 0.95]).toBeLessThanOrEqual(30);
    });

    it('goes to ALARM within a day at 5 000 requests of which a tenth fails', () => {
      expect(minutesUntil(5_000, 0.1, beyond).at(-1)).toBeLessThan(86_400 / 60);
    });

    it('does not go to ALARM for a single 5xx at 50 requests a day', () => {
      for (let run = 0; run < runs; run++) {
        const day = dayOf(50, 0);
        const period = day.filter(requests => requests.length > 0)[run % 10]!;
        period[0] = 1;
        expect(simulateAlarm(alarm, day, beyond)).not.toContain('ALARM');
      }
    });
  });
});
