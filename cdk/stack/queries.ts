import type { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { queries, type SavedQuery } from '../config/log-queries.ts';

/** Skips queries whose log groups the stage does not have. A query definition is free. */
export const addQueries = (
  stack: Stack,
  groups: Readonly<Record<SavedQuery['reads'], readonly ILogGroup[]>>,
): void => {
  const scope = new Construct(stack, 'Queries');
  for (const { name, reads, text } of queries.filter(query => groups[query.reads].length > 0))
    new CfnQueryDefinition(scope, name, {
      name: `${stack.stackName}/${name}`,
      queryString: text,
      logGroupNames: groups[reads].map(({ logGroupName }) => logGroupName),
    });
};
