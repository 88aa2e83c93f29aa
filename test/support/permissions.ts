import { evaluate, resourcesOf, type Template } from '../../cdk/synthesis/template.ts';
import { type Call, isOfStream } from './aws-json.ts';

/** An action on a resource of the stack. */
export interface Need {
  readonly action: string;
  readonly on: string;
  /** The partition keys that the call reads, of table or index (`dynamodb:LeadingKeys`). */
  readonly keys?: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: the key of any item
const partitionOf = ({ pk }: any): string => pk.S;

/** The keys of an index are its partitions, which `npm run verify` confirms on AWS. */
const keysOf = ({ operation, body }: Call): string[] => {
  if (operation === 'GetItem') return [partitionOf(body.Key)];
  if (operation === 'Query')
    return [
      body.ExpressionAttributeValues[/^#\w+ = (:\w+)/.exec(body.KeyConditionExpression)![1]!].S,
    ];
  if (operation !== 'BatchGetItem') return [];
  return Object.values<{ Keys: object[] }>(body.RequestItems).flatMap(({ Keys }) =>
    Keys.map(partitionOf),
  );
};

const inTable = (operation: string, index?: string): Need => ({
  action: `dynamodb:${operation}`,
  on: index ? `index ${index}` : 'the table',
});

/** A transaction needs the permissions of its writes. */
export const needsOf = (call: Call): Need[] => {
  const { operation, body } = call;
  if (operation === 'TransactWriteItems')
    return body.TransactItems.flatMap(Object.keys).map((kind: string) => inTable(`${kind}Item`));
  // The queue's URL ends with its logical id in these tests.
  if (body.QueueUrl)
    return [{ action: `sqs:${operation}`, on: `queue ${body.QueueUrl.split('/').at(-1)}` }];
  if (operation === 'PutEvents') return [{ action: 'events:PutEvents', on: 'the bus' }];
  if (operation === 'GetSecretValue')
    return [{ action: 'secretsmanager:GetSecretValue', on: `secret ${body.SecretId}` }];
  if (isOfStream(call)) return [{ action: `dynamodb:${operation}`, on: 'the stream' }];
  return [{ ...inTable(operation, body.IndexName), keys: keysOf(call) }];
};

export const textOf = ({ action, on }: Need) => `${action} on ${on}`;

/** Functions need these permissions on the stack's own table only until a deployment has updated them. */
export const whileAdopted = ' while another table is adopted';

/** An ARN, if no function may use the resource. */
const nameOf = (resource: string, template: Template): string => {
  const [id = '', attribute] = resource.split('.');
  const index = resource.split('/index/')[1];
  const type = template.Resources[id.split('/')[0]!]?.Type;
  const tables = resourcesOf(template, 'AWS::Lambda::Function').map(
    ([, raw]) => raw.Environment.Variables.TABLE_NAME,
  );
  const adopts = tables.some(table => table && !template.Resources[evaluate(table)]);
  const suffix = adopts && type === 'AWS::DynamoDB::GlobalTable' ? whileAdopted : '';
  if (index) return `index ${index}${suffix}`;
  // The ARN ends with the name, a hyphen, and six characters that AWS chooses.
  const secret = /^arn:aws:secretsmanager:us-east-1:000000000000:secret:(.+)-\?{6}$/.exec(
    resource,
  )?.[1];
  if (secret) return `secret ${secret}`;
  if (attribute === 'StreamArn' || resource.includes('/stream/')) return 'the stream';
  if (resource.startsWith('arn:aws:dynamodb:')) return 'the table';
  if (attribute !== 'Arn') return resource;
  if (type === 'AWS::DynamoDB::GlobalTable') return `the table${suffix}`;
  if (type === 'AWS::Events::EventBus') return 'the bus';
  return type === 'AWS::SQS::Queue' ? `queue ${id}` : resource;
};

/** Permission → the patterns of its keys; undefined: all keys. */
export type Grants = ReadonlyMap<string, readonly string[] | undefined>;

// biome-ignore lint/suspicious/noExplicitAny: a statement of any policy
const patternsOf = ({ Effect, Condition }: any): readonly string[] | undefined => {
  const patterns = Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
  if (Effect !== 'Allow' || (Condition && !patterns))
    throw new Error(
      `A statement that the tests do not support: ${Effect} ${JSON.stringify(Condition)}`,
    );
  return patterns;
};

/** Function → the permissions of its role on table, bus, queues and secrets. */
export const grantsOf = (template: Template): Map<string, Grants> => {
  const policies = resourcesOf(template, 'AWS::IAM::Policy').map(([, properties]) =>
    evaluate(properties),
  );
  const functions = resourcesOf(template, 'AWS::Lambda::Function').map(([id, raw]) => {
    const role = evaluate(raw).Role.replace(/\.Arn$/, '');
    const grants = new Map<string, readonly string[] | undefined>();
    for (const { Roles, PolicyDocument } of policies) {
      if (!Roles.includes(role)) continue;
      // The Lambda runtime uses these permissions, so no test can observe it.
      for (const statement of PolicyDocument.Statement)
        for (const action of [statement.Action].flat())
          for (const resource of [statement.Resource].flat())
            if (!/^(logs|xray):/.test(action))
              grants.set(textOf({ action, on: nameOf(resource, template) }), patternsOf(statement));
    }
    return [id, grants] as const;
  });
  return new Map(functions);
};

/** `*` in a pattern of IAM stands for any characters. */
export const matches = (pattern: string, key: string) =>
  new RegExp(`^${pattern.replace(/[^\w*#]/g, '\\$&').replaceAll('*', '.*')}$`, 's').test(key);

/** With `ForAllValues`, each key must match a pattern. */
export const allows = (grants: Grants | undefined, need: Need): boolean => {
  const text = textOf(need);
  const patterns = grants?.get(text);
  if (!patterns) return grants?.has(text) ?? false;
  return (need.keys ?? []).every(key => patterns.some(pattern => matches(pattern, key)));
};
