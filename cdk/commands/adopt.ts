import { isDeepStrictEqual } from 'node:util';
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import {
  ContinuousBackupsUnavailableException,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ListTagsOfResourceCommand,
  ResourceNotFoundException,
  type TableDescription,
  type Tag,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  type UpdateTableCommandInput,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { awsClient } from '../aws/aws-client.ts';
import { commandOf, count, flag, note, print, runMain, text, UsageError } from '../command.ts';
import { evaluate, onlyResourceOf, type Template } from '../synthesis/template.ts';
import { audit } from './audit/audit.ts';
import { tableReader } from './audit/table-reader.ts';
import { allPages, whenFinal } from './shared/aws-state.ts';
import { plural } from './shared/plural.ts';
import { deployedOptions, deployedUsage, openStage, type Stage, stackOf } from './shared/stage.ts';
import { dynamoDbClient } from './shared/stage-table.ts';

const usage = `npm run adopt -- --stage NAME --table NAME [--rate N] [--yes]
Gives a restored or imported table what it lacks and the stage needs: tags, deletion protection, maximum request units,
the stream, time to live and point-in-time recovery. Waits for the restore, compares the table with the template, audits
its items. Without a difference, it prints the settings with which the stage uses it. You can run it again. The table of
a drill gets no deletion protection, and the last line is the command that deletes it.
Exits with 1 when something differs at the end.
${deployedUsage}
  --table NAME     the new table: petstore-STAGE-restored-…, or …-drill-… ("Test a restore" in TASKS.md)
  --rate N         read request units a second of the audit (default 100)
  --accept N       goes on with at most N differences, after you found the cause of each
  --yes            does it. Without it, prints what differs`;

const pause = 5; // seconds between two reads of the table's state

interface Target {
  readonly client: DynamoDBClient;
  readonly TableName: string;
  /** It only tests a restore: the stage never uses its table. */
  readonly isDrill: boolean;
}

/** A restore takes from twenty minutes to hours. */
const whenActive = ({ client, TableName }: Target): Promise<TableDescription> => {
  let looks = 0;
  return whenFinal(TableName, pause, async () => {
    const { Table: table } = await client
      .send(new DescribeTableCommand({ TableName }))
      .catch(error => {
        // After a restore begins, DynamoDB may not find the table for a while (API reference, DescribeTable).
        if (!(error instanceof ResourceNotFoundException) || looks++ > 12) throw error;
        return { Table: undefined };
      });
    const indexes = table?.GlobalSecondaryIndexes ?? [];
    const parts = [
      table?.TableStatus ?? 'not found yet',
      ...indexes.map(({ IndexStatus }) => IndexStatus),
    ];
    return [table!, parts.find(part => part !== 'ACTIVE')];
  });
};

/** `timeToLive` is the name of an attribute. */
const readState = async (target: Target) => {
  const { client, TableName } = target;
  const table = await whenActive(target);
  const { TimeToLiveDescription: ttl } = await client.send(
    new DescribeTimeToLiveCommand({ TableName }),
  );
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName }),
  );
  const tags = await allPages(async NextToken => {
    const page = await client.send(
      new ListTagsOfResourceCommand({ ResourceArn: table.TableArn, NextToken }),
    );
    return [page.Tags, page.NextToken];
  });
  return {
    table,
    // ENABLING counts as enabled: DynamoDB rejects another change for up to an hour (API reference, UpdateTimeToLive).
    timeToLive: /^ENABL/.test(ttl?.TimeToLiveStatus ?? '') ? ttl?.AttributeName : undefined,
    recoveryDays: backups?.PointInTimeRecoveryDescription?.RecoveryPeriodInDays,
    tags,
  };
};

type State = Awaited<ReturnType<typeof readState>>;

interface Setting {
  readonly wanted: unknown;
  readonly actual: (state: State) => unknown;
  /** Absent: a restore copies the setting, and nothing can change it afterwards. */
  readonly set?: (state: State) => Promise<unknown>;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of a template, or one of its indexes
type Properties = any;
type Index = {
  IndexName?: string;
  KeySchema?: unknown;
  Projection?: { NonKeyAttributes?: string[] };
};

const maximumOf = (writes: Properties, reads: Properties) => ({
  ...reads.ReadOnDemandThroughputSettings,
  ...writes.WriteOnDemandThroughputSettings,
});
const shapesOf = (indexes: readonly Index[] = []) =>
  indexes
    .map(({ IndexName, KeySchema, Projection }) => ({
      IndexName,
      KeySchema,
      fields: [...(Projection?.NonKeyAttributes ?? [])].sort(),
    }))
    .sort((a, b) => a.IndexName!.localeCompare(b.IndexName!));

/**
 * The settings of the table in the stage's template, but no deletion protection for a drill. A restore does not copy time to
 * live, point-in-time recovery, the stream and tags (API reference, RestoreTableToPointInTime, "You must manually set up"), nor
 * maximum units and deletion protection, which that list omits. UpdateTable makes one kind of change per call. Tags come first,
 * because DynamoDB returns new tags only after some seconds, and the command compares all settings at the end.
 */
const settingsOf = (
  template: Template,
  { client, TableName, isDrill }: Target,
): Readonly<Record<string, Setting>> => {
  const update = (input: Omit<UpdateTableCommandInput, 'TableName'>) =>
    client.send(new UpdateTableCommand({ TableName, ...input }));
  const table: Properties = evaluate(onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable')[1]);
  const [replica] = table.Replicas;
  const tags: Tag[] = replica.Tags ?? [];
  const stream = table.StreamSpecification?.StreamViewType;
  const recovery = replica.PointInTimeRecoverySpecification;
  const isProtected = replica.DeletionProtectionEnabled && !isDrill;
  const maxima = table.GlobalSecondaryIndexes.map((index: Index) => ({
    IndexName: index.IndexName,
    OnDemandThroughput: maximumOf(
      index,
      replica.GlobalSecondaryIndexes.find(({ IndexName }: Index) => IndexName === index.IndexName),
    ),
  }));
  const maximum = maximumOf(table, replica);
  return {
    tags: {
      wanted: tags.map(({ Key, Value }) => `${Key}=${Value}`),
      actual: state =>
        tags.map(({ Key }) => `${Key}=${state.tags.find(tag => tag.Key === Key)?.Value}`),
      set: state =>
        client.send(new TagResourceCommand({ ResourceArn: state.table.TableArn, Tags: tags })),
    },
    'deletion protection': {
      wanted: isProtected,
      actual: state => state.table.DeletionProtectionEnabled ?? false,
      set: () => update({ DeletionProtectionEnabled: isProtected }),
    },
    'maximum request units': {
      wanted: [maximum, ...maxima],
      actual: ({ table: { OnDemandThroughput, GlobalSecondaryIndexes } }) => [
        OnDemandThroughput,
        ...maxima.map(({ IndexName }: Index) => ({
          IndexName,
          OnDemandThroughput: GlobalSecondaryIndexes?.find(index => index.IndexName === IndexName)
            ?.OnDemandThroughput,
        })),
      ],
      set: () =>
        update({
          OnDemandThroughput: maximum,
          GlobalSecondaryIndexUpdates: maxima.map((Update: Properties) => ({ Update })),
        }),
    },
    stream: {
      wanted: stream,
      actual: state => state.table.StreamSpecification?.StreamViewType,
      ...(stream && {
        set: () => update({ StreamSpecification: { StreamEnabled: true, StreamViewType: stream } }),
      }),
    },
    'time to live': {
      wanted: table.TimeToLiveSpecification.AttributeName,
      actual: state => state.timeToLive,
      set: () =>
        client.send(
          new UpdateTimeToLiveCommand({
            TableName,
            TimeToLiveSpecification: table.TimeToLiveSpecification,
          }),
        ),
    },
    'point-in-time recovery': {
      wanted: `${recovery.RecoveryPeriodInDays} days`,
      actual: state => state.recoveryDays && `${state.recoveryDays} days`,
      set: () =>
        whenFinal('point-in-time recovery', pause, () =>
          client
            .send(
              new UpdateContinuousBackupsCommand({
                TableName,
                PointInTimeRecoverySpecification: recovery,
              }),
            )
            .then(
              result => [result],
              error => {
                // Backups of a new table "have not yet been enabled" (API reference, UpdateContinuousBackups, "Errors").
                if (!(error instanceof ContinuousBackupsUnavailableException)) throw error;
                return [undefined, 'not available yet'];
              },
            ),
        ),
    },
    key: { wanted: table.KeySchema, actual: state => state.table.KeySchema },
    indexes: {
      wanted: shapesOf(table.GlobalSecondaryIndexes),
      actual: state => shapesOf(state.table.GlobalSecondaryIndexes),
    },
    billing: {
      wanted: 'PAY_PER_REQUEST',
      actual: state => state.table.BillingModeSummary?.BillingMode,
    },
  };
};

const adoptionOf = (
  { TableArn: arn, LatestStreamArn: streamArn }: TableDescription,
  stage: Stage,
): string => {
  const generation = Number(stage.output('EventsGeneration')) + 1;
  const stream = streamArn ? `\n    streamArn: '${streamArn}',` : '';
  return `Put this into the settings of the stage (cdk/stages.ts), then deploy (cdk/RUNBOOK.md, "Much data was deleted or is wrong"):
  adoptedTable: {
    arn: '${arn}',${stream}
    generation: ${generation},
  },
  eventsGeneration: ${generation},`;
};

const definition = {
  usage,
  options: {
    ...deployedOptions,
    table: text,
    rate: { ...text, default: '100' },
    accept: text,
    yes: flag,
  },
  failure: 'The table could not be adopted',
};

export const command = commandOf(definition, async values => {
  const rate = count('rate', values.rate);
  const accepted = values.accept === undefined ? 0 : count('accept', values.accept);
  const TableName = values.table;
  if (TableName === undefined) throw new UsageError('Which table? --table NAME');
  const StackName = stackOf(values);
  const isDrill = TableName.startsWith(`${StackName}-drill-`);
  // Else the command could unprotect another stage's table: the operator role allows it for names with -restored- or -drill-.
  if (!isDrill && !TableName.startsWith(`${StackName}-restored-`))
    throw new UsageError(
      `--table ${TableName} does not begin with ${StackName}-restored- or ${StackName}-drill-.`,
    );
  const target = { client: dynamoDbClient(), TableName, isDrill };
  const stage = await openStage(values);
  const { TemplateBody = '' } = await awsClient(CloudFormationClient).send(
    new GetTemplateCommand({ StackName }),
  );
  const settings = Object.entries(settingsOf(JSON.parse(TemplateBody), target));
  const differencesOf = (state: State) =>
    settings.flatMap(([what, { wanted, actual, set }]) =>
      isDeepStrictEqual(actual(state), wanted)
        ? []
        : {
            text: `${what}: ${JSON.stringify(actual(state))}, wanted ${JSON.stringify(wanted)}`,
            set,
          },
    );
  let state = await readState(target);
  for (const { text, set } of differencesOf(state)) {
    note(`${set ? '' : 'Nothing can change this. '}${text}`);
    if (values.yes && set) await set(state);
    await whenActive(target);
  }
  if (!values.yes) return note('Nothing was changed. Run it again with --yes to do it.');
  // DynamoDB returns new tags "after a few seconds" (API reference, TagResource).
  // mutant: nothing documents how many seconds they are
  let looks = 0;
  state = await whenFinal(TableName, pause, async () => {
    const read = await readState(target);
    return [read, differencesOf(read).length > 0 && looks++ < 6 ? 'not as wanted yet' : undefined];
  });
  const differences = differencesOf(state).map(({ text }) => text);
  const shards = Number(stage.output('IndexShards'));
  const { items, mismatches } = await audit(
    tableReader(target.client, TableName, rate),
    shards,
    note,
  );
  differences.push(...mismatches.map(({ key, about, text }) => `${key.pk} ${about}: ${text}`));
  for (const difference of differences) print(difference);
  print(`${plural(items, 'item')}, ${plural(differences.length, 'difference')}.`);
  if (differences.length > accepted) {
    note(
      'The next step is not printed, because there are differences. Find the cause of each, and run this command again.',
    );
    note(`If none of them matters: --accept ${differences.length}`);
    return 1;
  }
  print(
    isDrill
      ? `aws dynamodb delete-table --table-name ${TableName}`
      : adoptionOf(state.table, stage),
  );
});

if (import.meta.main) await runMain(command);
