import { evaluate, resourcesOf, type Template } from '../../build/template.ts';
import { type Pattern, readPattern } from './event-pattern.ts';

/** Where events go: the address of an API destination, and what each request says. */
export interface Destination {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Requests a second. */
  readonly rate: number;
}

/** How long what failed is tried again: so many times, and for so many seconds. */
export interface RetryPolicy {
  readonly MaximumRetryAttempts: number;
  readonly MaximumEventAgeInSeconds: number;
}

/** A rule of the bus, whose target gets the detail of each event that matches. */
export interface Rule {
  /** Logical id. */
  readonly id: string;
  readonly pattern: object;
  readonly matches: Pattern;
  readonly destination: Destination;
  readonly retry: RetryPolicy;
  /** Queue of what was given up: its logical id. */
  readonly deadLetters: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the properties of any resource
type Properties = any;

/** The value of every secret on this machine. */
const localSecret = 'local';

/** Refuses what is not known here: it could mean anything. */
const only = (what: string, names: readonly string[], properties: Properties): Properties => {
  const strangers = Object.keys(properties).filter(name => !names.includes(name));
  if (strangers.length > 0)
    throw new Error(
      `The local server does not know ${strangers} of ${what}. Teach cdk/local/events/rules.ts what it means.`,
    );
  return properties;
};

const refuse = (what: string): never => {
  throw new Error(`The local server does not know ${what}. Teach cdk/local/events/rules.ts what it means.`);
};

/** `WebhookshereDestinationDA8F2B1C.Arn` → what that resource has. */
const resourceAt = (template: Template, type: string, arn: string): Properties => {
  const found = resourcesOf(template, type).find(([id]) => arn === `${id}.Arn`);
  return found ? evaluate(found[1]) : refuse(`a rule that leads to ${arn}, which is no ${type}`);
};

/** The header of a connection; its secret is nowhere in a template. */
const readConnection = (template: Template, arn: string): Record<string, string> => {
  const properties = resourceAt(template, 'AWS::Events::Connection', arn);
  const { AuthorizationType, AuthParameters } = only(
    'a connection',
    ['AuthorizationType', 'AuthParameters', 'Description'],
    properties,
  );
  const { ApiKeyAuthParameters } = only('AuthParameters', ['ApiKeyAuthParameters'], AuthParameters);
  if (AuthorizationType !== 'API_KEY' || !/^{{resolve:secretsmanager:[^}]+}}$/.test(ApiKeyAuthParameters.ApiKeyValue))
    refuse('a connection without an API key that is a reference to Secrets Manager');
  return { [ApiKeyAuthParameters.ApiKeyName]: localSecret };
};

const readDestination = (template: Template, arn: string, headers: Record<string, string>): Destination => {
  const { ConnectionArn, HttpMethod, InvocationEndpoint, InvocationRateLimitPerSecond } = only(
    'an API destination',
    ['ConnectionArn', 'Description', 'HttpMethod', 'InvocationEndpoint', 'InvocationRateLimitPerSecond'],
    resourceAt(template, 'AWS::Events::ApiDestination', arn),
  );
  return {
    url: InvocationEndpoint,
    method: HttpMethod,
    // "In case of any conflicting keys, values from the Connection take precedence" (API reference, HttpParameters).
    headers: { ...headers, ...readConnection(template, ConnectionArn) },
    rate: InvocationRateLimitPerSecond,
  };
};

/** A client's physical id is its name here (../gateway/api.ts). */
const withClientNames = (template: Template, pattern: object): object =>
  JSON.parse(
    resourcesOf(template, 'AWS::Cognito::UserPoolClient').reduce(
      (text, [id, { ClientName }]) => text.replaceAll(JSON.stringify(id), JSON.stringify(ClientName)),
      JSON.stringify(pattern),
    ),
  );

const readRule = (template: Template, id: string, raw: Properties): Rule => {
  const properties = only(
    `the rule ${id}`,
    ['Description', 'EventBusName', 'EventPattern', 'Tags', 'Targets'],
    evaluate(raw),
  );
  const {
    EventPattern,
    Targets: [target, ...others],
  } = properties;
  if (others.length > 0) refuse(`a rule with several targets (${id})`);
  const { Arn, InputPath, HttpParameters, RetryPolicy, DeadLetterConfig } = only(
    `the target of ${id}`,
    ['Arn', 'DeadLetterConfig', 'HttpParameters', 'Id', 'InputPath', 'RetryPolicy', 'RoleArn'],
    target,
  );
  if (!RetryPolicy || !DeadLetterConfig || !HttpParameters)
    refuse(`a target without RetryPolicy, DeadLetterConfig and HttpParameters (${id})`);
  if (InputPath !== '$.detail') refuse(`the input path ${InputPath} (${id})`);
  const { HeaderParameters } = only(`HttpParameters of ${id}`, ['HeaderParameters'], HttpParameters);
  const pattern = withClientNames(template, EventPattern);
  return {
    id,
    pattern,
    matches: readPattern(pattern),
    retry: RetryPolicy,
    destination: readDestination(template, Arn, HeaderParameters),
    deadLetters: DeadLetterConfig.Arn.replace(/\.Arn$/, ''),
  };
};

/** The rules of the template's bus. @throws at what is not known here */
export const readRules = (template: Template): Rule[] =>
  resourcesOf(template, 'AWS::Events::Rule').map(([id, raw]) => readRule(template, id, raw));
