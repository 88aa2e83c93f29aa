import { describe, expect, it } from 'vitest';
import { type Resource, resourcesOf, type Template } from '../../../cdk/build/template.ts';
import { readEvents } from '../../../cdk/local/events/event-resources.ts';
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
  it('reads of a template where events go, with what, how often, and for how long', () => {
    const { rules, deadLetters } = readEvents(template)!;
    expect(rules.length).toBe(2);
    expect(rules[0]).toMatchObject({
      destination: {
        ...{ url: webhook.url, method: 'POST', rate: 7 },
        headers: { 'X-Webhook-Secret': 'local', 'Content-Type': 'application/cloudevents+json; charset=UTF-8' },
      },
      retry: { MaximumRetryAttempts: 185, MaximumEventAgeInSeconds: 86_400 },
      deadLetters,
    });
    expect(rules[1]!.pattern).toMatchObject({ detail: { clientid: ['shop'] } });
  });

  it.each<[string, Template, string]>([
    ['another input path', target({ InputPath: '$.detail.data' }), 'does not know the input path $.detail.data'],
    ['no retry policy', target({ RetryPolicy: undefined }), 'a target without'],
    ['a second target', rule({ Targets: [{}, {}] }), 'a rule with several targets'],
    ['a schedule', rule({ ScheduleExpression: 'rate(1 day)' }), 'ScheduleExpression'],
    [
      'a pattern beyond its own',
      rule({ EventPattern: { source: [{ suffix: 'store' }] } }),
      'does not know this filter',
    ],
    ['another authorisation', connection({ AuthorizationType: 'BASIC' }), 'without an API key'],
    ['a secret in the template', withKey, 'without an API key that is a reference to Secrets Manager'],
  ])('refuses %s, which it would not serve as AWS does', (_, changed, message) => {
    expect(() => readEvents(changed)).toThrow(message);
  });
});
