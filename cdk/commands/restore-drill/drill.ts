import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient, TableDescription } from '@aws-sdk/client-dynamodb';
import { audit } from '../audit/audit.ts';
import { tableReader } from '../audit/table-reader.ts';
import { contentFaults, countsOf, createStock } from './contents.ts';
import type { TableDefinition } from './definition.ts';
import { differencesOf } from './differences.ts';
import { reapplying, removing, restoring, type Step } from './steps.ts';
import { describe, look } from './table-state.ts';

export interface Drill {
  readonly client: DynamoDBClient;
  /** The table that is restored, by its name. */
  readonly source: string;
  /** The name of the restored one. */
  readonly target: string;
  readonly moment: Date;
  readonly definition: TableDefinition;
  readonly shards: number;
  /** Read request units a second, of each table. */
  readonly rate: number;
  /** Whether the restored table stays. It does in any case when something is wrong with it. */
  readonly keep: boolean;
  /** Between two looks at a table that is being made, in milliseconds. */
  readonly pause: number;
}

export interface Outcome {
  readonly table: TableDescription;
  readonly faults: readonly string[];
}

/** With five seconds between them a minute: a table that is being restored may not be found at first (API reference, DescribeTable). */
const looksForTable = 12;
/** Half a minute: tags show "after a few seconds" (API reference, TagResource). */
const looksForTags = 6;

/** Restores a table to a moment, gives it what a restore forgets, holds it against the one that it comes from, and removes it. */
export const drill = async (
  { client, source, target, moment, definition, shards, rate, keep, pause }: Drill,
  tell: (text: string) => void,
): Promise<Outcome> => {
  const ready = async (): Promise<TableDescription> => {
    for (let looks = 1, absences = 0; ; looks++) {
      const table = await describe(client, target);
      const indexes = table?.GlobalSecondaryIndexes ?? [];
      const parts = [table?.TableStatus, ...indexes.map(({ IndexStatus }) => IndexStatus)];
      if (table && parts.every(status => status === 'ACTIVE')) return table;
      if (!table && ++absences > looksForTable)
        throw new Error(`${target} is not there, though it was to be restored.`);
      if (looks * pause >= 60_000) {
        tell(`… ${target} is ${table?.TableStatus ?? 'not there yet'}`);
        looks = 0;
      }
      await sleep(pause);
    }
  };

  const take = async ({ what, command }: Step): Promise<TableDescription> => {
    tell(what);
    await client.send(command as never);
    return ready();
  };

  // A restore takes longer than a connection lasts: what was begun is gone on with.
  const restore = async () => take(restoring((await describe(client, source))!.TableArn!, target, moment));
  const begun = (await describe(client, target)) ? await ready() : await restore();
  const before = await look(client, begun);
  for (const step of reapplying(target, begun.TableArn!, definition))
    if (!step.sets || differencesOf(before, definition, step.sets).length > 0) await take(step);

  tell('compares it with its definition, and with the table as it is now');
  let found = await look(client, await ready());
  for (let looks = 1; looks < looksForTags && differencesOf(found, definition, 'tags').length > 0; looks++) {
    await sleep(pause);
    found = await look(client, found.table);
  }
  const faults = differencesOf(found, definition);
  const [now, restored] = [createStock(), createStock()];
  const reader = tableReader(client, target, rate);
  await tableReader(client, source, rate).eachItem(now.add);
  await reader.eachItem(restored.add);
  for (const line of countsOf(now, restored)) tell(`  ${line}`);
  faults.push(...contentFaults(now, restored, moment));

  tell('audits it');
  const verdict = await audit(reader, shards, text => tell(`  ${text}`));
  faults.push(...verdict.faults.map(({ key, about, text }) => `${key.pk} ${about}: ${text}`));

  const { table } = found;
  if (keep || faults.length > 0) return { table, faults };
  const [unprotect, remove] = removing(target);
  await take(unprotect);
  tell(remove.what);
  await client.send(remove.command as never);
  return { table, faults };
};
