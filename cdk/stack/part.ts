import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Thresholds } from '../config/alarms.ts';
import { type QueryName, queries, type SavedQuery } from '../config/log-queries.ts';

export interface Alarm {
  /** The first words of the email: whether it can wait. */
  readonly wait: string;
  /** What callers notice, and the threshold: the email has the stage's own number, the runbook the default. */
  readonly notice: string;
  /** The first command of the runbook's entry: an npm script, and its arguments after `--stage`. */
  readonly first: readonly [script: string, args?: string];
  /** It is free while nothing is wrong. */
  readonly metric: cloudwatch.Metric | cloudwatch.MathExpression;
  /** The least value of a period that is bad. Default: 1. */
  readonly threshold?: number;
  /** How many of the last `outOf` periods must be bad. Default: the last one. */
  readonly bad?: number;
  readonly outOf?: number;
  /** Default: no data is good. */
  readonly withoutData?: cloudwatch.TreatMissingData;
}

/** By their headings in the runbook. */
export type Alarms = Readonly<Record<string, Alarm>>;
export type LogGroups = Partial<Record<SavedQuery['reads'], readonly ILogGroup[]>>;

/** What a part of the stack that a stage can lack adds to its lists. */
export interface Part {
  readonly logGroups: LogGroups;
  readonly alarms: (thresholds: Thresholds) => Alarms;
  /** A row of the dashboard. */
  readonly widgets: () => cloudwatch.IWidget[];
}

export const period = Duration.minutes(5);
export const sum = { statistic: 'Sum', period };
export const maximum = { statistic: 'Maximum', period };
const size = { width: 12, height: 6 };

type Metrics = readonly cloudwatch.IMetric[];
export const graph = (title: string, left: Metrics, more: cloudwatch.GraphWidgetProps = {}) =>
  new cloudwatch.GraphWidget({ title, left: [...left], ...size, ...more });

export const metric = (
  namespace: string,
  metricName: string,
  dimensionsMap: Record<string, string>,
  label: string,
) => new cloudwatch.Metric({ namespace, metricName, dimensionsMap, label, ...sum });

export const logQuery = (name: QueryName, logGroups: readonly ILogGroup[]) => {
  const logGroupNames = logGroups.map(({ logGroupName }) => logGroupName);
  const { text } = queries.find(query => query.name === name)!;
  const queryLines = text.split('\n| ');
  return new cloudwatch.LogQueryWidget({ title: name, logGroupNames, queryLines, ...size });
};

export const deadLettersOf = (queue: Queue, label?: string) =>
  queue.metricApproximateNumberOfMessagesVisible({ ...maximum, ...(label && { label }) });

// SQS stops measuring a queue that nobody uses for six hours (developer guide, "Available CloudWatch metrics for Amazon SQS").
// Its messages remain, so missing data does not change the alarm.
export const deadLettered = (queue: Queue) => ({
  metric: deadLettersOf(queue),
  withoutData: cloudwatch.TreatMissingData.IGNORE,
});
