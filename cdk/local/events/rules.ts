import { evaluate, resourcesOf, type Template } from '../../build/template.ts';
import { type Pattern, readPattern } from './event-pattern.ts';

/** An API destination with its connection. */
export interface Destination {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Requests a second. */
  readonly rate: number;
}

/** When failed deliveries are no longer retried. */
export interface RetryPolicy {
  readonly MaximumRetryAttempts: number;
  readonly MaximumEventAgeInSeconds: number;
}

/** A rule of the bus. Its target receives the detail of each matching event. */
export interface Rule {
  /** Logical id. */
  readonly id: string;
  readonly pattern: object;
  readonly matches: Pattern;
  readonly destination: Destination;
  readonly retryPolicy: RetryPolicy;
  /** Logical id. */
  readonly deadLetterQueue: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the properties of any resource
type Properties = any;

/** The value of every secret on this machine. */
const localSecret = 'local';

const rejectUnsupported = (what: string): never => {
  throw new Error(`The local server does not support ${what}. Implement it in cdk/local/events/rules.ts.`);
};

/** @throws at a property that is not in the list */
const supportedOnly = (what: string, names: readonly string[], properties: Properties): Properties => {
  const unsupported = Object.keys(properties).filter(name => !names.includes(name));
  return unsupported.length > 0 ? rejectUnsupported(`${unsupported} of ${what}`) : properties;
};

/** The properties of the resource that an ARN such as `WebhookshereDestinationDA8F2B1C.Arn` names. */
const resourceAt = (template: Template, type: string, arn: string): Properties => {
  const found = resourcesOf(template, type).find(([id]) => arn === `${id}.Arn`);
  return found ? evaluate(found[1]) : rejectUnsupported(`a rule whose target ${arn} is not an ${type}`);
};

/** The header of a connection. The template has only a reference to the secret. */
const readConnection = (template: Template, arn: string): Record<string, string> => {
  const properties = resourceAt(template, 'AWS::Events::Connection', arn);
  const { AuthorizationType, AuthParameters } = supportedOnly(
    'a connection',
    ['AuthorizationType', 'AuthParameters', 'Description'],
    properties,
  );
  const { ApiKeyAuthParameters } = supportedOnly('AuthParameters', ['ApiKeyAuthParameters'], AuthParameters);
  if (AuthorizationType !== 'API_KEY' || !/^{{resolve:secretsmanager:[^}]+}}$/.test(ApiKeyAuthParameters.ApiKeyValue))
    rejectUnsupported('a connection without an API key that is a reference to Secrets Manager');
  return { [ApiKeyAuthParameters.ApiKeyName]: localSecret };
};

const readDestination = (template: Template, arn: string, headers: Record<string, string>): Destination => {
  const { ConnectionArn, HttpMethod, InvocationEndpoint, InvocationRateLimitPerSecond } = supportedOnly(
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

/** Locally, a client's id is its name (../gateway/api.ts). */
const withClientNames = (template: Template, pattern: object): object =>
  JSON.parse(
    resourcesOf(template, 'AWS::Cognito::UserPoolClient').reduce(
      (text, [id, { ClientName }]) => text.replaceAll(JSON.stringify(id), JSON.stringify(ClientName)),
      JSON.stringify(pattern),
    ),
  );

const readRule = (template: Template, id: string, raw: Properties): Rule => {
  const properties = supportedOnly(
    `the rule ${id}`,
    ['Description', 'EventBusName', 'EventPattern', 'Tags', 'Targets'],
    evaluate(raw),
  );
  const {
    EventPattern,
    Targets: [target, ...others],
  } = properties;
  if (others.length > 0) rejectUnsupported(`a rule with several targets (${id})`);
  const { Arn, InputPath, HttpParameters, RetryPolicy, DeadLetterConfig } = supportedOnly(
    `the target of ${id}`,
    ['Arn', 'DeadLetterConfig', 'HttpParameters', 'Id', 'InputPath', 'RetryPolicy', 'RoleArn'],
    target,
  );
  if (!RetryPolicy || !DeadLetterConfig || !HttpParameters)
    rejectUnsupported(`a target without RetryPolicy, DeadLetterConfig and HttpParameters (${id})`);
  if (InputPath !== '$.detail') rejectUnsupported(`the input path ${InputPath} (${id})`);
  const { HeaderParameters } = supportedOnly(`HttpParameters of ${id}`, ['HeaderParameters'], HttpParameters);
  const pattern = withClientNames(template, EventPattern);
  return {
    id,
    pattern,
    matches: readPattern(pattern),
    retryPolicy: RetryPolicy,
    destination: readDestination(template, Arn, HeaderParameters),
    deadLetterQueue: DeadLetterConfig.Arn.replace(/\.Arn$/, ''),
  };
};

/** The rules of the template's bus. @throws at a property that is not supported */
export const readRules = (template: Template): Rule[] =>
  resourcesOf(template, 'AWS::Events::Rule').map(([id, raw]) => readRule(template, id, raw));
