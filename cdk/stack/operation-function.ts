import { Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
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

/** The environment variables with the dates of a deprecated operation. */
const lifeCycleEnvironment = (operation: RegisteredOperation, settings: Settings): Record<string, string> => {
  const lifeCycle = lifeCycleOf(operation, settings);
  if (!lifeCycle) return {};
  const { deprecatedOn, sunsetOn } = lifeCycle;
  return { DEPRECATED_ON: deprecatedOn, SUNSET_ON: sunsetOn, ENFORCE_SUNSET: String(settings.enforceSunset) };
};

/** The base URL that callers use: the setting, the domain, or undefined for the gateway's own. */
const publicUrlOf = ({ publicUrl, domain }: Settings): string | undefined =>
  publicUrl ?? (domain && `https://${domain.name}`);

/** The function of one operation. Its role allows only what that operation does. */
export class OperationFunction extends Construct {
  readonly function: LambdaFunction;
  readonly logGroup: LogGroup;

  constructor(
    scope: Construct,
    id: string,
    { operation, code, table, permissions, limit, settings, tokenUrl }: OperationFunctionProps,
  ) {
    super(scope, id);
    const { region, urlSuffix } = Stack.of(this);
    const publicUrl = publicUrlOf(settings);
    const added = addFunction(this, {
      description: `${operation.method} ${operation.path}`,
      code,
      memory: settings.functionMemory,
      timeout: limit.timeout,
      settings,
      environment: {
        TABLE_NAME: table.tableName,
        DYNAMODB_ENDPOINT: `https://dynamodb.${region}.${urlSuffix}`,
        INDEX_SHARDS: String(settings.indexShards[permissions.indexes ? 'read' : 'write']),
        ...lifeCycleEnvironment(operation, settings),
        ...(publicUrl !== undefined && { PUBLIC_URL: publicUrl }),
        ...(operation.access !== 'public' &&
          settings.tokensValidFrom && { TOKENS_VALID_FROM: settings.tokensValidFrom }),
        ...(usesTokenUrl.includes(operation.id) && tokenUrl && { TOKEN_URL: tokenUrl }),
      },
    });
    const { role, logGroup } = added;
    this.function = added.function;
    this.logGroup = logGroup;
    if (permissions.table.length > 0) {
      const actions = permissions.table.map(action => `dynamodb:${action}`);
      role.addToPolicy(new PolicyStatement({ actions, resources: [table.tableArn] }));
    }
    if (permissions.indexes) {
      // All indexes of a key: while one replaces another, functions of the old version still read the old one.
      const resources = indexes
        .filter(({ key }) => permissions.indexes?.includes(key))
        .map(({ name }) => `${table.tableArn}/index/${name}`);
      role.addToPolicy(new PolicyStatement({ actions: ['dynamodb:Query'], resources }));
    }
    if (operation.deprecated) {
      new MetricFilter(this, 'DeprecatedCalls', {
        logGroup,
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
