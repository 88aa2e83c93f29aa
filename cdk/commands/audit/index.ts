import { prices } from '../../config/prices.ts';
import { commandOf } from '../shared/command.ts';
import { tableClient } from '../shared/table-client.ts';
import { audit, maxRounds } from './audit.ts';
import type { Fault } from './ledger.ts';
import { tableReader } from './table-reader.ts';

const usage = `npm run audit -- --table NAME [--region REGION] [--endpoint URL] [--shards N] [--rate N] [--dry-run]
Recomputes every counter, status, index attribute and reference of a table from its items, and says what differs. It only reads.
  --table NAME     the table: the stack's output TableName; petstore-local on this machine
  --region REGION  where it is (default: AWS_REGION)
  --endpoint URL   another DynamoDB, such as this machine's: curl -s http://127.0.0.1:3000/local names it
  --shards N       index shards of the stage, as cdk/config/settings.ts has them (default 1)
  --rate N         read request units a second (default 100; at an --endpoint as fast as it goes)
  --dry-run        says what it would cost, and ends
  --help           say this
Exits with 0 when all agrees, with 1 when something differs, with 2 when it could not tell.
It needs dynamodb:DescribeTable, Scan and BatchGetItem on the table.`;

const { count, misused, readOptions, run } = commandOf(usage, { unable: 2 });
const { values: options } = readOptions({
  table: { type: 'string' },
  region: { type: 'string' },
  endpoint: { type: 'string' },
  shards: { type: 'string', default: '1' },
  rate: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
});
const { endpoint, region } = options;
const table = options.table ?? misused('Which table? --table NAME');
if (endpoint !== undefined && !URL.canParse(endpoint)) misused(`--endpoint ${endpoint} is no address.`);
const shards = count('shards', options.shards);
const rate = options.rate ? count('rate', options.rate) : endpoint ? Number.POSITIVE_INFINITY : 100;

const client = tableClient({ region, endpoint });
const reader = tableReader(client, table, rate);

const line = ({ key, about, text }: Fault) => `${key.pk} ${about}: ${text}`;

await run(async () => {
  const { items, bytes } = await reader.size();
  const units = Math.ceil(bytes / 4096) + items * 0.01;
  const duration = Number.isFinite(rate) ? `, about ${Math.ceil(units / rate)} s at ${rate} units a second` : '';
  console.error(
    `${table} had ${items} items of ${bytes} bytes together when DynamoDB last counted, within six hours. To read all of them takes about ${Math.ceil(units)} read request units: $${(units * prices.readRequestUnit).toFixed(6)}${duration}. Where something seems to differ they are read again, at most ${maxRounds} times.`,
  );
  if (options['dry-run']) return 0;
  const { faults, restless, ...met } = await audit(reader, shards, text => console.error(text));
  for (const fault of faults) console.log(line(fault));
  for (const fault of restless)
    console.log(`${line(fault)}. It changed whenever it was looked at, so this is not certain`);
  const other = Object.entries(met.other).map(([kind, number]) => `${number} ${kind}`);
  console.log(
    `${met.items} items${other.length > 0 ? ` (of which nothing is derived for ${other.join(', ')})` : ''}: ${faults.length} faults, ${restless.length} uncertain, ${Math.ceil(reader.units())} read request units`,
  );
  return faults.length > 0 ? 1 : restless.length > 0 ? 2 : 0;
}, `${table} could not be audited`);
client.destroy();
