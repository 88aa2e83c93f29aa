/** The parts that this project reads. */
export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: the properties of any resource type
  readonly Properties: any;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: readonly string[];
}

export interface Template {
  readonly Resources: Record<string, Resource>;
  readonly Outputs?: Record<string, { Value: unknown }>;
}

export interface Assembly {
  readonly template: Template;
  /** S3 key of an asset → its folder. */
  readonly assets: ReadonlyMap<string, string>;
}

/** On the local server. */
const pseudoParameters: Record<string, string> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'us-east-1',
  'AWS::AccountId': '000000000000',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::StackName': 'petstore-local',
};

/** Logical ids and properties. */
export const resourcesOf = (
  { Resources }: Template,
  type: string,
): [string, Resource['Properties']][] =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([id, { Properties }]) => [id, Properties ?? {}]);

/** @throws unless the template has exactly one resource of the type */
export const onlyResourceOf = (
  template: Template,
  type: string,
): [string, Resource['Properties']] => {
  const [found, ...others] = resourcesOf(template, type);
  if (!found || others.length > 0)
    throw new Error(
      `The template must have exactly one ${type}; it has ${others.length + (found ? 1 : 0)}.`,
    );
  return found;
};

/**
 * `Ref` returns a resource's logical id, which is also its physical id on the local server. `Fn::GetAtt` returns
 * `LogicalId.Attribute`, for `QueueName` only the logical id. @throws for another intrinsic function
 */
// biome-ignore lint/suspicious/noExplicitAny: templates are any JSON
export const evaluate = (value: unknown): any => {
  if (Array.isArray(value)) return value.map(evaluate);
  if (value === null || typeof value !== 'object') return value;
  const [[name, argument] = [], ...others] = Object.entries(value);
  if (others.length === 0 && name) {
    if (name === 'Ref') return pseudoParameters[argument] ?? argument;
    if (name === 'Fn::GetAtt')
      return argument[1] === 'QueueName' ? argument[0] : argument.join('.');
    if (name === 'Fn::Join') return evaluate(argument[1]).join(argument[0]);
    if (name === 'Fn::Sub' && typeof argument === 'string')
      return argument.replace(/\${([^}]+)}/g, (_, key) => pseudoParameters[key] ?? key);
    if (name.startsWith('Fn::'))
      throw new Error(`The local server does not support the intrinsic function ${name}.`);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, evaluate(item)]));
};
