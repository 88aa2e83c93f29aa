/** CloudWatch's evaluation of an alarm, on samples of its metric. */

/** The properties of AWS::CloudWatch::Alarm that decide, evaluated. */
export interface AlarmProperties {
  readonly Statistic?: 'Average' | 'Sum' | 'Maximum';
  readonly ExtendedStatistic?: string;
  readonly EvaluateLowSampleCountPercentile?: string;
  readonly ComparisonOperator: string;
  readonly Threshold: number;
  /** Seconds. */
  readonly Period: number;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm?: number;
  readonly TreatMissingData: 'notBreaching' | 'breaching' | 'ignore';
}

export type AlarmState = 'OK' | 'ALARM';

const sumOf = (samples: readonly number[]) => samples.reduce((sum, sample) => sum + sample, 0);
const statistics: Readonly<Record<string, (samples: readonly number[]) => number>> = {
  Average: samples => sumOf(samples) / samples.length,
  Sum: sumOf,
  Maximum: samples => Math.max(...samples),
};

/** The datapoint of a period; undefined when the metric has no sample in it, or too few for a percentile to be evaluated. */
const datapointOf = (alarm: AlarmProperties, samples: readonly number[]): number | undefined => {
  if (samples.length === 0) return undefined;
  if (alarm.Statistic) return statistics[alarm.Statistic]!(samples);
  const share = Number(alarm.ExtendedStatistic!.slice(1)) / 100;
  // CloudWatch user guide, "Percentile-based CloudWatch alarms and low data samples": fewer than 10 / (1 - percentile).
  if (samples.length < 10 / (1 - share) && alarm.EvaluateLowSampleCountPercentile === 'ignore') return undefined;
  return [...samples].sort((a, b) => a - b)[Math.ceil(share * samples.length) - 1];
};

const operators: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  GreaterThanThreshold: (value, threshold) => value > threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
};

/**
 * The state after each period. CloudWatch user guide, "Configuring how CloudWatch alarms treat missing data": it retrieves
 * more datapoints than the evaluation periods (by two in the guide's examples), evaluates the most recent that exist, and
 * fills in only those that are then still missing.
 * @param periods the samples of the metric, period by period
 * @param beyond how many datapoints more than the evaluation periods are retrieved
 */
export const simulateAlarm = (
  alarm: AlarmProperties,
  periods: readonly (readonly number[])[],
  beyond = 2,
): AlarmState[] => {
  const { EvaluationPeriods: evaluated, DatapointsToAlarm: needed = evaluated, TreatMissingData: missing } = alarm;
  const isBreaching = operators[alarm.ComparisonOperator]!;
  const datapoints = periods.map(samples => datapointOf(alarm, samples));
  let state: AlarmState = 'OK';
  return datapoints.map((_, last) => {
    const retrieved = datapoints.slice(Math.max(0, last + 1 - evaluated - beyond), last + 1);
    const existing = retrieved.filter(datapoint => datapoint !== undefined).slice(-evaluated);
    if (existing.length < evaluated && missing === 'ignore') return state;
    const filledIn = missing === 'breaching' ? evaluated - existing.length : 0;
    const breaching = existing.filter(datapoint => isBreaching(datapoint, alarm.Threshold)).length + filledIn;
    state = breaching >= needed ? 'ALARM' : 'OK';
    return state;
  });
};
