import { evaluate, resourcesOf, type Template } from '../../cdk/synthesis/template.ts';
import type { Call } from './dynamodb-proxy.ts';

/** The permission that a call needs: an action on a resource of the stack. */
export interface Need {
  readonly action: string;
  readonly on: string;
}

const actions: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};
const onStream = /^(ListStreams|DescribeStream|GetShardIterator|GetRecords)$/;

/** The permissions that IAM requires. A transaction needs those of its writes. */
export const needsOf = ({ operation, body }: Call): Need[] => {
  if (operation === 'TransactWriteItems')
    return body.TransactItems.flatMap(Object.keys).map((kind: string) => ({
      action: `dynamodb:${actions[kind]}`,
      on: 'the table',
    }));
  // The last part of a queue's URL is its logical id.
  if (body.QueueUrl) return [{ action: `sqs:${operation}`, on: `queue ${body.QueueUrl.split('/').at(-1)}` }];
  if (operation === 'PutEvents') return [{ action: 'events:PutEvents', on: 'the bus' }];
  if (operation === 'GetSecretValue')
    return [{ action: 'secretsmanager:GetSecretValue', on: `secret ${body.SecretId}` }];
  const inTable = body.IndexName ? `index ${body.IndexName}` : 'the table';
  return [{ action: `dynamodb:${operation}`, on: onStream.test(operation) ? 'the stream' : inTable }];
};

export const textOf = ({ action, on }: Need) => `${action} on ${on}`;

/** The name of a policy's resource, or the ARN itself when no function may use it. */
const nameOf = (resource: string, template: Template): string => {
  const [id = '', attribute] = resource.split('.');
  const index = resource.split('/index/')[1];
  const type = template.Resources[id.split('/')[0]!]?.Type;
  if (index) return `index ${index}`;
  // The name of a secret, and a hyphen and six characters that AWS chooses.
  const secret = /^arn:aws:secretsmanager:us-east-1:000000000000:secret:(.+)-\?{6}$/.exec(resource)?.[1];
  if (secret) return `secret ${secret}`;
  if (attribute === 'StreamArn') return 'the stream';
  if (attribute !== 'Arn') return resource;
  if (type === 'AWS::DynamoDB::GlobalTable') return 'the table';
  if (type === 'AWS::Events::EventBus') return 'the bus';
  return type === 'AWS::SQS::Queue' ? `queue ${id}` : resource;
};

/** Permissions of the Lambda runtime, which no test can observe. */
const isOfTheRuntime = (action: string) => /^(logs|xray):/.test(action);

/** Function → the permissions of its role on the table, the bus, queues and secrets. */
export const grantsOf = (template: Template): Map<string, Set<string>> => {
  const policies = resourcesOf(template, 'AWS::IAM::Policy').map(([, properties]) => evaluate(properties));
  return new Map(
    resourcesOf(template, 'AWS::Lambda::Function').map(([id, raw]) => {
      const role = evaluate(raw).Role.replace(/\.Arn$/, '');
      const statements = policies
        .filter(({ Roles }) => Roles.includes(role))
        .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
      const grants = statements.flatMap(({ Effect, Action, Resource }) =>
        [Action].flat().flatMap((action: string) =>
          [Resource].flat().map((resource: string) => {
            if (Effect !== 'Allow') throw new Error(`${id} has a statement that does not allow: ${Effect}`);
            return { action, on: nameOf(resource, template) };
          }),
        ),
      );
      return [id, new Set(grants.filter(({ action }) => !isOfTheRuntime(action)).map(textOf))];
    }),
  );
};
