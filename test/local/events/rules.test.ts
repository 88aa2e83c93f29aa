import { describe, expect, it } from 'vitest';
import { type Resource, resourcesOf, type Template } from '../../../cdk/build/template.ts';
import { readEventResources } from '../../../cdk/local/events/event-resources.ts';
import { synthesizeShared } from '../../support/petstore.ts';

const webhook = { url: 'http://127.0.0.1:4000/hook', types: ['petstore.*'], secret: 'petstore/here', rate: 7 };
const { template } = await synthesizeShared({
  stage: 'local',
  settings: { webhooks: { here: webhook, shop: { ...webhook, client: 'shop' } } },
});
const altered = (type: string, change: (properties: Resource['Properties']) => void): Template => {
  const copy: Template = structuredClone(template);
  change(resourcesOf(copy, type)[0]![1]);
  return copy;
};
const rule = (changes: object) => altered('AWS::Events::Rule', properties => Object.assign(properties, changes));
const target = (changes: object) =>
  altered('AWS::Events::Rule', ({ Targets }) => void Object.assign(Targets[0], changes));
const connection = (changes: object) =>
  altered('AWS::Events::Connection', properties => Object.assign(properties, changes));
const withKey = altered('AWS::Events::Connection', ({ AuthParameters }) => {
  AuthParameters.ApiKeyAuthParameters.ApiKeyValue = 'hunter2';
});

describe('the local server', () => {
  it('reads destination, rate, retry policy and dead-letter queue of each rule', () => {
    const { rules, webhooksDeadLetterQueue } = readEventResources(template)!;
    expect(rules.length).toBe(2);
    expect(rules[0]).toMatchObject({
      destination: {
        ...{ url: webhook.url, method: 'POST', rate: 7 },
        headers: { 'X-Webhook-Secret': 'local', 'Content-Type': 'application/cloudevents+json; charset=UTF-8' },
      },
      retryPolicy: { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 86_400 },
      deadLetterQueue: webhooksDeadLetterQueue,
    });
    expect(rules[1]!.pattern).toMatchObject({ detail: { clientid: ['shop'] } });
  });

  it.each<[string, Template, string]>([
    ['another input path', target({ InputPath: '$.detail.data' }), 'does not support the input path $.detail.data'],
    ['no retry policy', target({ RetryPolicy: undefined }), 'a target without'],
    ['a second target', rule({ Targets: [{}, {}] }), 'a rule with several targets'],
    ['a schedule', rule({ ScheduleExpression: 'rate(1 day)' }), 'ScheduleExpression'],
    [
      'an unsupported comparison in a pattern',
      rule({ EventPattern: { source: [{ suffix: 'store' }] } }),
      'does not support this filter',
    ],
    ['another authorization type', connection({ AuthorizationType: 'BASIC' }), 'without an API key'],
    ['a secret in the template', withKey, 'without an API key that is a reference to Secrets Manager'],
  ])('rejects %s', (_, changed, message) => {
    expect(() => readEventResources(changed)).toThrow(message);
  });
});
