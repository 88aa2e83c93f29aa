import { DescribeContinuousBackupsCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { prices } from '../../config/prices.ts';
import { commandOf, UsageError } from '../shared/command.ts';
import { deployedOptions, deployedUsage, openStage, type Stage } from '../shared/stage.ts';
import { dynamoDbClient } from '../shared/stage-table.ts';
import { readDefinition } from './definition.ts';
import { applySettings, drill, type Outcome } from './drill.ts';
import { removalSteps, restoreStep, settingSteps } from './steps.ts';
import { describeTable } from './table-state.ts';

const usage = `npm run restore-drill -- --stage NAME ([--at TIME] [--keep] [--table NAME] [--rate N] | --apply NAME) [--yes]
Restores the table of a stage to a point in time, as a new table. Applies the settings that a restore does not copy,
compares the new table with the current one, audits it and deletes it. Without --yes it prints the steps and the cost, and
changes nothing.
${deployedUsage}
  --at TIME        the point in time, such as 2026-11-21T10:00:00Z (default: the latest, about five minutes ago)
  --keep           keeps the new table, and prints the settings with which the stage uses it: a restore, not a drill
  --table NAME     the table to restore, if it is not the current table of the stage
  --apply NAME     instead of a restore: applies the settings to an existing table, such as one imported from an export, and
                   prints the settings with which the stage uses it
  --rate N         read request units a second of each table while it compares them (default 100)
  --yes            does it
  --help           prints this
Exits with 1 when the new table differs. Then it keeps the table, so that you can inspect it.`;

const { count, fail, readOptions, run } = commandOf(usage);
const { values: options } = readOptions({
  ...deployedOptions,
  at: { type: 'string' },
  keep: { type: 'boolean', default: false },
  table: { type: 'string' },
  apply: { type: 'string' },
  rate: { type: 'string', default: '100' },
  yes: { type: 'boolean', default: false },
});
const { keep } = options;
const rate = count('rate', options.rate);

const print = (text: string) => console.error(text);

const momentOf = ({ earliest, latest }: { earliest: Date; latest: Date }): Date => {
  const moment = options.at === undefined ? latest : new Date(options.at);
  if (Number.isNaN(moment.getTime())) fail(`--at ${options.at} is not a time such as 2026-11-21T10:00:00Z.`);
  if (moment < earliest || moment > latest)
    fail(
      `The table can be restored to ${earliest.toISOString()} … ${latest.toISOString()}, not to ${moment.toISOString()}.`,
    );
  return moment;
};

/** A test engine restores at once. */
const pause = process.env.AWS_ENDPOINT_URL_DYNAMODB?.startsWith('http:') ? 50 : 5_000;

/** The settings of a stage that uses the new table. */
const settingsFor = ({ table: { TableArn: arn, LatestStreamArn: streamArn } }: Outcome, stage: Stage): string => {
  // The stack has a bus if the stage publishes events.
  if (!streamArn && stage.outputs.EventBusName)
    return 'The table has no stream, so the stage cannot use it. Run this command again.';
  const generation = Number(stage.output('EventsGeneration')) + 1;
  return `Put this into the settings of the stage (cdk/config/settings.ts), then deploy (cdk/RUNBOOK.md, "Data was deleted or is wrong"):\n  adoptedTable: {\n    arn: '${arn}',\n${streamArn ? `    streamArn: '${streamArn}',\n` : ''}    generation: ${generation},\n  },\n  eventsGeneration: ${generation},`;
};

const nothingChanged = 'Nothing was changed. Run it again with --yes to do it.';

const apply = async (stage: Stage, target: string): Promise<number> => {
  const client = dynamoDbClient();
  const definition = await readDefinition(stage.name);
  print(`The steps, on the table ${target}. It skips those that the table does not need:`);
  for (const { what } of settingSteps(target, '', definition)) print(`  - ${what}`);
  // Fails if there is no such table.
  await client.send(new DescribeTableCommand({ TableName: target }));
  if (!options.yes) {
    print(nothingChanged);
    return 0;
  }
  const outcome = await applySettings({ client, target, definition, pause }, print);
  for (const difference of outcome.differences) console.log(difference);
  console.log(settingsFor(outcome, stage));
  return outcome.differences.length > 0 ? 1 : 0;
};

await run(async () => {
  if (options.stage === undefined) throw new UsageError('Which stage? --stage NAME');
  if (options.apply !== undefined && (keep || options.at !== undefined || options.table !== undefined))
    throw new UsageError('--apply restores nothing: use it without --at, --keep and --table.');
  const stage = await openStage(options);
  if (options.apply !== undefined) return apply(stage, options.apply);
  const source = options.table ?? stage.output('TableName');
  const client = dynamoDbClient();
  const { Table: table = {} } = await client.send(new DescribeTableCommand({ TableName: source }));
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: source }),
  );
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } =
    backups?.PointInTimeRecoveryDescription ?? {};
  if (!earliest || !latest) return fail(`${source} has no point-in-time recovery.`);
  const moment = momentOf({ earliest, latest });
  const target = `petstore-${stage.name}-restored-${moment.toISOString().slice(0, 19).replace(/\D/g, '')}`;
  const definition = await readDefinition(stage.name);

  const gigabytes = (table.TableSizeBytes ?? 0) / 1e9;
  const units = 3 * Math.ceil((table.TableSizeBytes ?? 0) / 4096);
  const cost = gigabytes * prices.restoredGigabyte + units * prices.readRequestUnit;
  print(
    `${source} has some ${table.ItemCount ?? 0} items, ${gigabytes.toFixed(3)} GB. The steps, on the new table ${target}:`,
  );
  const steps = [
    restoreStep(table.TableArn ?? '', target, moment),
    ...settingSteps(target, '', definition),
    { what: `compare both tables and audit the new one, at ${rate} read units a second each` },
    ...(keep ? [] : removalSteps(target)),
  ];
  for (const { what } of steps) print(`  - ${what}`);
  print(
    `A restore takes twenty minutes to some hours. It costs about $${cost.toFixed(2)}: $${prices.restoredGigabyte} a GB, ${units} read units; and the storage of the new table while it exists.`,
  );
  if (!options.yes) return print(nothingChanged);

  const removal = `aws dynamodb update-table --table-name ${target} --no-deletion-protection-enabled; aws dynamodb delete-table --table-name ${target}`;
  const existing = await describeTable(client, target);
  if (existing && !keep)
    return fail(
      `The table ${target} exists already, from an earlier run. Continue with --keep, or delete it: ${removal}`,
    );
  print(
    existing
      ? `${target} exists already: continuing with it.`
      : `If this is interrupted, continue with --at ${moment.toISOString()} --keep, or delete the table: ${removal}`,
  );
  const startedAt = Date.now();
  const shards = Number(stage.output('IndexShards'));
  const outcome = await drill({ client, source, target, moment, definition, shards, rate, keep, pause }, print);
  for (const difference of outcome.differences) console.log(difference);
  const minutes = Math.ceil((Date.now() - startedAt) / 60_000);
  const isEqual = outcome.differences.length === 0;
  console.log(
    isEqual
      ? `Restored to ${moment.toISOString()} in ${minutes} min, without a difference.`
      : `${outcome.differences.length} differences after ${minutes} min. Inspect ${target}: it was not deleted.`,
  );
  if (keep) {
    if (!isEqual) console.log('Use the table only if its differences are acceptable.');
    console.log(settingsFor(outcome, stage));
  }
  return isEqual ? 0 : 1;
}, 'The restore failed');
