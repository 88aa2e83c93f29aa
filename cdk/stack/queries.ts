import { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { queries, type SavedQuery } from '../config/log-queries.ts';

/** What the questions are asked of; those of whom there are no logs are left out. */
type LogGroups = Readonly<Record<SavedQuery['reads'], readonly ILogGroup[]>>;

/** What Logs Insights takes in one query (CloudWatch Logs user guide, "CloudWatch Logs Insights quotas"). */
const mostLogGroups = 50;

/** The questions that one asks at night, saved. A definition costs nothing. */
export class PetstoreQueries extends Construct {
  constructor(scope: Construct, id: string, groups: LogGroups) {
    super(scope, id);
    for (const { name, reads, commands } of queries) {
      const asked = groups[reads];
      if (asked.length === 0) continue;
      if (asked.length > mostLogGroups)
        throw new Error(`The query "${name}" reads more than ${mostLogGroups} log groups.`);
      new CfnQueryDefinition(this, name, {
        name: `${Stack.of(this).stackName}/${name}`,
        queryString: commands.join('\n| '),
        logGroupNames: asked.map(({ logGroupName }) => logGroupName),
      });
    }
  }
}
