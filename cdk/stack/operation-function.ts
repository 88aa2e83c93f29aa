import { Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { indexes } from '../../lib/model/table/indexes.ts';
import type { OperationId, RegisteredOperation } from '../../lib/operations/index.ts';
import type { OperationLimit } from '../config/limits.ts';
import type { Permissions } from '../config/permissions.ts';
import { lifeCycleOf, type Settings } from '../config/settings.ts';
import { acknowledge } from './acknowledge.ts';
import { addFunction } from './function.ts';

interface OperationFunctionProps {
  readonly operation: RegisteredOperation;
  /** The folder with its bundle. */
  readonly code: string;
  readonly table: ITableV2;
  readonly permissions: Permissions;
  readonly limit: OperationLimit;
  readonly settings: Settings;
  /** The token endpoint of the stage. */
  readonly tokenUrl: string | undefined;
}

/** The document has the URL of the token endpoint, and the page connects to it. */
const usesTokenUrl: readonly OperationId[] = ['getOpenApi', 'getDocs'];

/** The base URL that callers use: the setting, the domain, or undefined for the gateway's own. */
const publicUrlOf = ({ publicUrl, domain }: Settings): string | undefined =>
  publicUrl ?? (domain && `https://${domain.name}`);

/** The environment of a function, without the variables that are undefined. */
const environmentOf = (stack: Stack, props: OperationFunctionProps): Record<string, string> => {
  const { operation, table, permissions, settings, tokenUrl } = props;
  const { deprecatedOn, sunsetOn } = lifeCycleOf(operation, settings) ?? {};
  const all: Record<string, string | undefined> = {
    TABLE_NAME: table.tableName,
    DYNAMODB_ENDPOINT: `https://dynamodb.${stack.region}.${stack.urlSuffix}`,
    INDEX_SHARDS: String(settings.indexShards[permissions.indexes ? 'read' : 'write']),
    DEPRECATED_ON: deprecatedOn,
    SUNSET_ON: sunsetOn,
    ENFORCE_SUNSET: sunsetOn && String(settings.enforceSunset),
    PUBLIC_URL: publicUrlOf(settings),
    TOKENS_VALID_FROM: operation.access === 'public' ? undefined : settings.tokensValidFrom,
    TOKEN_URL: usesTokenUrl.includes(operation.id) ? tokenUrl : undefined,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
};

/** The function of one operation. Its role allows only what that operation does. */
export class OperationFunction extends Construct {
  readonly function: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: OperationFunctionProps) {
    super(scope, id);
    const { operation, code, table, permissions, limit, settings } = props;
    // All indexes of a key: while one replaces another, functions of the old version still read the old one.
    const queried = indexes.filter(({ key }) => permissions.indexes?.includes(key));
    const added = addFunction(this, {
      description: `${operation.method} ${operation.path}`,
      code,
      memory: settings.functionMemory,
      timeout: limit.timeout,
      settings,
      environment: environmentOf(Stack.of(this), props),
      grants: [
        ['dynamodb', permissions.table, [table.tableArn]],
        ['dynamodb', queried.length > 0 ? ['Query'] : [], queried.map(({ name }) => `${table.tableArn}/index/${name}`)],
      ],
    });
    this.function = added.function;
    this.logGroup = added.logGroup;
    if (operation.deprecated) {
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
}
