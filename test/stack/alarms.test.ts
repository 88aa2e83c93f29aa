import { describe, expect, it } from 'vitest';
import { evaluate, resourcesOf } from '../../cdk/build/template.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { type AlarmProperties, simulateAlarm } from '../support/simulate-alarm.ts';
import { everything } from './settings.ts';

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
