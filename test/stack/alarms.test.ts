import { describe, expect, it } from 'vitest';
import { evaluate, resourcesOf } from '../../cdk/synthesis/template.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { everything } from './settings.ts';

/** The properties of AWS::CloudWatch::Alarm that decide, evaluated. Each alarm compares with `>=` (golden/everything.txt). */
interface AlarmProperties {
  readonly Statistic?: 'Average' | 'Sum' | 'Maximum';
  readonly ExtendedStatistic?: string;
  readonly EvaluateLowSampleCountPercentile?: string;
  readonly Threshold: number;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm: number;
  readonly TreatMissingData: 'notBreaching' | 'ignore';
}

const sumOf = (of: readonly number[]) => of.reduce((sum, sample) => sum + sample, 0);
const statistics: Readonly<Record<string, (of: readonly number[]) => number>> = {
  Average: of => sumOf(of) / of.length,
  Sum: sumOf,
  Maximum: of => Math.max(...of),
};

/** The datapoint of a period; undefined when the metric has no sample in it, or too few for a percentile to be evaluated. */
const datapointOf = (alarm: AlarmProperties, of: readonly number[]): number | undefined => {
  if (of.length === 0) return undefined;
  if (alarm.Statistic) return statistics[alarm.Statistic]!(of);
  const share = Number(alarm.ExtendedStatistic!.slice(1)) / 100;
  // CloudWatch user guide, "Percentile-based CloudWatch alarms and low data samples": fewer than 10 / (1 - percentile).
  if (of.length < 10 / (1 - share) && alarm.EvaluateLowSampleCountPercentile === 'ignore') return undefined;
  return [...of].sort((a, b) => a - b)[Math.ceil(share * of.length) - 1];
};

/**
 * The state after each period, by the samples of the metric. CloudWatch user guide, "Configuring how CloudWatch alarms treat
 * missing data": it retrieves more datapoints than the evaluation periods (by two in the guide's examples), and evaluates the
 * most recent that exist.
 */
const simulateAlarm = (alarm: AlarmProperties, periods: readonly (readonly number[])[]): ('OK' | 'ALARM')[] => {
  const { EvaluationPeriods: evaluated, DatapointsToAlarm: needed, TreatMissingData: missing } = alarm;
  const datapoints = periods.map(of => datapointOf(alarm, of));
  let state: 'OK' | 'ALARM' = 'OK';
  return datapoints.map((_, last) => {
    const retrieved = datapoints.slice(Math.max(0, last - 1 - evaluated), last + 1);
    const existing = retrieved.filter(datapoint => datapoint !== undefined).slice(-evaluated);
    if (existing.length < evaluated && missing === 'ignore') return state;
    state = existing.filter(datapoint => datapoint >= alarm.Threshold).length >= needed ? 'ALARM' : 'OK';
    return state;
  });
};

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

  it('of a dead-letter queue stays in ALARM while SQS reports no data for it', () => {
    for (const name of ['EventsDeadLettered', 'WebhookDeliveryFailed'])
      expect(simulateAlarm(alarms.get(name)!, [[1], ...repeated(100, [])]).at(-1), name).toBe('ALARM');
  });
});
