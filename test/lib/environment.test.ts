import { afterEach, describe, expect, it, vi } from 'vitest';
import { environment } from '../../lib/environment.ts';

afterEach(() => void vi.unstubAllEnvs());

const texts = {
  tableName: 'TABLE_NAME',
  dynamoDbEndpoint: 'DYNAMODB_ENDPOINT',
  build: 'BUILD',
  deprecatedOn: 'DEPRECATED_ON',
  sunsetOn: 'SUNSET_ON',
  tokenUrl: 'TOKEN_URL',
  tokensValidFrom: 'TOKENS_VALID_FROM',
  publicUrl: 'PUBLIC_URL',
  eventSource: 'EVENT_SOURCE',
  eventBus: 'EVENT_BUS',
  eventsEndpoint: 'EVENTS_ENDPOINT',
  deadLetterQueueUrl: 'DEAD_LETTER_QUEUE_URL',
  secretsEndpoint: 'SECRETS_ENDPOINT',
  webhooks: 'WEBHOOKS',
} as const;
const numbers = {
  attemptTimeout: 'ATTEMPT_TIMEOUT_MS',
  retryBudget: 'RETRY_BUDGET_MS',
  gracePeriod: 'GRACE_PERIOD_MS',
  indexShards: 'INDEX_SHARDS',
  eventsGeneration: 'EVENTS_GENERATION',
} as const;
const defaults = {
  ...{ attemptTimeout: 1_000, retryBudget: 3_000, gracePeriod: 500, indexShards: 1, enforceSunset: false },
  ...{ build: undefined, tokenUrl: undefined, tokensValidFrom: undefined, publicUrl: undefined },
};

const names = Object.keys(environment) as (keyof typeof environment)[];
const variables = { ...texts, ...numbers, enforceSunset: 'ENFORCE_SUNSET' };

/** The configuration with each variable set to one value, or to one of its own. */
const readWith = (textOf: (variable: string) => string) => {
  for (const variable of Object.values(variables)) vi.stubEnv(variable, textOf(variable));
  return (name: keyof typeof environment) => environment[name];
};

describe('the configuration of a function', () => {
  it('has the value of one variable under each name', () => {
    const read = readWith(variable => `the ${variable}`);
    for (const [name, variable] of Object.entries(texts)) expect(read(name as never), name).toBe(`the ${variable}`);
  });

  it('has numbers for times, shards and the generation of events', () => {
    const all = Object.values(variables);
    const read = readWith(variable => String(all.indexOf(variable as never)));
    for (const [name, variable] of Object.entries(numbers))
      expect(read(name as never), name).toBe(all.indexOf(variable));
  });

  it('enforces a sunset only with the text true', () => {
    const enforced = ['true', 'false', '1'].map(text => readWith(() => text)('enforceSunset'));
    expect(enforced).toEqual([true, false, false]);
  });

  it.each(names)('treats an empty variable of %s as absent: a default, or an error with its name', name => {
    const read = readWith(() => '');
    if (name in defaults) expect(read(name)).toBe(defaults[name as keyof typeof defaults]);
    else
      expect(() => read(name)).toThrow(
        `The environment variable ${variables[name]} is not set. The stack sets it: cdk/stack/.`,
      );
  });
});
