import type { GlobalSecondaryIndexDescription, Tag } from '@aws-sdk/client-dynamodb';
import { synthesize } from '../../build/synthesize.ts';
import { tempFolder } from '../../build/temp-folder.ts';
import { evaluate, onlyResourceOf, type Template } from '../../build/template.ts';
import { withOwnTable } from '../../config/settings.ts';

/** Request units a second. */
export interface Maximum {
  readonly MaxReadRequestUnits: number;
  readonly MaxWriteRequestUnits: number;
}

/** What a stage's table is made of, as DynamoDB's API says it. */
export interface TableDefinition {
  readonly keySchema: GlobalSecondaryIndexDescription['KeySchema'];
  readonly indexes: readonly (Required<
    Pick<GlobalSecondaryIndexDescription, 'IndexName' | 'KeySchema' | 'Projection'>
  > & {
    readonly maximum: Maximum;
  })[];
  readonly maximum: Maximum;
  /** Absent: it has no stream. */
  readonly streamViewType?: 'NEW_AND_OLD_IMAGES';
  readonly timeToLive: { readonly AttributeName: string; readonly Enabled: boolean };
  readonly recoverable: boolean;
  readonly isProtected: boolean;
  readonly tags: readonly Tag[];
}

type Named = { readonly IndexName: string };

/** Reads it out of the stage's template, which alone decides it: CloudFormation words a table otherwise than DynamoDB. */
export const definitionOf = (template: Template): TableDefinition => {
  const table = evaluate(onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable')[1]);
  const [replica] = table.Replicas;
  // biome-ignore lint/suspicious/noExplicitAny: the properties of a table, or of one of its indexes
  const maximumOf = (writes: any, reads: any): Maximum => ({
    ...reads.ReadOnDemandThroughputSettings,
    ...writes.WriteOnDemandThroughputSettings,
  });
  return {
    keySchema: table.KeySchema,
    indexes: table.GlobalSecondaryIndexes.map((index: Named & { KeySchema: never; Projection: never }) => ({
      IndexName: index.IndexName,
      KeySchema: index.KeySchema,
      Projection: index.Projection,
      maximum: maximumOf(
        index,
        replica.GlobalSecondaryIndexes.find(({ IndexName }: Named) => IndexName === index.IndexName),
      ),
    })),
    maximum: maximumOf(table, replica),
    ...(table.StreamSpecification && { streamViewType: table.StreamSpecification.StreamViewType }),
    timeToLive: table.TimeToLiveSpecification,
    recoverable: replica.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
    isProtected: replica.DeletionProtectionEnabled,
    tags: replica.Tags ?? [],
  };
};

/** Synthesizes the stage, without its code: nothing of it is bundled. */
export const readDefinition = async (stage: string): Promise<TableDefinition> => {
  const empty = tempFolder('no-code');
  const bundles = { folderOf: () => empty, metafile: { inputs: {}, outputs: {} } };
  return definitionOf((await synthesize({ stage, settings: withOwnTable, bundles })).template);
};
