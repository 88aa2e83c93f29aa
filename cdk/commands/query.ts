import {
  CloudWatchLogsClient,
  DescribeQueryDefinitionsCommand,
  GetQueryResultsCommand,
  type QueryDefinition,
  type ResultField,
  StartQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { awsClient } from '../aws/aws-client.ts';
import { commandOf, note, now, print, runMain, text, UsageError } from '../command.ts';
import { jsonOrUndefined } from '../files/json-or-undefined.ts';
import { allPages, whenFinal } from './shared/aws-state.ts';
import { plural } from './shared/plural.ts';
import { deployedOptions, deployedUsage, stackOf } from './shared/stage.ts';
import { timeOf } from './shared/time-of.ts';

const usage = `npm run query -- --stage NAME ['NAME OF A QUERY' …] [--since TIME] [--request-id ID]
Runs saved Logs Insights queries of a stage, and prints each row as a line of JSON. Without a name it prints the names.
CloudWatch charges $0.005 per GB that a query reads.
${deployedUsage}
  --since TIME     15m, 3h (default), 2d, today, a date in this machine's time zone, or 2026-11-21T14:00:00Z
  --request-id ID  for the query 'One request by its id': the X-Request-Id of the response`;

const placeholder = 'the X-Request-Id of the response';

/** @throws when the query needs an id that is not given */
const toText = ({ name, queryString = '' }: QueryDefinition, requestId = ''): string => {
  if (!queryString.includes(placeholder)) return queryString;
  if (!/^[\w-]+$/.test(requestId))
    throw new UsageError(`Which request? '${name}' needs --request-id ID`);
  return queryString.replace(placeholder, requestId);
};

const seconds = (time: number): number => Math.floor(time / 1000);

/** CloudWatch returns text. Parses `@message` if it is JSON, makes `first` and `last` ISO 8601, and drops the pointer `@ptr`. */
const toEntry = ({ field, value = '' }: ResultField): [string, unknown][] => {
  if (field === undefined || field === '@ptr') return [];
  if (field === '@message') return [[field, jsonOrUndefined(value) ?? value]];
  const isTime = /^(?:first|last)$/.test(field) && /^\d{13}$/.test(value);
  return [[field, isTime ? new Date(Number(value)).toISOString() : value]];
};

const runQuery = async (
  client: CloudWatchLogsClient,
  { name, logGroupNames }: QueryDefinition,
  queryString: string,
  start: number,
): Promise<void> => {
  const times = { startTime: seconds(start), endTime: seconds(now()) };
  const { queryId } = await client.send(
    new StartQueryCommand({ queryString, logGroupNames, ...times }),
  );
  const { status, results, statistics } = await whenFinal(name!, 1, async () => {
    const read = await client.send(new GetQueryResultsCommand({ queryId }));
    return [
      read,
      read.status === 'Scheduled' || read.status === 'Running' ? read.status : undefined,
    ];
  });
  if (status !== 'Complete') throw new Error(`It ended with the status ${status}.`);
  for (const row of results!) print(JSON.stringify(Object.fromEntries(row.flatMap(toEntry))));
  const read = (statistics!.bytesScanned! / 1e6).toFixed(1);
  note(
    `${name}: ${plural(results!.length, 'row')} since ${new Date(start).toISOString()}; read ${read} MB.`,
  );
};

const options = { ...deployedOptions, since: { ...text, default: '3h' }, 'request-id': text };
const definition = { usage, options, most: 99, failure: 'The query failed' };

export const command = commandOf(definition, async (values, names) => {
  const start = timeOf(values.since);
  if (!(start <= now())) throw new UsageError(`--since ${values.since} is no time in the past.`);
  const prefix = `${stackOf(values)}/`;
  const client = awsClient(CloudWatchLogsClient);
  const saved = await allPages(async nextToken => {
    const page = await client.send(
      new DescribeQueryDefinitionsCommand({
        queryDefinitionNamePrefix: prefix,
        maxResults: 1_000,
        nextToken,
      }),
    );
    return [page.queryDefinitions, page.nextToken];
  });
  const list = saved.map(({ name }) => name!.slice(prefix.length)).sort();
  if (list.length === 0)
    throw new Error(
      `There are no saved queries ${prefix}… in ${await client.config.region()}. Check --stage, --region and AWS_PROFILE.`,
    );
  if (names.length === 0) return print(list.join('\n'));
  for (const name of names) {
    const query = saved.find(definition => definition.name === prefix + name);
    if (!query)
      throw new UsageError(`The stage has no query "${name}". It has:\n${list.join('\n')}\n`);
    await runQuery(client, query, toText(query, values['request-id']), start);
  }
});

if (import.meta.main) await runMain(command);
