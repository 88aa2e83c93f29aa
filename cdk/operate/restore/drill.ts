import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand, type DynamoDBClient, type TableDescription } from '@aws-sdk/client-dynamodb';
import { audit } from '../../audit/audit.ts';
import { tableReader } from '../../audit/table-reader.ts';
import { reapplying, removing, restoring, type Step } from './calls.ts';
import { contentFaults, countsOf, createStock } from './contents.ts';
import type { TableDefinition } from './definition.ts';
import { differencesOf } from './differences.ts';

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

/** Restores a table to a moment, gives it what a restore forgets, holds it against the one that it comes from, and removes it. */
export const drill = async (
  { client, source, target, moment, definition, shards, rate, keep, pause }: Drill,
  tell: (text: string) => void,
): Promise<Outcome> => {
  const describe = async (name: string) => (await client.send(new DescribeTableCommand({ TableName: name }))).Table!;

  const ready = async (): Promise<TableDescription> => {
    for (let looks = 1; ; looks++) {
      const table = await describe(target);
      const parts = [table.TableStatus, ...(table.GlobalSecondaryIndexes ?? []).map(({ IndexStatus }) => IndexStatus)];
      if (parts.every(status => status === 'ACTIVE')) return table;
      if (looks * pause >= 60_000) {
        tell(`… ${target} is ${table.TableStatus}`);
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
  const isBegun = await describe(target).catch(() => undefined);
  const { TableArn } = isBegun
    ? await ready()
    : await take(restoring((await describe(source)).TableArn!, target, moment));
  for (const step of reapplying(target, TableArn!, definition)) await take(step);

  tell('compares it with its definition, and with the table as it is now');
  const faults = await differencesOf(client, target, definition);
  const [now, restored] = [createStock(), createStock()];
  const reader = tableReader(client, target, rate);
  await tableReader(client, source, rate).eachItem(now.add);
  await reader.eachItem(restored.add);
  for (const line of countsOf(now, restored)) tell(`  ${line}`);
  faults.push(...contentFaults(now, restored, moment));

  tell('audits it');
  const verdict = await audit(reader, shards, text => tell(`  ${text}`));
  faults.push(...verdict.faults.map(({ key, about, text }) => `${key.pk} ${about}: ${text}`));

  const table = await describe(target);
  if (keep || faults.length > 0) return { table, faults };
  const [unprotect, remove] = removing(target);
  await take(unprotect);
  tell(remove.what);
  await client.send(remove.command as never);
  return { table, faults };
};
