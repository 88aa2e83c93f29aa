import { expect, it } from 'vitest';
import { readEventResources } from '../../../cdk/local/events/event-resources.ts';
import { type Resource, resourcesOf, type Template } from '../../../cdk/synthesis/template.ts';
import { synthesizeShared } from '../../support/petstore.ts';

const webhook = { url: 'http://127.0.0.1:4000/hook', types: ['petstore.*'], secret: 'petstore/here', concurrency: 7 };
const { template } = await synthesizeShared({
  stage: 'local',
  settings: { webhooks: { here: webhook, shop: { ...webhook, client: 'shop' } } },
});
const altered = (type: string, changes: Resource['Properties'], which = 0): Template => {
  const copy: Template = structuredClone(template);
  Object.assign(resourcesOf(copy, type)[which]![1], changes);
  return copy;
};
const rule = (changes: object) => altered('AWS::Events::Rule', changes);
const [[, { Targets }]] = resourcesOf(template, 'AWS::Events::Rule') as [[string, Resource['Properties']]];
const target = (changes: object) => rule({ Targets: [{ ...Targets[0], ...changes }] });
/** Mapping 0 reads the stream. The others read the queues of webhooks. */
const mapping = (changes: object, which = 1) => altered('AWS::Lambda::EventSourceMapping', changes, which);
const queue = (changes: object) => altered('AWS::SQS::Queue', changes);

it('the local server reads the rule, the queue and the mapping of each webhook', () => {
  const { rules, queues, queueMappings } = readEventResources(template)!;
  expect(queueMappings).toMatchObject(rules.map(({ queue }) => ({ queue, maximumConcurrency: 7 })));
  const redrive = { maxReceiveCount: 500, to: expect.stringMatching(/^WebhooksDeadLetterQueue/) };
  const ofRules = rules.map(({ queue: id }) => ({ id, visibilityTimeout: 180, redrive }));
  expect(queues).toEqual(expect.arrayContaining(ofRules));
  const order = { source: 'petstore', 'detail-type': 'petstore.order.placed', detail: { clientid: 'rival' } };
  expect(rules.map(({ matches }) => matches(order))).toEqual([true, false]);
});

/** The local server supports only exact values and prefixes in event patterns. It must reject these. */
const comparisons = [{ suffix: 'd' }, { prefix: { 'equals-ignore-case': 'p' } }, { exists: true }, 7, {}];
const patterns = comparisons.map(value => ({ EventPattern: { 'detail-type': [value] } }));

it.each<[string, Template, string]>([
  ...patterns.map(pattern => [JSON.stringify(pattern), rule(pattern), 'does not support this filter'] as never),
  ['another input path', target({ InputPath: '$.detail.data' }), 'the targets or input path of'],
  ['another target', target({ Arn: 'arn:aws:lambda:x' }), 'which is not a queue'],
  ['another property of a target', target({ RoleArn: 'arn' }), 'RoleArn of the target'],
  ['a second target', rule({ Targets: [{}, {}] }), 'the targets or input path of'],
  ['a schedule', rule({ ScheduleExpression: 'rate(1 day)' }), 'ScheduleExpression'],
  ['batches of messages', mapping({ BatchSize: 10 }), 'does not support'],
  ['a mapping without a concurrency', mapping({ ScalingConfig: undefined }), 'does not support'],
  ['a mapping that reports no failures', mapping({ FunctionResponseTypes: [] }), 'does not support'],
  ['a filter of messages', mapping({ FilterCriteria: {} }), 'FilterCriteria'],
  ['a mapping of something else', mapping({ EventSourceArn: 'arn:aws:kafka:x' }), 'does not support'],
  ['no mapping of the stream', mapping({ EventSourceArn: 'x' }, 0), 'does not support'],
  ['a delay of messages', queue({ DelaySeconds: 3 }), 'DelaySeconds'],
])('the local server rejects %s', (_, changed, message) => {
  expect(() => readEventResources(changed)).toThrow(message);
});
