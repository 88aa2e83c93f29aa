import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient, TableDescription } from '@aws-sdk/client-dynamodb';
import { audit } from '../audit/audit.ts';
import { tableReader } from '../audit/table-reader.ts';
import { contentDifferences, countsOf, createContents } from './contents.ts';
import type { TableDefinition } from './definition.ts';
import { differencesOf } from './differences.ts';
import { removalSteps, restoreStep, type Step, settingSteps } from './steps.ts';
import { describeTable, readTableState } from './table-state.ts';

export interface Drill {
  readonly client: DynamoDBClient;
  /** The name of the table to restore. */
  readonly source: string;
  /** The name of the new table. */
  readonly target: string;
  readonly moment: Date;
  readonly definition: TableDefinition;
  readonly shards: number;
  /** Read request units a second of each table. */
  readonly rate: number;
  /** Whether to keep the new table. It stays in any case when it differs. */
  readonly keep: boolean;
  /** Milliseconds between two DescribeTable calls. */
  readonly pause: number;
}

export interface Outcome {
  readonly table: TableDescription;
  readonly differences: readonly string[];
}

/** A minute with five seconds between them: DescribeTable may not find a new table at first (API reference, DescribeTable). */
const attemptsForTable = 12;
/** Half a minute: tags are visible "after a few seconds" (API reference, TagResource). */
const attemptsForTags = 6;

/** Restores a table, applies the settings that a restore does not copy, compares both tables, and deletes the new one. */
export const drill = async (
  { client, source, target, moment, definition, shards, rate, keep, pause }: Drill,
  onProgress: (text: string) => void,
): Promise<Outcome> => {
  const ready = async (): Promise<TableDescription> => {
    for (let attempts = 1, absences = 0; ; attempts++) {
      const table = await describeTable(client, target);
      const indexes = table?.GlobalSecondaryIndexes ?? [];
      const parts = [table?.TableStatus, ...indexes.map(({ IndexStatus }) => IndexStatus)];
      if (table && parts.every(status => status === 'ACTIVE')) return table;
      if (!table && ++absences > attemptsForTable)
        throw new Error(`${target} does not exist after the restore started.`);
      if (attempts * pause >= 60_000) {
        onProgress(`… ${target} is ${table?.TableStatus ?? 'not created yet'}`);
        attempts = 0;
      }
      await sleep(pause);
    }
  };

  const run = async ({ what, command }: Step): Promise<TableDescription> => {
    onProgress(what);
    await client.send(command as never);
    return ready();
  };

  // A restore takes longer than a connection may last, so a run continues what an earlier one started.
  const restore = async () => run(restoreStep((await describeTable(client, source))!.TableArn!, target, moment));
  const started = (await describeTable(client, target)) ? await ready() : await restore();
  const before = await readTableState(client, started);
  for (const step of settingSteps(target, started.TableArn!, definition))
    if (!step.sets || differencesOf(before, definition, step.sets).length > 0) await run(step);

  onProgress('compare it with its definition and with the current table');
  let state = await readTableState(client, await ready());
  for (
    let attempts = 1;
    attempts < attemptsForTags && differencesOf(state, definition, 'tags').length > 0;
    attempts++
  ) {
    await sleep(pause);
    state = await readTableState(client, state.table);
  }
  const differences = differencesOf(state, definition);
  const [current, restored] = [createContents(), createContents()];
  const reader = tableReader(client, target, rate);
  await tableReader(client, source, rate).eachItem(current.add);
  await reader.eachItem(restored.add);
  for (const line of countsOf(current, restored)) onProgress(`  ${line}`);
  differences.push(...contentDifferences(current, restored, moment));

  onProgress('audit it');
  const audited = await audit(reader, shards, text => onProgress(`  ${text}`));
  differences.push(...audited.mismatches.map(({ key, about, text }) => `${key.pk} ${about}: ${text}`));

  const { table } = state;
  if (keep || differences.length > 0) return { table, differences };
  const [unprotect, remove] = removalSteps(target);
  await run(unprotect);
  onProgress(remove.what);
  await client.send(remove.command as never);
  return { table, differences };
};
