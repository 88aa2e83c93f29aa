import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { synthesise } from './dev/synth.ts';
import { onlyResourceOf, resourcesOf, type Template } from './dev/template.ts';
import { prices } from './prices.ts';

const secondsPerMonth = 30 * 24 * 3600;

/** Bytes that a request logs, its line and Lambda's envelope included; measured, rounded up. */
const logBytesPerRequest = 700;
/** X-Ray's default rule: the first request of a second, and a share of the others. */
const sampledShare = 0.05;
/** The largest file of the documentation page, in bytes. */
const largestFile = 1_800_000;
/** What a read unit gives, in bytes: 4 KB, twice that when eventually consistent. */
const bytesPerConsistentUnit = 4096;
const bytesPerEventualUnit = 8192;

export interface CostLine {
  readonly what: string;
  readonly bound: string;
  /** Dollars. */
  readonly month: number;
}

const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

/**
 * What a month can cost at most, line by line: every second of it at the limits that the template sets, each request
 * running into its function's time-out. Reality stays far below.
 */
const worstMonth = (template: Template): CostLine[] => {
  const [, stage] = onlyResourceOf(template, 'AWS::ApiGateway::Stage');
  const [, table] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
  const [replica] = table.Replicas;
  const functions = resourcesOf(template, 'AWS::Lambda::Function').map(([, properties]) => properties);
  const rate = stage.MethodSettings[0].ThrottlingRateLimit as number;
  const requests = rate * secondsPerMonth;
  const gigabyteSeconds = Math.max(...functions.map(({ Timeout, MemorySize }) => Timeout * (MemorySize / 1024)));

  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const tableReads = replica.ReadOnDemandThroughputSettings.MaxReadRequestUnits as number;
  const indexReads = sum(
    replica.GlobalSecondaryIndexes.map(
      (index: never) =>
        (index as { ReadOnDemandThroughputSettings: { MaxReadRequestUnits: number } }).ReadOnDemandThroughputSettings
          .MaxReadRequestUnits,
    ),
  );
  const writes = sum(
    [table, ...table.GlobalSecondaryIndexes].map(
      ({ WriteOnDemandThroughputSettings }) => WriteOnDemandThroughputSettings.MaxWriteRequestUnits,
    ),
  );
  const filesRate = stage.MethodSettings[1].ThrottlingRateLimit as number;
  const bytesOut = tableReads * bytesPerConsistentUnit + indexReads * bytesPerEventualUnit + filesRate * largestFile;
  const gigabytesOut = (bytesOut * secondsPerMonth) / 1e9;
  const traces = (1 + (rate - 1) * sampledShare) * secondsPerMonth;

  return [
    {
      what: 'API Gateway',
      bound: `throttle: ${number(rate)} requests a second`,
      month: requests * prices.gatewayRequest,
    },
    { what: 'Lambda, requests', bound: 'the same', month: requests * prices.lambdaRequest },
    {
      what: 'Lambda, duration',
      bound: `each until its time-out: ${number(gigabyteSeconds)} GB-seconds`,
      month: requests * gigabyteSeconds * prices.lambdaGigabyteSecond,
    },
    {
      what: 'DynamoDB, reads',
      bound: `maximum units: ${number(tableReads + indexReads)} a second`,
      month: (tableReads + indexReads) * secondsPerMonth * prices.readRequestUnit,
    },
    {
      what: 'DynamoDB, writes',
      bound: `maximum units: ${number(writes)} a second`,
      month: writes * secondsPerMonth * prices.writeRequestUnit,
    },
    {
      what: 'Data transfer out',
      bound: `all that can be read, and the page’s files: ${number(gigabytesOut)} GB`,
      month: gigabytesOut * prices.transferGigabyte,
    },
    {
      what: 'CloudWatch Logs',
      bound: `${logBytesPerRequest} bytes a request`,
      month: ((requests * logBytesPerRequest) / 1e9) * prices.logGigabyte,
    },
    {
      what: 'X-Ray',
      bound: `default sampling: ${number(traces / 1e6)} million traces`,
      month: traces * prices.traceRecorded,
    },
  ];
};

const dollars = (value: number) =>
  `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

/** The table of the README. */
export const costTable = (template: Template): string => {
  const lines = worstMonth(template);
  const total = lines.reduce((sum, { month }) => sum + month, 0);
  const rows = lines.map(({ what, bound, month }) => `| ${what} | ${bound} | ${dollars(month)} | $0.00 |`);
  return [
    '| | Bounded by | Worst month | Idle month |',
    '|---|---|---:|---:|',
    ...rows,
    `| **Total** | | **${dollars(total)}** | **$0.00** |`,
    '',
    `Prices as written down on ${prices.date}, us-east-1, without free tiers (cdk/prices.ts; compare them with AWS's pages). Beside these, by what you keep or ask for: table ${dollars(prices.tableGigabyteMonth)} and its backup ${dollars(prices.backupGigabyteMonth)} per GB-month, logs ${dollars(prices.logGigabyteMonth)} per GB-month for 30 days, and $${prices.token} per access token (cache tokens: they live 24 hours).`,
  ].join('\n');
};

const markers = ['<!-- cost: npm run cost -->\n', '\n<!-- /cost -->'] as const;

/** The README with this cost table in its place. */
export const withCostTable = (readme: string, table: string): string => {
  const [before, rest] = readme.split(markers[0]);
  const after = rest?.split(markers[1])[1];
  if (after === undefined) throw new Error(`The README has no place for the cost table: ${markers.join('…')}`);
  return [before, markers[0], table, markers[1], after].join('');
};

if (import.meta.main) {
  const { template } = await synthesise({ stage: 'prod' });
  const table = costTable(template);
  const file = join(import.meta.dirname, '../README.md');
  writeFileSync(file, withCostTable(readFileSync(file, 'utf8'), table));
  console.log(`${table}\n\nWritten to README.md.`);
}
