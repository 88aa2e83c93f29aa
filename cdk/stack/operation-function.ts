import { Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { indexes } from '../../lib/model/table/indexes.ts';
import { type OperationId, operations, type RegisteredOperation } from '../../lib/operations/index.ts';
import type { OperationLimit } from '../config/limits.ts';
import { permissions, warmUpKeyOf } from '../config/permissions.ts';
import { lifeCycleOf, type Settings } from '../config/settings.ts';
import { acknowledge } from './acknowledge.ts';
import { addFunction } from './function.ts';

interface OperationFunctionProps {
  /** The folder with its bundle. */
  readonly code: string;
  readonly table: ITableV2;
  /** Those that its role names. */
  readonly tables: readonly ITableV2[];
  readonly settings: Settings;
  /** The token endpoint of the stage. */
  readonly tokenUrl: string | undefined;
}

/** The function of one operation. Its role allows only what that operation does. */
export class OperationFunction extends Construct {
  readonly operation: RegisteredOperation;
  readonly limit: OperationLimit;
  readonly function: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: OperationId, props: OperationFunctionProps) {
    super(scope, id);
    const { code, tables, settings } = props;
    const { table: actions, indexes: keys = [], partitions } = permissions[id];
    this.operation = operations[id];
    this.limit = settings.limits[id];
    // All indexes of a key: while one replaces another, functions of the old version still read the old one.
    const queried = indexes.filter(({ key }) => keys.includes(key));
    const arns = tables.map(({ tableArn }) => tableArn);
    const indexArns = arns.flatMap(arn => queried.map(({ name }) => `${arn}/index/${name}`));
    const conditions = partitions && { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } };
    const added = addFunction(this, {
      description: `${this.operation.method} ${this.operation.path}`,
      code,
      memory: settings.functionMemory,
      timeout: this.limit.timeout,
      settings,
      environment: this.environment(id, props),
      grants: [
        ['dynamodb', actions, arns, conditions],
        ['dynamodb', queried.length > 0 ? ['Query'] : [], indexArns, conditions],
      ],
    });
    this.function = added.function;
    this.logGroup = added.logGroup;
    if (this.operation.deprecated) {
      new MetricFilter(this, 'DeprecatedCalls', {
        logGroup: added.logGroup,
        filterPattern: FilterPattern.booleanValue('$.message.deprecated', true),
        metricNamespace: Stack.of(this).stackName,
        metricName: 'DeprecatedCalls',
        dimensions: { operation: '$.message.operation' },
      });
    }
    acknowledge(this, {
      'Serverless-LambdaDLQ': 'API Gateway invokes it synchronously: the caller gets the error, and nothing is queued.',
    });
  }

  /** Without the variables that are undefined. */
  private environment(id: OperationId, { table, settings, tokenUrl }: OperationFunctionProps): Record<string, string> {
    const { region, urlSuffix } = Stack.of(this);
    const { publicUrl, domain, indexShards, enforceSunset, tokensValidFrom } = settings;
    const { deprecatedOn, sunsetOn } = lifeCycleOf(this.operation, settings) ?? {};
    const all: Record<string, string | undefined> = {
      TABLE_NAME: table.tableName,
      DYNAMODB_ENDPOINT: `https://dynamodb.${region}.${urlSuffix}`,
      INDEX_SHARDS: String(indexShards[permissions[id].indexes ? 'read' : 'write']),
      WARM_UP: settings.warmUp ? warmUpKeyOf(id) : undefined,
      DEPRECATED_ON: deprecatedOn,
      SUNSET_ON: sunsetOn,
      ENFORCE_SUNSET: sunsetOn && String(enforceSunset),
      // Absent: the gateway's own URL.
      PUBLIC_URL: publicUrl ?? (domain && `https://${domain.name}`),
      TOKENS_VALID_FROM: this.operation.access === 'public' ? undefined : tokensValidFrom,
      // The document has the URL of the token endpoint, and the page connects to it.
      TOKEN_URL: id === 'getOpenApi' || id === 'getDocs' ? tokenUrl : undefined,
    };
    return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
  }
}
