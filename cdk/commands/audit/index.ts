import { prices } from '../../config/prices.ts';
import { commandOf } from '../shared/command.ts';
import { openTable, tableOptions, tableUsage } from '../shared/stage-table.ts';
import { audit, maxRounds } from './audit.ts';
import type { Mismatch } from './table-checker.ts';
import { tableReader } from './table-reader.ts';

const usage = `npm run audit -- (--stage NAME | --table NAME --shards N) [--rate N] [--dry-run]
Recomputes every counter, status, index attribute and reference of a table from its items, and prints what differs.
It only reads.
${tableUsage}
  --rate N         read request units a second (default 100; with --local no limit)
  --dry-run        prints the cost, and ends
  --help           prints this
Exits with 0 when everything agrees, with 1 when something differs, with 2 when it failed or is not certain.`;

const { count, readOptions, run } = commandOf(usage, { unable: 2 });
const { values: options } = readOptions({
  ...tableOptions,
  rate: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
});
const rate = options.rate ? count('rate', options.rate) : options.local ? Number.POSITIVE_INFINITY : 100;

const line = ({ key, about, text }: Mismatch) => `${key.pk} ${about}: ${text}`;

await run(async () => {
  const { client, name, shards } = await openTable(options);
  const reader = tableReader(client, name, rate);
  const { items, bytes } = await reader.size();
  const units = Math.ceil(bytes / 4096) + items * 0.01;
  const duration = Number.isFinite(rate) ? `, about ${Math.ceil(units / rate)} s at ${rate} units a second` : '';
  console.error(
    `${name} had ${items} items of ${bytes} bytes in total when DynamoDB last counted them, up to six hours ago. Reading all of them takes about ${Math.ceil(units)} read request units: $${(units * prices.readRequestUnit).toFixed(6)}${duration}. Where something differs, the audit reads them again, at most ${maxRounds} times.`,
  );
  if (options['dry-run']) return 0;
  const { mismatches, uncertain, ...counts } = await audit(reader, shards, text => console.error(text));
  for (const mismatch of mismatches) console.log(line(mismatch));
  for (const mismatch of uncertain)
    console.log(`${line(mismatch)}. The item changed during every read, so this is not certain`);
  const other = Object.entries(counts.other).map(([kind, number]) => `${number} ${kind}`);
  console.log(
    `${counts.items} items${other.length > 0 ? ` (not checked: ${other.join(', ')})` : ''}: ${mismatches.length} mismatches, ${uncertain.length} uncertain, ${Math.ceil(reader.units())} read request units`,
  );
  return mismatches.length > 0 ? 1 : uncertain.length > 0 ? 2 : 0;
}, 'The audit failed');
