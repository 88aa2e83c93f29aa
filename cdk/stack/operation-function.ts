import type { Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { indexes } from '../../lib/model/table/indexes.ts';
import {
  type OperationId,
  operations,
  type RegisteredOperation,
} from '../../lib/operations/index.ts';
import { permissions, warmUpKeyOf } from '../config/permissions.ts';
import type { Settings } from '../config/settings.ts';
import { acknowledge } from './acknowledge.ts';
import { addFunction } from './function.ts';

interface OperationFunctionProps {
  /** The folder with its bundle. */
  readonly code: string;
  readonly table: ITableV2;
  /** The tables that the role names. */
  readonly tables: readonly ITableV2[];
  readonly settings: Settings;
  readonly tokenUrl: string | undefined;
}

/** The role allows only what the operation does. */
export const addOperationFunction = (
  stack: Stack,
  id: OperationId,
  props: OperationFunctionProps,
) => {
  const scope = new Construct(stack, id);
  const { code, table, tables, settings, tokenUrl } = props;
  const { publicUrl, domain, indexShards, tokensValidFrom } = settings;
  const { deprecatedOn, sunsetOn } = settings.lifeCycle[id] ?? {};
  const { table: actions, indexes: keys, partitions } = permissions[id];
  const operation: RegisteredOperation = operations[id];
  const limit = settings.limits[id];
  // Allows all indexes with the same key, because old functions read an old index while a new one replaces it.
  const queried = indexes.filter(({ key }) => keys?.includes(key));
  const arns = tables.map(({ tableArn }) => tableArn);
  const indexArns = arns.flatMap(arn => queried.map(({ name }) => `${arn}/index/${name}`));
  const conditions = partitions && {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
  };
  const added = addFunction(scope, {
    description: `${operation.method} ${operation.path}`,
    code,
    memory: settings.functionMemory,
    timeout: limit.timeout,
    settings,
    environment: {
      TABLE_NAME: table.tableName,
      DYNAMODB_ENDPOINT: `https://dynamodb.${stack.region}.${stack.urlSuffix}`,
      INDEX_SHARDS: String(indexShards[keys ? 'read' : 'write']),
      WARM_UP: settings.warmUp ? warmUpKeyOf(id) : undefined,
      DEPRECATED_ON: deprecatedOn,
      SUNSET_ON: sunsetOn,
      ENFORCE_SUNSET: sunsetOn && String(settings.enforceSunset),
      // Undefined: the function uses the gateway's own URL.
      PUBLIC_URL: publicUrl ?? (domain && `https://${domain.name}`),
      TOKENS_VALID_FROM: operation.access === 'public' ? undefined : tokensValidFrom,
      TOKEN_URL: permissions[id].tokenUrl && tokenUrl,
    },
    grants: [
      ['dynamodb', actions, arns, conditions],
      ['dynamodb', queried.length > 0 ? ['Query'] : [], indexArns, conditions],
    ],
  });
  if (operation.deprecated) {
    new MetricFilter(scope, 'DeprecatedCalls', {
      logGroup: added.logGroup,
      filterPattern: FilterPattern.booleanValue('$.message.deprecated', true),
      metricNamespace: stack.stackName,
      metricName: 'DeprecatedCalls',
      dimensions: { operation: '$.message.operation' },
    });
  }
  acknowledge(scope, {
    'Serverless-LambdaDLQ':
      'API Gateway invokes it synchronously: the caller gets the error, and nothing is queued.',
  });
  return { operation, limit, function: added.function, logGroup: added.logGroup };
};
export type OperationFunction = ReturnType<typeof addOperationFunction>;
