import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient, TableDescription } from '@aws-sdk/client-dynamodb';
import { audit } from '../audit/audit.ts';
import { tableReader } from '../audit/table-reader.ts';
import { contentDifferences, countsOf, createContents } from './contents.ts';
import type { TableDefinition } from './definition.ts';
import { differencesOf } from './differences.ts';
import { removalSteps, restoreStep, type Step, settingSteps } from './steps.ts';
import { describeTable, readTableState } from './table-state.ts';

interface Drill {
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

type Target = Pick<Drill, 'client' | 'target' | 'definition' | 'pause'>;
type OnProgress = (text: string) => void;

/** Waits until the new table and its indexes are active. */
const whenActive = async ({ client, target, pause }: Target, onProgress: OnProgress): Promise<TableDescription> => {
  for (let attempts = 1, absences = 0; ; attempts++) {
    const table = await describeTable(client, target);
    const indexes = table?.GlobalSecondaryIndexes ?? [];
    const parts = [table?.TableStatus, ...indexes.map(({ IndexStatus }) => IndexStatus)];
    if (table && parts.every(status => status === 'ACTIVE')) return table;
    if (!table && ++absences > attemptsForTable) throw new Error(`${target} does not exist after the restore started.`);
    if (attempts * pause >= 60_000) {
      onProgress(`… ${target} is ${table?.TableStatus ?? 'not created yet'}`);
      attempts = 0;
    }
    await sleep(pause);
  }
};

const run = async (target: Target, { what, command }: Step, onProgress: OnProgress): Promise<void> => {
  onProgress(what);
  await target.client.send(command as never);
  await whenActive(target, onProgress);
};

/** Applies the settings of the definition that a table lacks, and compares both. */
export const applySettings = async (target: Target, onProgress: OnProgress): Promise<Outcome> => {
  const { client, definition, pause } = target;
  const before = await readTableState(client, await whenActive(target, onProgress));
  for (const step of settingSteps(target.target, before.table.TableArn!, definition))
    if (!step.sets || differencesOf(before, definition, step.sets).length > 0) await run(target, step, onProgress);

  onProgress('compare it with its definition');
  let state = await readTableState(client, await whenActive(target, onProgress));
  for (
    let attempts = 1;
    attempts < attemptsForTags && differencesOf(state, definition, 'tags').length > 0;
    attempts++
  ) {
    await sleep(pause);
    state = await readTableState(client, state.table);
  }
  return { table: state.table, differences: differencesOf(state, definition) };
};

/** Restores a table, applies the settings that a restore does not copy, compares both tables, and deletes the new one. */
export const drill = async (options: Drill, onProgress: OnProgress): Promise<Outcome> => {
  const { client, source, target, moment, shards, rate, keep } = options;
  // A restore takes longer than a connection may last, so a run continues what an earlier one started.
  if (!(await describeTable(client, target)))
    await run(options, restoreStep((await describeTable(client, source))!.TableArn!, target, moment), onProgress);
  const { table, differences: ofSettings } = await applySettings(options, onProgress);
  const differences = [...ofSettings];

  onProgress('compare it with the current table');
  const [current, restored] = [createContents(), createContents()];
  const reader = tableReader(client, target, rate);
  await tableReader(client, source, rate).eachItem(current.add);
  await reader.eachItem(restored.add);
  for (const line of countsOf(current, restored)) onProgress(`  ${line}`);
  differences.push(...contentDifferences(current, restored, moment));

  onProgress('audit it');
  const audited = await audit(reader, shards, text => onProgress(`  ${text}`));
  differences.push(...audited.mismatches.map(({ key, about, text }) => `${key.pk} ${about}: ${text}`));

  if (keep || differences.length > 0) return { table, differences };
  const [unprotect, remove] = removalSteps(target);
  await run(options, unprotect, onProgress);
  onProgress(remove.what);
  await client.send(remove.command as never);
  return { table, differences };
};
