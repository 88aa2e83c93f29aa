import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryWidget,
  MathExpression,
  Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type IndexKey, indexes } from '../../lib/model/table/indexes.ts';
import type { RegisteredOperation } from '../../lib/operations/index.ts';
import { queryNamed } from '../config/log-queries.ts';
import { usesTable } from '../config/permissions.ts';
import type { Settings } from '../config/settings.ts';
import type { PetstoreEvents } from './events.ts';
import type { PetstoreWebhooks } from './webhooks.ts';

interface PetstoreDashboardProps {
  readonly settings: Settings;
  readonly api: RestApi;
  readonly table: ITableV2;
  readonly events: PetstoreEvents | undefined;
  readonly webhooks: PetstoreWebhooks | undefined;
  readonly routes: readonly {
    readonly operation: RegisteredOperation;
    readonly function: LambdaFunction;
    readonly logGroup: ILogGroup;
  }[];
}

const period = Duration.minutes(5);
const size = { width: 12, height: 6 };

const graph = (title: string, left: IMetric[], more: object = {}) => new GraphWidget({ title, left, ...size, ...more });

/**
 * Figures for operators. It has only free metrics, and at most 50, because larger dashboards are never among the three free
 * ones (aws.amazon.com/cloudwatch/pricing); from the second webhook on it has more. Log queries run, and are charged, when
 * somebody opens it.
 */
export class PetstoreDashboard extends Construct {
  private readonly props: PetstoreDashboardProps;

  constructor(scope: Construct, id: string, props: PetstoreDashboardProps) {
    super(scope, id);
    this.props = props;
    new Dashboard(this, 'Dashboard', {
      defaultInterval: Duration.days(1),
      widgets: [
        this.traffic(),
        this.latency(),
        this.units(),
        this.contention(),
        this.deprecations(),
        this.events(),
        this.webhooks(),
      ],
    });
  }

  private traffic(): IWidget[] {
    const { api, routes, settings } = this.props;
    const { deploymentStage: stage } = api;
    const ofTable = routes.filter(({ operation }) => usesTable(operation.id));
    return [
      // The gateway rejects requests above the rate, so they are not invocations: an operation at 100% has 429s.
      graph(
        'Requests by operation, % of their rate',
        // Without the documentation, so that the dashboard stays free.
        ofTable.map(({ operation: { id }, function: { functionName } }) => {
          const usingMetrics = { [id]: this.metric('AWS/Lambda', 'Invocations', { FunctionName: functionName }, id) };
          const expression = `100 * ${id} / (${settings.limits[id].rate} * PERIOD(${id}))`;
          return new MathExpression({ expression, usingMetrics, label: id, period });
        }),
        { leftAnnotations: [{ value: 80 }] },
      ),
      graph('Requests, errors', [
        stage.metricCount({ statistic: 'Sum', period }),
        stage.metricClientError({ statistic: 'Sum', period }),
        stage.metricServerError({ statistic: 'Sum', period }),
      ]),
    ];
  }

  private latency(): IWidget[] {
    const stage = this.props.api.deploymentStage;
    return [
      graph(
        'Latency, milliseconds',
        ['p50', 'p99'].map(statistic => stage.metricLatency({ statistic, period, label: statistic })),
      ),
      this.logQuery('5xx by cause'),
    ];
  }

  /** In percent of the setting `maxRequestUnits`. */
  private units(): IWidget[] {
    return (['read', 'write'] as const).map(kind =>
      graph(
        `${kind === 'read' ? 'Read' : 'Write'} units, % of their maximum`,
        this.consumed(kind).map(({ place, metric }) => {
          const cap = this.props.settings.maxRequestUnits[place][kind];
          const expression = `100 * ${place} / (${cap} * PERIOD(${place}))`;
          return new MathExpression({ expression, usingMetrics: { [place]: metric }, label: place, period });
        }),
        { leftAnnotations: [{ value: 80 }] },
      ),
    );
  }

  private contention(): IWidget[] {
    return [
      graph('Conflicts, rejected conditions, throttles', [
        ...['TransactionConflict', 'ConditionalCheckFailedRequests', 'ReadThrottleEvents'].map(name =>
          this.ofTable(name),
        ),
        this.ofTable('ThrottledRequests', { Operation: 'Query' }, 'Throttled lists'),
        this.ofTable('ThrottledRequests', { Operation: 'TransactWriteItems' }, 'Throttled writes'),
      ]),
      // An operation with more calls than usual has conflicts or throttles.
      this.logQuery('Request units by operation'),
    ];
  }

  private deprecations(): IWidget[] {
    return [this.logQuery('Cold starts by operation'), this.logQuery('Callers of deprecated operations')];
  }

  private events(): IWidget[] {
    const { events } = this.props;
    const lag = events && [
      graph(
        'Event publishing delay, milliseconds',
        [events.publisher.function.metric('IteratorAge', { statistic: 'Maximum', period })],
        {
          right: [
            events.publisher.function.metricErrors({ statistic: 'Sum', period }),
            events.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
              statistic: 'Maximum',
              period,
              label: 'Dead-lettered',
            }),
          ],
        },
      ),
    ];
    return lag ?? [];
  }

  /**
   * Lambda receives a message for each attempt, and deletes it after the last. The age excludes messages with more than three
   * receives (SQS developer guide, "Available CloudWatch metrics for Amazon SQS"); the log query has the age of all.
   */
  private webhooks(): IWidget[] {
    const { webhooks } = this.props;
    if (!webhooks) return [];
    const metrics = [...webhooks.queues].map(([name, queue]) => {
      const received = queue.metricNumberOfMessagesReceived({ statistic: 'Sum', period, label: `${name}: attempts` });
      const deleted = queue.metricNumberOfMessagesDeleted({ statistic: 'Sum', period });
      const id = name.replaceAll('-', '_');
      const retried = new MathExpression({
        expression: `received_${id} - FILL(deleted_${id}, 0)`,
        usingMetrics: { [`received_${id}`]: received, [`deleted_${id}`]: deleted },
        label: `${name}: retried attempts`,
        period,
      });
      const age = queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period, label: name });
      return { attempts: [received, retried], age };
    });
    const deadLettered = webhooks.deadLetterQueue.metricApproximateNumberOfMessagesVisible({
      statistic: 'Maximum',
      period,
      label: 'Dead-lettered',
    });
    return [
      graph(
        'Webhooks: attempts',
        metrics.flatMap(({ attempts }) => attempts),
        { right: [deadLettered] },
      ),
      graph(
        'Webhooks: age of the oldest event with at most three attempts, seconds',
        metrics.map(({ age }) => age),
      ),
      this.logQuery('Webhook attempts by outcome', [webhooks.sender.logGroup]),
      this.logQuery('Failed webhook attempts', [webhooks.sender.logGroup]),
    ];
  }

  /** Request units of the table and of each index, by place. */
  private consumed(kind: 'read' | 'write'): { place: 'table' | IndexKey; metric: Metric }[] {
    const name = kind === 'read' ? 'ConsumedReadCapacityUnits' : 'ConsumedWriteCapacityUnits';
    return [
      { place: 'table', metric: this.ofTable(name) },
      ...indexes.map(({ key, name: index }) => ({
        place: key,
        metric: this.ofTable(name, { GlobalSecondaryIndexName: index }),
      })),
    ];
  }

  private ofTable(name: string, more: Record<string, string> = {}, label?: string): Metric {
    return this.metric('AWS/DynamoDB', name, { TableName: this.props.table.tableName, ...more }, label ?? name);
  }

  private metric(namespace: string, metricName: string, dimensionsMap: Record<string, string>, label: string): Metric {
    return new Metric({ namespace, metricName, dimensionsMap, label, statistic: 'Sum', period });
  }

  private logQuery(
    name: string,
    logGroups: readonly ILogGroup[] = this.props.routes.map(route => route.logGroup),
  ): IWidget {
    const logGroupNames = logGroups.map(({ logGroupName }) => logGroupName);
    return new LogQueryWidget({ title: name, logGroupNames, queryLines: [...queryNamed(name).commands], ...size });
  }
}
