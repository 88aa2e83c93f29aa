import { DescribeContinuousBackupsCommand, DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { prices } from '../../config/prices.ts';
import { deployedStages, settingsOf } from '../../config/settings.ts';
import { commandOf } from '../shared/command.ts';
import { findTable } from '../shared/find-table.ts';
import { tableClient } from '../shared/table-client.ts';
import { reapplying, removing, restoring } from './calls.ts';
import { readDefinition } from './definition.ts';
import { drill } from './drill.ts';
import { describe } from './look.ts';

const usage = `npm run restore-drill -- --stage NAME [--at TIME] [--keep] [--table NAME] [--region REGION] [--rate N] [--yes]
Restores a stage's table to a moment, as another table; gives it what a restore forgets; holds it against the one that it
comes from; audits it; deletes it again. Without --yes it says what it would do and what that costs, and changes nothing.
  --stage NAME     ${deployedStages.join(', ')}
  --at TIME        the moment, such as 2026-11-21T10:00:00Z (default: the latest that can be restored, some five minutes ago)
  --keep           leaves the restored table, and says what to set for the stage to adopt it: no drill, but the real thing
  --table NAME     the table to restore, where it is not the stage's present one
  --region REGION  where it is (default: AWS_REGION)
  --rate N         read request units a second while comparing, of each of both tables (default 100)
  --endpoint URL   another DynamoDB
  --yes            does it
  --help           says this
Exits with 1 when something is wrong with what was restored; it then stays, for you to look at.`;

const { count, fail, misused, readOptions, run } = commandOf(usage);
const { values: options } = readOptions({
  stage: { type: 'string' },
  at: { type: 'string' },
  keep: { type: 'boolean', default: false },
  table: { type: 'string' },
  region: { type: 'string' },
  rate: { type: 'string', default: '100' },
  endpoint: { type: 'string' },
  yes: { type: 'boolean', default: false },
});
const { stage = '', region, endpoint, keep } = options;
if (!deployedStages.includes(stage)) misused(`Which stage? There are ${deployedStages.join(', ')}.`);
const rate = count('rate', options.rate);

const tell = (text: string) => console.error(text);
const settings = settingsOf(stage);

const momentOf = ({ earliest, latest }: { earliest: Date; latest: Date }): Date => {
  const moment = options.at === undefined ? latest : new Date(options.at);
  if (Number.isNaN(moment.getTime())) fail(`--at ${options.at} is no time; expected the like of 2026-11-21T10:00:00Z`);
  if (moment < earliest || moment > latest)
    fail(
      `The table can be restored to ${earliest.toISOString()} … ${latest.toISOString()}; not to ${moment.toISOString()}.`,
    );
  return moment;
};

await run(async () => {
  const client = tableClient({ region: region ?? settings.region, endpoint });
  const source = options.table ?? (await findTable(client, stage, settings));
  const { Table: table = {} } = await client.send(new DescribeTableCommand({ TableName: source }));
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: source }),
  );
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } =
    backups?.PointInTimeRecoveryDescription ?? {};
  if (!earliest || !latest) return fail(`${source} has no point-in-time recovery: nothing can be restored.`);
  const moment = momentOf({ earliest, latest });
  const target = `petstore-${stage}-restored-${moment.toISOString().slice(0, 19).replace(/\D/g, '')}`;
  const definition = await readDefinition(stage);

  const gigabytes = (table.TableSizeBytes ?? 0) / 1e9;
  const units = 3 * Math.ceil((table.TableSizeBytes ?? 0) / 4096);
  const cost = gigabytes * prices.restoredGigabyte + units * prices.readRequestUnit;
  tell(
    `${source} has some ${table.ItemCount ?? 0} items, ${gigabytes.toFixed(3)} GB. The steps, on the new table ${target}:`,
  );
  const steps = [
    restoring(table.TableArn ?? '', target, moment),
    ...reapplying(target, '', definition),
    { what: `compares both tables and audits the new one, at ${rate} read units a second each` },
    ...(keep ? [] : removing(target)),
  ];
  for (const { what } of steps) tell(`  - ${what}`);
  tell(
    `A restore takes from some twenty minutes to some hours. It costs about $${cost.toFixed(2)}: $${prices.restoredGigabyte} a GB restored, ${units} read units; and what the new table costs while it is there.`,
  );
  if (!options.yes) return tell('Nothing was changed. Do it: the same with --yes');

  const removal = `aws dynamodb update-table --table-name ${target} --no-deletion-protection-enabled; aws dynamodb delete-table --table-name ${target}`;
  const begun = await describe(client, target);
  if (begun && !keep)
    return fail(
      `There is a table ${target} already: kept, or of a run that was cut off. Go on with it with --keep, or take it away: ${removal}`,
    );
  tell(
    begun
      ? `${target} is there already: going on with it.`
      : `Should this be cut off, go on with --at ${moment.toISOString()} --keep; or take the table away: ${removal}`,
  );
  const startedAt = Date.now();
  const shards = settings.indexShards.read;
  const pause = endpoint?.startsWith('http:') ? 50 : 5_000;
  const outcome = await drill({ client, source, target, moment, definition, shards, rate, keep, pause }, tell);
  for (const fault of outcome.faults) console.log(fault);
  const minutes = Math.ceil((Date.now() - startedAt) / 60_000);
  if (outcome.faults.length > 0)
    return fail(`${outcome.faults.length} faults after ${minutes} min. ${target} stays, for you to look at.`);
  console.log(`Restored to ${moment.toISOString()} in ${minutes} min, without a fault.`);
  const generation = settings.eventsGeneration + 1;
  if (keep)
    console.log(
      `Set for the stage in cdk/config/settings.ts, then deploy (cdk/RUNBOOK.md, "To restore"):\n  adoptedTable: {\n    arn: '${outcome.table.TableArn}',\n    streamArn: '${outcome.table.LatestStreamArn}',\n    generation: ${generation},\n  },\n  eventsGeneration: ${generation},`,
    );
}, `Stage ${stage} could not be restored`);
