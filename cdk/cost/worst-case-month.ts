import type { Assembly } from '../build/synthesize.ts';
import { onlyResourceOf, resourcesOf } from '../build/template.ts';
import { prices, secondsPerMonth } from '../config/prices.ts';
import { methodLimitsOf } from './method-limits.ts';
import { dollars, number, sum } from './numbers.ts';
import { publishingCosts } from './publishing.ts';
import { type CostLine, standingCosts } from './standing-costs.ts';
import { fastestAttempt, webhookCosts } from './webhooks.ts';

/** Bytes that a failing request logs: its error, its line and Lambda's envelope. About 2 KB were measured. */
const logBytesPerRequest = 4_000;
/** Bytes of an access log line, and of Lambda's report lines (`reportLines`); estimated from their formats. */
const accessLogBytes = 700;
const reportBytes = 1_200;
/** X-Ray's default rule: the first request of a second, and a share of the others. */
const sampledShare = 0.05;
/** Seconds that Lambda bills for a cold start; ten times the measured time. */
const startSeconds = 1;
/** Seconds after which Lambda may replace an environment. Not documented; some minutes were observed. */
const environmentLifetime = 300;

const writesReports = ({ template }: Assembly) =>
  resourcesOf(template, 'AWS::Lambda::Function').some(
    ([, { LoggingConfig }]) => LoggingConfig.SystemLogLevel === 'INFO',
  );

/**
 * What a month can cost at most, line by line: requests at the limits of the template in every second, and each request runs
 * until the timeout of its function. Real months cost far less.
 * @param attemptSeconds of an attempt to deliver an event to a webhook; the fastest ones cost most
 */
export const worstCaseMonth = (assembly: Assembly, attemptSeconds = fastestAttempt): CostLine[] => {
  const [, table] = onlyResourceOf(assembly.template, 'AWS::DynamoDB::GlobalTable');
  const [replica] = table.Replicas;
  const methods = methodLimitsOf(assembly);
  const invoked = methods.filter(({ timeout }) => timeout > 0);
  const rate = sum(methods.map(method => method.rate));
  const invocations = sum(invoked.map(method => method.rate));
  const gigabyteSeconds = sum(invoked.map(method => method.rate * method.timeout * method.gigabytes));
  // One environment for each concurrent request, started whenever Lambda may replace it.
  const environments = sum(invoked.map(method => (method.burst + method.rate * method.timeout) * method.gigabytes));
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
  const gigabytesOut = (sum(methods.map(method => method.rate * method.bytes)) * secondsPerMonth) / 1e9;
  const publishing = publishingCosts(assembly.template, methods);
  const { records } = publishing;
  const webhooks = webhookCosts(assembly.template, publishing.events, attemptSeconds);
  const traces = (1 + (rate + records + webhooks.attempts - 1) * sampledShare) * secondsPerMonth;

  // Each filter makes one metric, while a line matches.
  const metrics = resourcesOf(assembly.template, 'AWS::Logs::MetricFilter').length;

  const logged = [
    { perSecond: invocations, bytes: logBytesPerRequest, of: 'a failing request' },
    { perSecond: records, bytes: publishing.logBytes, of: 'a failing batch' },
    { perSecond: webhooks.attempts, bytes: webhooks.logBytes, of: 'an attempt of a webhook' },
    { perSecond: stage.AccessLogSetting ? rate : 0, bytes: accessLogBytes, of: 'a request in the access log' },
    {
      perSecond: writesReports(assembly) ? invocations + records + webhooks.attempts : 0,
      bytes: reportBytes,
      of: 'a report line',
    },
  ].filter(({ perSecond }) => perSecond > 0);

  return [
    {
      what: 'API Gateway',
      bound: `throttles of ${methods.length} methods: ${number(rate)} requests a second`,
      month: rate * secondsPerMonth * prices.gatewayRequest,
    },
    {
      what: 'Lambda, requests',
      bound: `requests with a function: ${number(invocations)} a second`,
      month: invocations * secondsPerMonth * prices.lambdaRequest,
    },
    {
      what: 'Lambda, duration',
      bound: `every request until its timeout: ${number(gigabyteSeconds)} GB-seconds a second`,
      month: gigabyteSeconds * secondsPerMonth * prices.lambdaGigabyteSecond,
    },
    {
      what: 'Lambda, cold starts',
      bound: `${number(environments)} GB of environments, started every ${environmentLifetime / 60} minutes`,
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
    ...publishing.lines,
    ...webhooks.lines,
    {
      what: 'Data transfer out',
      bound: `the largest responses, uncompressed: ${number(gigabytesOut)} GB`,
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
            bound: `custom metrics: ${metrics}, while deprecated operations are called or invariants are violated`,
            month: metrics * prices.customMetric,
          },
        ]
      : []),
    ...standingCosts(assembly.template),
  ];
};

/** Explains why a bill exceeds its cap, with the most expensive rows. Undefined: it does not. */
export const explainExcess = (lines: readonly CostLine[], cap: number): string | undefined => {
  const total = sum(lines.map(({ month }) => month));
  if (total <= cap) return undefined;
  const rows = [...lines].sort((a, b) => b.month - a.month).slice(0, 3);
  return [
    `The worst-case month costs ${dollars(total)}, more than the cap of ${dollars(cap)} (worstMonthCap in cdk/config/settings.ts).`,
    `The most expensive rows: ${rows.map(({ what, month }) => `${what} ${dollars(month)}`).join(', ')}.`,
    'Lower a rate or a timeout in cdk/config/limits.ts, or raise the cap.',
  ].join(' ');
};
