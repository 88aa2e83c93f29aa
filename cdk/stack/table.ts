import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  type ITableV2,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { indexes } from '../../lib/model/table/indexes.ts';
import type { Settings } from '../config/settings.ts';

/**
 * The stack's own table, and the one that serves: the same, unless another was adopted. Both can be restored to any second of
 * the last 35 days. The own one is always there, as protected as ever: were it to leave the template, the next deployment
 * without the adoption, a version from before it say, would make an empty table and serve that.
 */
export class PetstoreTable extends Construct {
  /** The one that serves. */
  readonly table: ITableV2;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const own = this.createTable(settings);
    const { adoptedTable: adopted } = settings;
    this.table = adopted
      ? TableV2.fromTableAttributes(this, 'Adopted', { tableArn: adopted.arn, tableStreamArn: adopted.streamArn })
      : own;
  }

  private createTable({ maxRequestUnits, keepsData, events }: Settings): TableV2 {
    return new TableV2(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      globalSecondaryIndexes: indexes.map(({ name: indexName, key, projection }) => ({
        indexName,
        partitionKey: { name: key, type: AttributeType.STRING },
        sortKey: { name: 'id', type: AttributeType.NUMBER },
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: [...projection],
        maxReadRequestUnits: maxRequestUnits[key].read,
        maxWriteRequestUnits: maxRequestUnits[key].write,
      })),
      billing: Billing.onDemand({
        maxReadRequestUnits: maxRequestUnits.table.read,
        maxWriteRequestUnits: maxRequestUnits.table.write,
      }),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: 'expiresAt',
      // Without charge where Lambda alone reads it. Its view type cannot be changed while it is there.
      ...(events && { dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES }),
      deletionProtection: keepsData,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}
