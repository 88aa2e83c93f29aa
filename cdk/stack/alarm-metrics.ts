import { Duration, Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import {
  FilterPattern,
  type IFilterPattern,
  type ILogGroup,
  MetricFilter,
} from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { RegisteredOperation } from '../../lib/operations/index.ts';
import { sampledIds, successWeight, type Thresholds } from '../config/alarms.ts';
import type { OperationFunction } from './operation-function.ts';

/**
 * A function logs a 5xx itself. For a crash or a timeout, Lambda logs a status other than `success` (Lambda telemetry API,
 * "platform.report").
 */
const failed = FilterPattern.any(
  FilterPattern.numberValue('$.message.status', '>=', 500),
  ...['error', 'failure', 'timeout'].map(status =>
    FilterPattern.stringValue('$.record.status', '=', status),
  ),
);

const sampledSuccess = FilterPattern.all(
  FilterPattern.numberValue('$.message.status', '<', 500),
  FilterPattern.any(
    ...sampledIds.map(id => FilterPattern.stringValue('$.message.requestId', '=', id)),
  ),
);

/**
 * Lambda ran no function, so only the gateway logs the request. For a crash, too, Lambda returns 200 (Lambda API reference, "Invoke",
 * FunctionError). Only a request that passed the authorizer has a client (access-log.ts).
 */
const notRun = ({ method, path, access }: RegisteredOperation): IFilterPattern =>
  FilterPattern.all(
    FilterPattern.stringValue('$.status', '=', '5*'),
    FilterPattern.stringValue('$.lambdaStatus', '!=', '200'),
    ...(access === 'public' ? [] : [FilterPattern.stringValue('$.clientId', '!=', '-')]),
    FilterPattern.stringValue('$.httpMethod', '=', method),
    FilterPattern.stringValue('$.resourcePath', '=', path),
  );

const throttled = FilterPattern.booleanValue('$.message.throttled', true);
// The gateway's own throttle; a 429 of the web ACL has the type WAF_FILTERED.
const rejected = FilterPattern.stringValue('$.errorType', '=', 'THROTTLED');

interface Lines {
  readonly routes: readonly OperationFunction[];
  readonly accessLog: ILogGroup | undefined;
  readonly thresholds: Thresholds;
}

/** The metrics have no default value, so they cost nothing in an hour in which no line matches. */
export const alarmMetrics = (scope: Construct, { routes, accessLog, thresholds }: Lines) => {
  const metricNamespace = Stack.of(scope).stackName;
  const count = (
    metricName: string,
    of: string,
    logGroup: ILogGroup,
    filterPattern: IFilterPattern,
    metricValue = '1',
  ) =>
    new MetricFilter(scope, `${metricName}-${of}`, {
      logGroup,
      filterPattern,
      metricNamespace,
      metricName,
      metricValue,
    });
  const sumOf = (metricName: string, period = Duration.minutes(5)) =>
    new cloudwatch.Metric({ namespace: metricNamespace, metricName, statistic: 'Sum', period });
  const routesOf = (isRead: (operation: RegisteredOperation) => boolean) =>
    routes.filter(({ operation }) => isRead(operation));

  return {
    /**
     * The failures of the last 24 hours (CloudWatch user guide, "Alarm evaluation window"), less a share of the successes. So the
     * random failures of a large shop never reach the threshold, and an operation with three requests a day does if it always
     * fails. A metric filter can report negative numbers (CloudWatch Logs user guide, "Creating metrics from log events").
     */
    failing: ({ id }: RegisteredOperation) => {
      const metricName = `FailingRequests-${id}`;
      for (const { operation, logGroup } of routesOf(of => of.id === id)) {
        count(metricName, 'failed', logGroup, failed);
        count(metricName, 'sampled', logGroup, sampledSuccess, `${successWeight(thresholds)}`);
        if (accessLog) count(metricName, 'notRun', accessLog, notRun(operation));
      }
      return sumOf(metricName, Duration.days(1));
    },
    throttled: (isRead: (operation: RegisteredOperation) => boolean) => {
      for (const { operation, logGroup } of routesOf(isRead))
        count('ThrottledRequests', operation.id, logGroup, throttled);
      return sumOf('ThrottledRequests');
    },
    rejected: (log: ILogGroup) => {
      count('ThrottledCallers', 'accessLog', log, rejected);
      return sumOf('ThrottledCallers');
    },
  };
};
