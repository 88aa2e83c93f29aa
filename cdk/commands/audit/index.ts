import { commandOf, count, note, print, runMain, text } from '../../command.ts';
import { plural } from '../shared/plural.ts';
import { openTable, tableOptions, tableUsage } from '../shared/stage-table.ts';
import { audit } from './audit.ts';
import { fillIndex } from './fill-index.ts';
import type { Mismatch } from './table-checker.ts';
import { tableReader } from './table-reader.ts';

const defaultRate = 100; // mutant: a number near it is as good

const usage = `npm run audit -- --stage NAME [--table NAME] [--rate N] [--fill-index KEY]
Recomputes every counter, status, index attribute and reference of a table from its items, and prints what differs.
It only reads; where something differs, again, at most three times.
Exits with 0 when everything agrees, with 1 when something differs, with 2 when it failed or is not certain.
${tableUsage}
  --rate N         read request units a second (default ${defaultRate}; with --local no limit)
  --fill-index KEY instead writes the key of a new index to the items that lack it, at most N a second. Each costs
                   the write request units of its item and of the index. You can end it and run it again.`;

const options = { ...tableOptions, rate: text, 'fill-index': text };
const definition = { usage, options, failure: 'The audit failed', unable: 2 };

const line = ({ key, about, text }: Mismatch) => `${key.pk} ${about}: ${text}`;

export const command = commandOf(definition, async values => {
  const unlimited = values.local ? Number.POSITIVE_INFINITY : defaultRate;
  const rate = values.rate ? count('rate', values.rate) : unlimited;
  const { client, name, shards } = await openTable(values);
  const reader = tableReader(client, name, rate);
  await reader.estimate();
  const key = values['fill-index'];
  if (key !== undefined) return print(await fillIndex(client, name, reader, { key, shards, rate }));
  const { mismatches, uncertain, ...counts } = await audit(reader, shards, note);
  for (const mismatch of mismatches) print(line(mismatch));
  for (const mismatch of uncertain)
    print(`${line(mismatch)}. The item changed during every read, so this is not certain`);
  const other = Object.entries(counts.other).map(([kind, number]) => `${number} ${kind}`);
  const unsure = uncertain.length > 0 ? `, ${uncertain.length} uncertain` : '';
  const skipped = other.length > 0 ? ` (not checked: ${other.join(', ')})` : '';
  print(
    `${plural(mismatches.length, 'mismatch', 'mismatches')}${unsure} in ${plural(counts.items, 'item')}${skipped}; ${plural(Math.ceil(reader.units()), 'read request unit')}`,
  );
  if (mismatches.length > 0) return 1;
  return uncertain.length > 0 ? 2 : 0;
});

if (import.meta.main) await runMain(command);
