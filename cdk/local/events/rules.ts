import { evaluate, resourcesOf, type Template } from '../../build/template.ts';
import { checkSupport, type Properties, rejectUnsupported } from './check-support.ts';
import { type Pattern, readPattern } from './event-pattern.ts';

/** A rule of the bus. Its target, a queue, receives the detail of each matching event. */
export interface Rule {
  /** Logical id. */
  readonly id: string;
  readonly matches: Pattern;
  /** Logical id. */
  readonly queue: string;
}

/** Locally, a client's id is its name (../gateway/api.ts). */
const withClientNames = (template: Template, pattern: object): object =>
  JSON.parse(
    resourcesOf(template, 'AWS::Cognito::UserPoolClient').reduce(
      (text, [id, { ClientName }]) => text.replaceAll(JSON.stringify(id), JSON.stringify(ClientName)),
      JSON.stringify(pattern),
    ),
  );

const readRule = (template: Template, id: string, raw: Properties): Rule => {
  const properties = evaluate(raw);
  const supported = ['Description', 'EventBusName', 'EventPattern', 'Tags', 'Targets'];
  checkSupport(`the rule ${id}`, properties, supported);
  const {
    EventPattern,
    Targets: [target, ...others],
  } = properties;
  if (others.length > 0) rejectUnsupported(`a rule with several targets (${id})`);
  // The local queue accepts every event of the local bus, so nothing is retried or dead-lettered before it.
  checkSupport(`the target of ${id}`, target, ['Arn', 'DeadLetterConfig', 'Id', 'InputPath', 'RetryPolicy']);
  const { Arn, InputPath } = target;
  const queue = resourcesOf(template, 'AWS::SQS::Queue').find(([queueId]) => Arn === `${queueId}.Arn`)?.[0];
  if (!queue) return rejectUnsupported(`a rule whose target ${Arn} is not a queue (${id})`);
  if (InputPath !== '$.detail') rejectUnsupported(`the input path ${InputPath} (${id})`);
  return { id, matches: readPattern(withClientNames(template, EventPattern)), queue };
};

/** The rules of the template's bus. @throws at a property that is not supported */
export const readRules = (template: Template): Rule[] =>
  resourcesOf(template, 'AWS::Events::Rule').map(([id, raw]) => readRule(template, id, raw));
