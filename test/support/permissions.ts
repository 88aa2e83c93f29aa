import { evaluate, resourcesOf, type Template } from '../../cdk/assembly/template.ts';
import type { Call } from './dynamodb-proxy.ts';

/** What a call needs: an action on the table (`''`) or on one of its indexes. */
export interface Need {
  readonly action: string;
  readonly index: string;
}

const transactionActions: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** What IAM asks for: a transaction needs the actions that it is made of. */
export const needsOf = ({ operation, body }: Call): Need[] =>
  operation === 'TransactWriteItems'
    ? body.TransactItems.flatMap(Object.keys).map((kind: string) => ({
        action: `dynamodb:${transactionActions[kind]}`,
        index: '',
      }))
    : [{ action: `dynamodb:${operation}`, index: body.IndexName ?? '' }];

export const textOf = ({ action, index }: Need) => `${action} on ${index ? `index ${index}` : 'the table'}`;

/** Function → what its role in the template grants on the table. */
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
            return { action, index: resource.split('/index/')[1] ?? '' };
          }),
        ),
      );
      return [id, new Set(grants.filter(({ action }) => action.startsWith('dynamodb:')).map(textOf))];
    }),
  );
};
