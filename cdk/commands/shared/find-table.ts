import { type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import type { Settings } from '../../config/settings.ts';

/**
 * The name of a stage's table: the one that it has adopted, else the one that CloudFormation made, whose name begins with
 * those of stack and resource (CloudFormation user guide, "Name type").
 * @throws when there is none or more than one, saying what to do
 */
export const findTable = async (
  client: DynamoDBClient,
  stage: string,
  { adoptedTable }: Pick<Settings, 'adoptedTable'>,
): Promise<string> => {
  if (adoptedTable) return adoptedTable.arn.split('/').at(-1)!;
  const prefix = `petstore-${stage}-Table`;
  const found: string[] = [];
  let start: string | undefined;
  do {
    const { TableNames = [], LastEvaluatedTableName } = await client.send(
      new ListTablesCommand({ ...(start && { ExclusiveStartTableName: start }) }),
    );
    found.push(...TableNames.filter(name => name.startsWith(prefix)));
    start = LastEvaluatedTableName;
  } while (start);
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  throw new Error(
    only
      ? `Several tables may be the one of stage ${stage}: ${found.join(', ')}. The stack’s output TableName says which: --table NAME`
      : `There is no table of stage ${stage} there (${prefix}…). Name it, --table NAME, or the place, --region`,
  );
};
