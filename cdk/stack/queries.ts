import type { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { queries } from '../config/log-queries.ts';
import type { LogGroups } from './part.ts';

/** Skips queries whose log groups the stage does not have. A query definition is free. */
export const addQueries = (stack: Stack, groups: LogGroups): void => {
  const scope = new Construct(stack, 'Queries');
  for (const { name, reads, text } of queries) {
    const logGroupNames = groups[reads]?.map(({ logGroupName }) => logGroupName) ?? [];
    const query = { name: `${stack.stackName}/${name}`, queryString: text, logGroupNames };
    if (logGroupNames.length > 0) new CfnQueryDefinition(scope, name, query);
  }
};
