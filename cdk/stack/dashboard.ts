import { Duration, type Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type IndexKey, indexes } from '../../lib/model/table/indexes.ts';
import { type QueryName, queries } from '../config/log-queries.ts';
import type { Monitored } from './alarms.ts';
import type { Events } from './events.ts';
import type { Webhooks } from './webhooks.ts';

const period = Duration.minutes(5);
const size = { width: 12, height: 6 };
const sum = { statistic: 'Sum', period };
const maximum = { statistic: 'Maximum', period };
const deadLettered = { statistic: 'Maximum', period, label: 'Dead-lettered' };

type Metrics = readonly cloudwatch.IMetric[];
const graph = (title: string, left: Metrics, more: cloudwatch.GraphWidgetProps = {}) =>
  new cloudwatch.GraphWidget({ title, left: [...left], ...size, ...more });

const metric = (
  namespace: string,
  metricName: string,
  dimensionsMap: Record<string, string>,
  label: string,
) => new cloudwatch.Metric({ namespace, metricName, dimensionsMap, label, ...sum });

/** In percent. */
const percent = (id: string, metric: cloudwatch.IMetric, mostPerSecond: number) => {
  const expression = `100 * ${id} / (${mostPerSecond} * PERIOD(${id}))`;
  return new cloudwatch.MathExpression({
    expression,
    usingMetrics: { [id]: metric },
    label: id,
    period,
  });
};

const logQuery = (name: QueryName, logGroups: readonly ILogGroup[]) => {
  const logGroupNames = logGroups.map(({ logGroupName }) => logGroupName);
  const { text } = queries.find(query => query.name === name)!;
  const queryLines = text.split('\n| ');
  return new cloudwatch.LogQueryWidget({ title: name, logGroupNames, queryLines, ...size });
};

/** Request units of the table and of each index, in percent of the setting `maxRequestUnits`. */
const units = (kind: 'read' | 'write', { table, settings }: Monitored) => {
  const title = kind === 'read' ? 'Read' : 'Write';
  const name = `Consumed${title}CapacityUnits`;
  const at = (place: 'table' | IndexKey, dimensions: Record<string, string>) => {
    const consumed = metric(
      'AWS/DynamoDB',
      name,
      { TableName: table.tableName, ...dimensions },
      name,
    );
    return percent(place, consumed, settings.maxRequestUnits[place][kind]);
  };
  const ofIndexes = indexes.map(({ key, name: index }) =>
    at(key, { GlobalSecondaryIndexName: index }),
  );
  return graph(`${title} units, % of their maximum`, [at('table', {}), ...ofIndexes], {
    leftAnnotations: [{ value: 80 }],
  });
};

const eventWidget = ({ publisher: { function: publisher }, deadLetterQueue }: Events) => {
  const right = [
    publisher.metricErrors(sum),
    deadLetterQueue.metricApproximateNumberOfMessagesVisible(deadLettered),
  ];
  return graph('Event publishing delay, milliseconds', [publisher.metric('IteratorAge', maximum)], {
    right,
  });
};

/**
 * Lambda receives a message once per attempt, and deletes it after the last attempt. So receives without a delete are retries.
 * SQS leaves messages with more than three receives out of the metric of the oldest age (SQS developer guide, "Available
 * CloudWatch metrics for Amazon SQS"). The log query has the age of every message.
 */
const webhookWidgets = ({ bus, webhooks, deadLetterQueue, sender }: Webhooks) => {
  const attempts = webhooks.flatMap(({ name, queue }) => {
    const received = queue.metricNumberOfMessagesReceived({ ...sum, label: `${name}: attempts` });
    const id = name.replaceAll('-', '_');
    const retried = new cloudwatch.MathExpression({
      expression: `received_${id} - FILL(deleted_${id}, 0)`,
      usingMetrics: {
        [`received_${id}`]: received,
        [`deleted_${id}`]: queue.metricNumberOfMessagesDeleted(sum),
      },
      label: `${name}: retried attempts`,
      period,
    });
    return [received, retried];
  });
  const ages = webhooks.map(({ name: label, queue }) =>
    queue.metricApproximateAgeOfOldestMessage({ ...maximum, label }),
  );
  // A rule of a custom bus has both dimensions. EventBridge counts an event that it dropped, because neither the queue nor the
  // dead-letter queue accepted it (EventBridge user guide, "Monitoring Amazon EventBridge").
  const dropped = webhooks.map(({ name, ruleName: RuleName }) => {
    const dimensions = { EventBusName: bus.eventBusName, RuleName };
    return metric('AWS/Events', 'InvocationsFailedToBeSentToDlq', dimensions, `${name}: dropped`);
  });
  const right = [
    deadLetterQueue.metricApproximateNumberOfMessagesVisible(deadLettered),
    ...dropped,
  ];
  return [
    graph('Webhooks: attempts', attempts, { right }),
    graph('Webhooks: age of the oldest event with at most three attempts, seconds', ages),
    logQuery('Webhook attempts by outcome', [sender.logGroup]),
    logQuery('Failed webhook attempts', [sender.logGroup]),
  ];
};

/**
 * With at most four webhooks it has at most 50 metrics, because a larger dashboard is never among the three free ones of an
 * account (aws.amazon.com/cloudwatch/pricing). So no operation has a metric of its own: log queries list the operations. They
 * run, and are charged, when somebody opens the dashboard.
 */
export const addDashboard = (stack: Stack, monitored: Monitored): void => {
  const { api, table, routes, accessLog, events, webhooks } = monitored;
  const { deploymentStage: stage } = api;
  const logGroups = routes.map(({ logGroup }) => logGroup);
  const ofOperations = (name: QueryName) => logQuery(name, logGroups);
  const ofTable = (name: string, more: Record<string, string> = {}, label = name) =>
    metric('AWS/DynamoDB', name, { TableName: table.tableName, ...more }, label);
  const counts = [
    stage.metricCount(sum),
    stage.metricClientError(sum),
    stage.metricServerError(sum),
  ];
  const latencies = ['p50', 'p99'].map(statistic =>
    stage.metricLatency({ statistic, period, label: statistic }),
  );
  const rejections = [
    ofTable('TransactionConflict'),
    ofTable('ConditionalCheckFailedRequests'),
    ofTable('ReadThrottleEvents'),
    ofTable('ThrottledRequests', { Operation: 'Query' }, 'Throttled lists'),
    ofTable('ThrottledRequests', { Operation: 'TransactWriteItems' }, 'Throttled writes'),
  ];
  const ofOrders = routes.filter(
    ({ operation: { id } }) => id === 'placeOrder' || id === 'updateOrder',
  );
  const orders = logQuery(
    'Orders of the day',
    ofOrders.map(({ logGroup }) => logGroup),
  );
  const widgets: cloudwatch.IWidget[][] = [
    [orders],
    [ofOperations('Busiest five minutes by operation'), graph('Requests, errors', counts)],
    [graph('Latency, milliseconds', latencies), ofOperations('5xx by cause')],
    accessLog ? [logQuery('Rejected or failed at the gateway', [accessLog])] : [],
    [units('read', monitored), units('write', monitored)],
    // An operation with more calls per request than usual has conflicts or throttles.
    [
      graph('Conflicts, rejected conditions, throttles', rejections),
      ofOperations('Request units by operation'),
    ],
    [ofOperations('Cold starts by operation'), ofOperations('Callers of deprecated operations')],
    events ? [eventWidget(events)] : [],
    webhooks ? webhookWidgets(webhooks) : [],
  ];
  const scope = new Construct(stack, 'Dashboard');
  new cloudwatch.Dashboard(scope, 'Dashboard', { defaultInterval: Duration.days(1), widgets });
};
