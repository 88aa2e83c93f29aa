import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { indexes } from '../../lib/model/table/indexes.ts';
import { recoveryDays } from '../config/limits.ts';
import type { Settings } from '../config/settings.ts';

const createTable = (scope: Construct, { maxRequestUnits, keepsData, events }: Settings) =>
  new dynamodb.TableV2(scope, 'Table', {
    partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
    sortKey: { name: 'sk', type: dynamodb.AttributeType.STRING },
    globalSecondaryIndexes: indexes.map(({ name: indexName, key, projection }) => ({
      indexName,
      partitionKey: { name: key, type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'id', type: dynamodb.AttributeType.NUMBER },
      projectionType: dynamodb.ProjectionType.INCLUDE,
      nonKeyAttributes: [...projection],
      maxReadRequestUnits: maxRequestUnits[key].read,
      maxWriteRequestUnits: maxRequestUnits[key].write,
    })),
    billing: dynamodb.Billing.onDemand({
      maxReadRequestUnits: maxRequestUnits.table.read,
      maxWriteRequestUnits: maxRequestUnits.table.write,
    }),
    encryption: dynamodb.TableEncryptionV2.dynamoOwnedKey(),
    pointInTimeRecoverySpecification: {
      pointInTimeRecoveryEnabled: true,
      recoveryPeriodInDays: recoveryDays,
    },
    timeToLiveAttribute: 'expiresAt',
    // The stream is free if only Lambda reads it. The view type of an existing stream cannot be changed.
    ...(events && { dynamoStream: dynamodb.StreamViewType.NEW_AND_OLD_IMAGES }),
    deletionProtection: keepsData,
    removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });

/**
 * The stack's own table always stays in the template. Otherwise a deployment without an adopted table, such as a rollback, would
 * create an empty table and use it.
 * @returns `table`, which the API uses, and `tables`, which the roles name: a deployment updates roles before functions, so while
 * it adopts a table, functions with new roles still use the own table
 */
export const addTable = (stack: Construct, settings: Settings) => {
  const scope = new Construct(stack, 'Table');
  const own: dynamodb.ITableV2 = createTable(scope, settings);
  const { adoptedTable: adopted } = settings;
  if (!adopted) return { table: own, tables: [own] };
  const table = dynamodb.TableV2.fromTableAttributes(scope, 'Adopted', {
    tableArn: adopted.arn,
    ...(adopted.streamArn && { tableStreamArn: adopted.streamArn }),
  });
  return { table, tables: [table, own] };
};
