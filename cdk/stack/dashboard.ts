import { Duration, type Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { type IndexKey, indexes } from '../../lib/model/table/indexes.ts';
import type { QueryName } from '../config/log-queries.ts';
import type { Monitored } from './alarms.ts';
import { graph, logQuery, metric, period, sum } from './part.ts';

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

/**
 * With at most four webhooks it has at most 50 metrics, because a larger dashboard is never among the three free ones of an
 * account (aws.amazon.com/cloudwatch/pricing). So no operation has a metric of its own: log queries list the operations. They
 * run, and are charged, when somebody opens the dashboard.
 */
export const addDashboard = (stack: Stack, monitored: Monitored): void => {
  const { api, table, routes, accessLog, parts } = monitored;
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
  const rows: cloudwatch.IWidget[][] = [
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
    ...parts.map(({ widgets }) => widgets()),
  ];
  const scope = new Construct(stack, 'Dashboard');
  new cloudwatch.Dashboard(scope, 'Dashboard', {
    defaultInterval: Duration.days(1),
    widgets: rows,
  });
};
