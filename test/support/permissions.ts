import { evaluate, resourcesOf, type Template } from '../../cdk/build/template.ts';
import type { Call } from './dynamodb-proxy.ts';

/** What a call needs: an action on a thing of the stack, such as the table, its stream or one of its indexes. */
export interface Need {
  readonly action: string;
  readonly on: string;
}

const transactionActions: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

const actionsElsewhere: Record<string, Need> = {
  ListStreams: { action: 'dynamodb:ListStreams', on: 'the stream' },
  DescribeStream: { action: 'dynamodb:DescribeStream', on: 'the stream' },
  GetShardIterator: { action: 'dynamodb:GetShardIterator', on: 'the stream' },
  GetRecords: { action: 'dynamodb:GetRecords', on: 'the stream' },
  PutEvents: { action: 'events:PutEvents', on: 'the bus' },
  SendMessage: { action: 'sqs:SendMessage', on: 'the queue' },
};

/** What IAM asks for: a transaction needs the actions that it is made of. */
export const needsOf = ({ operation, body }: Call): Need[] => {
  if (operation === 'TransactWriteItems')
    return body.TransactItems.flatMap(Object.keys).map((kind: string) => ({
      action: `dynamodb:${transactionActions[kind]}`,
      on: 'the table',
    }));
  const elsewhere = actionsElsewhere[operation];
  if (elsewhere) return [elsewhere];
  return [{ action: `dynamodb:${operation}`, on: body.IndexName ? `index ${body.IndexName}` : 'the table' }];
};

export const textOf = ({ action, on }: Need) => `${action} on ${on}`;

/** What of the stack a resource of a policy is; the resource itself where it is nothing that a function may touch. */
const nameOf = (resource: string, template: Template): string => {
  const [id = '', attribute] = resource.split('.');
  const index = resource.split('/index/')[1];
  const type = template.Resources[id.split('/')[0]!]?.Type;
  if (index) return `index ${index}`;
  if (attribute === 'StreamArn') return 'the stream';
  if (attribute !== 'Arn') return resource;
  if (type === 'AWS::DynamoDB::GlobalTable') return 'the table';
  if (type === 'AWS::Events::EventBus') return 'the bus';
  return type === 'AWS::SQS::Queue' ? 'the queue' : resource;
};

/** What every function has, and no test sees it use: its log, and its traces. */
const isOfTheRuntime = (action: string) => /^(logs|xray):/.test(action);

/** Function → what its role in the template grants on the store, and on what tells of it. */
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
