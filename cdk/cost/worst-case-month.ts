import { prices, sampledShare, secondsPerMonth } from '../config/prices.ts';
import { type Assembly, onlyResourceOf, resourcesOf } from '../synthesis/template.ts';
import { type CostLine, costLine, dollars, number, standingCosts, sum } from './bill.ts';
import { methodLimitsOf } from './method-limits.ts';
import { publishingCosts } from './publishing.ts';
import { webhookCosts } from './webhooks.ts';

/** A failing request logs its error, its line and Lambda's envelope. About 2 KB were measured. */
const logBytesPerRequest = 4_000;
/** Bytes of an access log line; estimated from its format. */
export const accessLogBytes = 700;
/** Seconds that Lambda bills for a cold start; ten times the measured time. */
const startSeconds = 1;
/** Seconds until Lambda may replace an environment. AWS does not document the time; some minutes were observed. */
const environmentLifetime = 300;

/**
 * The most that a month can cost, without storage and access tokens: in every second, each method gets all requests that its
 * throttle allows, and each runs until its timeout. Real months cost far less.
 */
export const worstCaseMonth = (assembly: Assembly): CostLine[] => {
  const { template } = assembly;
  const [, table] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
  const [replica] = table.Replicas;
  const methods = methodLimitsOf(assembly);
  const invoked = methods.filter(({ timeout }) => timeout > 0);
  const rate = sum(methods.map(method => method.rate));
  const invocations = sum(invoked.map(method => method.rate));
  const gigabyteSeconds = sum(
    invoked.map(method => method.rate * method.timeout * method.gigabytes),
  );
  // Each concurrent request has an environment, which Lambda replaces as often as it may.
  const environments = sum(
    invoked.map(method => (method.burst + method.rate * method.timeout) * method.gigabytes),
  );
  const starts = environments / environmentLifetime;

  const [readers, writers] = [replica, table].map(of => [of, ...of.GlobalSecondaryIndexes]);
  const reads = sum(readers!.map(of => of.ReadOnDemandThroughputSettings.MaxReadRequestUnits));
  const writes = sum(writers!.map(of => of.WriteOnDemandThroughputSettings.MaxWriteRequestUnits));
  const [, stage] = onlyResourceOf(template, 'AWS::ApiGateway::Stage');
  const gigabytesOut = sum(methods.map(method => method.rate * method.bytes)) / 1e9;
  const publishing = publishingCosts(template, methods);
  const background = [
    publishing,
    // Each webhook gets every event.
    webhookCosts(template, publishing.events),
  ];
  const traces = 1 + (rate + sum(background.map(({ runs }) => runs)) - 1) * sampledShare;

  const logs: (readonly [perSecond: number, bytes: number, of: string])[] = [
    [invocations, logBytesPerRequest, 'a failing request'],
    ...background.map(({ runs, logBytes, of }) => [runs, logBytes, of] as const),
    [stage.AccessLogSetting ? rate : 0, accessLogBytes, 'a request in the access log'],
  ];
  const logged = logs.filter(([perSecond]) => perSecond > 0);
  const logBound = logged.map(([, bytes, of]) => `${number(bytes)} bytes ${of}`).join(', ');
  const logGigabytes = sum(logged.map(([perSecond, bytes]) => perSecond * bytes)) / 1e9;
  // Several filters can count for one metric. A metric costs nothing while no line matches its filters.
  const filters = resourcesOf(template, 'AWS::Logs::MetricFilter');
  const metrics = new Set(
    filters.map(([, { MetricTransformations }]) => MetricTransformations[0].MetricName),
  ).size;
  const metricBound = `custom metrics from log lines: ${metrics}, all with data`;

  const hasWebAcl = resourcesOf(template, 'AWS::WAFv2::WebACL').length > 0;
  const webAclBound =
    'the same, without those that it blocks: it charges for them, too, and nothing limits them';
  const methodBound = `throttles of ${methods.length} methods: ${number(rate)} requests a second`;
  const durationBound = `every request until its timeout: ${number(gigabyteSeconds)} GB-seconds a second`;
  const startBound = `${number(environments)} GB of environments, started every ${environmentLifetime / 60} minutes`;
  const outBound = `the largest responses, uncompressed: ${number(gigabytesOut * secondsPerMonth)} GB`;
  const traceBound = `default sampling: ${number((traces * secondsPerMonth) / 1e6)} million traces`;
  const invocationBound = `requests with a function: ${number(invocations)} a second`;
  return [
    costLine('API Gateway', methodBound, rate * prices.gatewayRequest),
    hasWebAcl ? costLine('AWS WAF, requests', webAclBound, rate * prices.webAclRequest) : [],
    costLine('Lambda, requests', invocationBound, invocations * prices.lambdaRequest),
    costLine('Lambda, duration', durationBound, gigabyteSeconds * prices.lambdaGigabyteSecond),
    costLine(
      'Lambda, cold starts',
      startBound,
      starts * startSeconds * prices.lambdaGigabyteSecond,
    ),
    costLine(
      'DynamoDB, reads',
      `maximum units: ${number(reads)} a second`,
      reads * prices.readRequestUnit,
    ),
    costLine(
      'DynamoDB, writes',
      `maximum units: ${number(writes)} a second`,
      writes * prices.writeRequestUnit,
    ),
    background.flatMap(({ lines }) => lines),
    costLine('Data transfer out', outBound, gigabytesOut * prices.transferGigabyte),
    costLine('CloudWatch Logs', logBound, logGigabytes * prices.logGigabyte),
    stage.TracingEnabled ? costLine('X-Ray', traceBound, traces * prices.traceRecorded) : [],
    metrics > 0
      ? {
          what: 'CloudWatch, metrics',
          bound: metricBound,
          month: metrics * prices.customMetric,
          idle: 0,
        }
      : [],
    standingCosts(template),
  ].flat();
};

/** @returns undefined if the bill is within its cap */
export const explainExcess = (lines: readonly CostLine[], cap: number): string | undefined => {
  const total = sum(lines.map(({ month }) => month));
  if (total <= cap) return undefined;
  const rows = [...lines].sort((a, b) => b.month - a.month).slice(0, 3);
  return [
    `The worst-case month costs ${dollars(total)}, more than the cap of ${dollars(cap)} (worstMonthCap).`,
    `The most expensive rows: ${rows.map(({ what, month }) => `${what} ${dollars(month)}`).join(', ')}.`,
    'Lower a rate or a timeout of `limits` in cdk/stages.ts, or raise the cap.',
  ].join(' ');
};
