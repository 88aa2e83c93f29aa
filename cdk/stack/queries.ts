import { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { queries, type SavedQuery } from '../config/log-queries.ts';

/** The log groups that the queries read. A query without log groups is left out. */
type LogGroups = Readonly<Record<SavedQuery['reads'], readonly ILogGroup[]>>;

/** The saved queries of the runbook. A query definition is free. */
export class PetstoreQueries extends Construct {
  constructor(scope: Construct, id: string, groups: LogGroups) {
    super(scope, id);
    for (const { name, reads, text } of queries) {
      const logGroups = groups[reads];
      if (logGroups.length === 0) continue;
      new CfnQueryDefinition(this, name, {
        name: `${Stack.of(this).stackName}/${name}`,
        queryString: text,
        logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
      });
    }
  }
}
