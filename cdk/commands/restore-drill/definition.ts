import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import type { GlobalSecondaryIndexDescription, Tag } from '@aws-sdk/client-dynamodb';
import { evaluate, onlyResourceOf, type Template } from '../../build/template.ts';
import { stackOf } from '../shared/stage.ts';

/** Request units a second. */
export interface Maximum {
  readonly MaxReadRequestUnits: number;
  readonly MaxWriteRequestUnits: number;
}

/** The definition of a stage's table, in the terms of the DynamoDB API. */
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

/** Translates the table of a template into the terms of the DynamoDB API. */
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

/** Reads the definition from the template of the deployed stack, which keeps its own table also while it uses another. */
export const readDefinition = async (stage: string): Promise<TableDefinition> => {
  const command = new GetTemplateCommand({ StackName: stackOf(stage) });
  const { TemplateBody = '' } = await new CloudFormationClient().send(command);
  return definitionOf(JSON.parse(TemplateBody));
};
