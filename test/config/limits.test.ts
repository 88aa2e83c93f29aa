import { describe, expect, it } from 'vitest';
import { resourcesOf } from '../../cdk/build/template.ts';
import { defaultThrottle, limits, startAllowance } from '../../cdk/config/limits.ts';
import { deployedStages, settingsOf, withOwnTable } from '../../cdk/config/settings.ts';
import { methodLimitsOf } from '../../cdk/cost/method-limits.ts';
import { largestChanges, largestOtherChanges } from '../../cdk/cost/publishing.ts';
import { explainExcess, worstCaseMonth } from '../../cdk/cost/worst-case-month.ts';
import { readApi } from '../../cdk/local/gateway/api.ts';
import { allOperations, servedPaths } from '../../lib/operations/index.ts';
import { synthesizeShared } from '../support/petstore.ts';

const assembly = await synthesizeShared({ stage: 'prod', settings: withOwnTable });
const api = readApi(assembly);
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

/** `GET /pets` → its row of cdk/config/limits.ts. */
const rows = new Map(
  allOperations.flatMap(operation =>
    servedPaths(operation).map(path => [`${operation.method} ${path}`, limits[operation.id]]),
  ),
);

describe('the limits', () => {
  const methods = api.resources.flatMap(({ path, methods: ofPath }) =>
    [...ofPath].map(([verb, method]) => ({ name: `${verb} ${path}`, ...method })),
  );

  it('throttle each operation by its own row, and every mock response by the default of the stage', () => {
    const throttles = methods.map(({ name, throttle }) => [name, throttle]);
    const expected = methods.map(({ name }) => {
      const { rate, burst } = rows.get(name) ?? defaultThrottle;
      return [name, { rate, burst }];
    });
    expect(throttles).toEqual(expected);
    expect([...rows.keys()].filter(name => !methods.some(method => method.name === name))).toEqual([]);
  });

  it('set the timeout of each function, which ends before the gateway’s', () => {
    for (const { name, target } of methods) {
      if ('mock' in target) continue;
      const { timeout } = api.functions.get(target.function)!;
      expect([name, timeout]).toEqual([name, rows.get(name)?.timeout]);
      expect([name, target.timeout]).toEqual([name, (timeout + startAllowance) * 1000]);
      // What API Gateway grants an integration at most.
      expect(target.timeout).toBeLessThanOrEqual(29_000);
    }
  });

  it('allow at most 120 requests a second for all methods, and 80 for those with a function', () => {
    const flows = methodLimitsOf(assembly);
    expect(flows.length).toBe(methods.length);
    expect(sum(flows.map(({ rate }) => rate))).toBeLessThanOrEqual(120);
    expect(sum(flows.filter(({ timeout }) => timeout > 0).map(({ rate }) => rate))).toBeLessThanOrEqual(80);
  });

  it('use the largest change of each method that writes, or else the maximum', () => {
    const writing = methods.filter(({ name, target }) => !name.startsWith('GET') && !('mock' in target));
    expect(writing.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(largestChanges)));
    for (const { records, events } of Object.values(largestChanges)) {
      expect(records).toBeLessThanOrEqual(largestOtherChanges.records);
      expect(events).toBeLessThanOrEqual(largestOtherChanges.events);
    }
  });

  it('cost nothing while idle: no provisioned poller, concurrency or shard', () => {
    const mappings = resourcesOf(assembly.template, 'AWS::Lambda::EventSourceMapping');
    expect(mappings.map(([, { ProvisionedPollerConfig }]) => ProvisionedPollerConfig)).toEqual([undefined]);
    const versions = ['AWS::Lambda::Alias', 'AWS::Lambda::Version', 'AWS::DynamoDB::Table', 'AWS::Kinesis::Stream'];
    expect(versions.flatMap(type => resourcesOf(assembly.template, type))).toEqual([]);
    const lines = worstCaseMonth(assembly).map(({ what }) => what);
    expect(lines).toEqual(expect.arrayContaining(['Lambda, publisher', 'EventBridge']));
  });

  it('include the cost of custom metrics, which exist while lines match', () => {
    expect(worstCaseMonth(assembly)).toContainEqual({
      what: 'CloudWatch, metrics',
      bound: 'custom metrics: 2, while deprecated operations are called or invariants are violated',
      month: 0.6,
    });
  });

  it.each(deployedStages)('keep the worst-case month of %s below its cap', async stage => {
    const made = await synthesizeShared({ stage, settings: withOwnTable });
    const excess = explainExcess(worstCaseMonth(made), settingsOf(stage).worstMonthCap);
    expect(excess, excess).toBeUndefined();
  });

  it('report the sum, the cap and the three most expensive rows when the cap is exceeded', () => {
    const line = (what: string, month: number) => ({ what, bound: '', month });
    const lines = [
      line('logs', 20),
      line('reads', 3_000.5),
      line('gateway', 10),
      line('duration', 4_000),
      line('out', 40),
    ];
    expect(explainExcess(lines, 7_070.5)).toBeUndefined();
    expect(explainExcess(lines, 7_070.49)).toBe(
      'The worst-case month costs $7,070.50, more than the cap of $7,070.49 (worstMonthCap in cdk/config/settings.ts). The most expensive rows: duration $4,000.00, reads $3,000.50, out $40.00. Lower a rate or a timeout in cdk/config/limits.ts, or raise the cap.',
    );
  });
});
