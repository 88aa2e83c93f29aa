import { Duration, Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { allOperations, operations } from '../../lib/operations/index.ts';
import { isList } from '../../lib/operations/operation.ts';
import { usesTable } from '../config/permissions.ts';
import type { OperationFunction } from './operation-function.ts';

const pathIs = (comparison: '=' | '!=', path: string) => `$.resourcePath ${comparison} "${path}"`;
const publicLists = allOperations.filter(of => of.access === 'public' && isList(of));
const ofPublicList = `$.httpMethod = "GET" && (${publicLists.map(({ path }) => pathIs('=', path)).join(' || ')})`;
const ofNoPublicList = `($.httpMethod != "GET" || (${publicLists.map(({ path }) => pathIs('!=', path)).join(' && ')}))`;
const orders = `${operations.placeOrder.path}*`;
const [ofOrders, ofOthers] = [pathIs('=', orders), pathIs('!=', orders)];

/**
 * The gateway logs one line for each request, whether a function failed, crashed, timed out or did not run. Not counted are a
 * request that is too large for Lambda (413, which callers cause), and one that Lambda throttled (429, as in a pause of writes),
 * for which there is FunctionsThrottled (Lambda API reference, "Invoke").
 */
const failed = '$.status = "5*" && $.lambdaStatus != "413" && $.lambdaStatus != "429"';

/** By alarm: the lines that add 1, which are never normal, and those that add a fifth, because a few are normal. */
const failures = {
  OrdersFailing: [
    `${failed} && $.status != "503" && ${ofOrders}`,
    `${failed} && $.status = "503" && ${ofOrders}`,
  ],
  Failures: [
    `${failed} && $.status != "503" && ${ofOthers} && ${ofNoPublicList}`,
    `${failed} && ${ofOthers} && ($.status = "503" || (${ofPublicList}))`,
  ],
} as const;

/**
 * For metrics of log lines, which have no data, and cost nothing, while no line matches. Without `FILL`, CloudWatch would then
 * evaluate older data, and keep the state for hours (CloudWatch user guide, "Configuring how CloudWatch alarms treat missing
 * data" and "Using math expressions with CloudWatch metrics").
 */
export const filled = (metric: cloudwatch.Metric, period: Duration) =>
  new cloudwatch.MathExpression({
    expression: 'FILL(lines, 0)',
    usingMetrics: { lines: metric.with({ statistic: 'Sum', period }) },
    period,
  });

export const alarmMetrics = (
  scope: Construct,
  routes: readonly OperationFunction[],
  accessLog: ILogGroup,
) => {
  const metricNamespace = Stack.of(scope).stackName;
  const count = (
    metricName: string,
    of: string,
    logGroup: ILogGroup,
    pattern: string,
    metricValue = '1',
  ) =>
    new MetricFilter(scope, `${metricName}-${of}`, {
      logGroup,
      filterPattern: FilterPattern.literal(`{ ${pattern} }`),
      metricNamespace,
      metricName,
      metricValue,
    }).metric();

  const failuresOf = (alarm: keyof typeof failures) => {
    const [whole, fifth] = failures[alarm];
    count(alarm, 'fifth', accessLog, fifth, '0.2');
    return filled(count(alarm, 'whole', accessLog, whole), Duration.hours(1));
  };
  const throttled = routes
    .filter(({ operation }) => usesTable(operation.id))
    .map(({ operation, logGroup }) =>
      count('ThrottledRequests', operation.id, logGroup, '$.message.throttled IS TRUE'),
    );
  // The gateway's own throttle; a 429 of the web ACL has the type WAF_FILTERED.
  const rejected = count('ThrottledCallers', 'accessLog', accessLog, '$.errorType = "THROTTLED"');
  const period = Duration.minutes(5);
  return {
    failuresOf,
    throttled: filled(throttled[0]!, period),
    rejected: filled(rejected, period),
  };
};
