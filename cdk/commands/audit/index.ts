import { commandOf, text } from '../../command.ts';
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

const { count, readOptions, run } = commandOf(usage, { unable: 2 });
const { values: options } = readOptions({ ...tableOptions, rate: text, 'fill-index': text });
const rate = options.rate
  ? count('rate', options.rate)
  : options.local
    ? Number.POSITIVE_INFINITY
    : defaultRate;

const line = ({ key, about, text }: Mismatch) => `${key.pk} ${about}: ${text}`;

await run(async () => {
  const { client, name, shards } = await openTable(options);
  const reader = tableReader(client, name, rate);
  await reader.estimate();
  const key = options['fill-index'];
  if (key !== undefined)
    return console.log(await fillIndex(client, name, reader, { key, shards, rate }));
  const { mismatches, uncertain, ...counts } = await audit(reader, shards, text =>
    console.error(text),
  );
  for (const mismatch of mismatches) console.log(line(mismatch));
  for (const mismatch of uncertain)
    console.log(`${line(mismatch)}. The item changed during every read, so this is not certain`);
  const other = Object.entries(counts.other).map(([kind, number]) => `${number} ${kind}`);
  const unsure = uncertain.length > 0 ? `, ${uncertain.length} uncertain` : '';
  const skipped = other.length > 0 ? ` (not checked: ${other.join(', ')})` : '';
  console.log(
    `${mismatches.length} mismatches${unsure} in ${counts.items} items${skipped}; ${Math.ceil(reader.units())} read request units`,
  );
  return mismatches.length > 0 ? 1 : uncertain.length > 0 ? 2 : 0;
}, 'The audit failed');
