import type { Assembly } from '../build/synthesize.ts';
import { onlyResourceOf, resourcesOf } from '../build/template.ts';
import { prices, secondsPerMonth } from '../config/prices.ts';
import { flowsOf } from './method-limits.ts';
import { dollars, number, sum } from './numbers.ts';
import { tellingOf } from './publishing.ts';
import { type CostLine, standing } from './standing-costs.ts';
import { webhookLines } from './webhooks.ts';

/** Bytes that a request logs when it fails, its error, its line and Lambda's envelope included; some 2 KB are measured. */
const logBytesPerRequest = 4_000;
/** Of the gateway's own line of a request, and of those that Lambda writes of an invocation where a stage wants them; estimates from their formats. */
const accessLogBytes = 700;
const reportBytes = 1_200;
/** X-Ray's default rule: the first request of a second, and a share of the others. */
const sampledShare = 0.05;
/** How long a function takes to start, which Lambda bills, in seconds; ten times what is measured. */
const startSeconds = 1;
/** How soon Lambda may drop an idle environment and start it again, in seconds. Not documented; minutes are what is seen. */
const environmentLifetime = 300;

const writesReports = ({ template }: Assembly) =>
  resourcesOf(template, 'AWS::Lambda::Function').some(
    ([, { LoggingConfig }]) => LoggingConfig.SystemLogLevel === 'INFO',
  );

/**
 * What a month can cost at most, line by line: every second of it at the limits that the template sets, each request
 * running into its function's time-out. Reality stays far below.
 */
export const worstMonth = (assembly: Assembly): CostLine[] => {
  const [, table] = onlyResourceOf(assembly.template, 'AWS::DynamoDB::GlobalTable');
  const [replica] = table.Replicas;
  const flows = flowsOf(assembly);
  const invoked = flows.filter(({ timeout }) => timeout > 0);
  const rate = sum(flows.map(flow => flow.rate));
  const invocations = sum(invoked.map(flow => flow.rate));
  const gigabyteSeconds = sum(invoked.map(flow => flow.rate * flow.timeout * flow.gigabytes));
  // As many environments as requests can overlap, each started as often as it can have been dropped.
  const environments = sum(invoked.map(flow => (flow.burst + flow.rate * flow.timeout) * flow.gigabytes));
  const starts = environments / environmentLifetime;

  const reads = sum(
    [replica, ...replica.GlobalSecondaryIndexes].map(
      ({ ReadOnDemandThroughputSettings }) => ReadOnDemandThroughputSettings.MaxReadRequestUnits,
    ),
  );
  const writes = sum(
    [table, ...table.GlobalSecondaryIndexes].map(
      ({ WriteOnDemandThroughputSettings }) => WriteOnDemandThroughputSettings.MaxWriteRequestUnits,
    ),
  );
  const [, stage] = onlyResourceOf(assembly.template, 'AWS::ApiGateway::Stage');
  const gigabytesOut = (sum(flows.map(flow => flow.rate * flow.bytes)) * secondsPerMonth) / 1e9;
  const { records, lines: tellingLines, logBytes: tellingLogBytes } = tellingOf(assembly.template, flows);
  const traces = (1 + (rate + records - 1) * sampledShare) * secondsPerMonth;

  // A filter reads the log of one operation, and tells operations apart: one metric.
  const metrics = resourcesOf(assembly.template, 'AWS::Logs::MetricFilter').length;

  const logged = [
    { perSecond: invocations, bytes: logBytesPerRequest, of: 'a failing request' },
    { perSecond: records, bytes: tellingLogBytes, of: 'a failing batch' },
    { perSecond: stage.AccessLogSetting ? rate : 0, bytes: accessLogBytes, of: 'a line of the gateway' },
    { perSecond: writesReports(assembly) ? invocations + records : 0, bytes: reportBytes, of: 'a report' },
  ].filter(({ perSecond }) => perSecond > 0);

  return [
    {
      what: 'API Gateway',
      bound: `throttles of ${flows.length} methods: ${number(rate)} requests a second`,
      month: rate * secondsPerMonth * prices.gatewayRequest,
    },
    {
      what: 'Lambda, requests',
      bound: `those with a function: ${number(invocations)} a second`,
      month: invocations * secondsPerMonth * prices.lambdaRequest,
    },
    {
      what: 'Lambda, duration',
      bound: `each until its time-out: ${number(gigabyteSeconds)} GB-seconds a second`,
      month: gigabyteSeconds * secondsPerMonth * prices.lambdaGigabyteSecond,
    },
    {
      what: 'Lambda, cold starts',
      bound: `${number(environments)} environments, every ${environmentLifetime / 60} minutes anew`,
      month: starts * startSeconds * secondsPerMonth * prices.lambdaGigabyteSecond,
    },
    {
      what: 'DynamoDB, reads',
      bound: `maximum units: ${number(reads)} a second`,
      month: reads * secondsPerMonth * prices.readRequestUnit,
    },
    {
      what: 'DynamoDB, writes',
      bound: `maximum units: ${number(writes)} a second`,
      month: writes * secondsPerMonth * prices.writeRequestUnit,
    },
    ...tellingLines,
    ...webhookLines(assembly.template),
    {
      what: 'Data transfer out',
      bound: `the largest answers, uncompressed: ${number(gigabytesOut)} GB`,
      month: gigabytesOut * prices.transferGigabyte,
    },
    {
      what: 'CloudWatch Logs',
      bound: logged.map(({ bytes, of }) => `${number(bytes)} bytes ${of}`).join(', '),
      month: ((sum(logged.map(line => line.perSecond * line.bytes)) * secondsPerMonth) / 1e9) * prices.logGigabyte,
    },
    {
      what: 'X-Ray',
      bound: `default sampling: ${number(traces / 1e6)} million traces`,
      month: traces * prices.traceRecorded,
    },
    ...(metrics > 0
      ? [
          {
            what: 'CloudWatch, metrics',
            bound: `${metrics} of our own, while deprecated operations are called`,
            month: metrics * prices.customMetric,
          },
        ]
      : []),
    ...standing(assembly.template),
  ];
};

/** Why a bill is above its cap and where the money goes, in a sentence each. Undefined: it is not above. */
export const excessOf = (lines: readonly CostLine[], cap: number): string | undefined => {
  const total = sum(lines.map(({ month }) => month));
  if (total <= cap) return undefined;
  const rows = [...lines].sort((a, b) => b.month - a.month).slice(0, 3);
  return [
    `The worst month can cost ${dollars(total)}, more than the cap of ${dollars(cap)} (worstMonthCap in cdk/config/settings.ts).`,
    `The most expensive rows: ${rows.map(({ what, month }) => `${what} ${dollars(month)}`).join(', ')}.`,
    'Lower a rate or a time-out in cdk/config/limits.ts, or raise the cap.',
  ].join(' ');
};
