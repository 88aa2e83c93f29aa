import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { indexes } from '../../lib/model/table/indexes.ts';
import { recoveryDays } from '../config/limits.ts';
import type { Settings } from '../config/settings.ts';

/**
 * The stack's own table and the table that the API uses: the same, unless the stage adopted another. Both can be restored to
 * any second of the last days. The own table always stays in the template. Otherwise the next deployment without the
 * adopted table, of an older version for example, would create an empty table and use it.
 */
export class PetstoreTable extends Construct {
  /** The table that the API uses. */
  readonly table: dynamodb.ITableV2;
  /** For roles: a deployment updates them before functions, so while it adopts a table, functions still use the own one. */
  readonly tables: readonly dynamodb.ITableV2[];

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const own = this.createTable(settings);
    const { adoptedTable: adopted } = settings;
    this.table = adopted
      ? dynamodb.TableV2.fromTableAttributes(this, 'Adopted', {
          tableArn: adopted.arn,
          ...(adopted.streamArn && { tableStreamArn: adopted.streamArn }),
        })
      : own;
    this.tables = adopted ? [this.table, own] : [own];
  }

  private createTable({ maxRequestUnits, keepsData, events }: Settings): dynamodb.TableV2 {
    return new dynamodb.TableV2(this, 'Table', {
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
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: recoveryDays },
      timeToLiveAttribute: 'expiresAt',
      // Free if only Lambda reads it. The view type of an existing stream cannot be changed.
      ...(events && { dynamoStream: dynamodb.StreamViewType.NEW_AND_OLD_IMAGES }),
      deletionProtection: keepsData,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}
