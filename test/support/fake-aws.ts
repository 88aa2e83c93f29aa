import { afterAll, beforeAll, inject } from 'vitest';
import { evaluate, resourcesOf, type Template } from '../../cdk/synthesis/template.ts';
import { awsJson, errorBody, pageOf, resultOf } from './aws-json.ts';
import { startForwarder } from './forwarder.ts';

/** CloudFormation and STS use the Query protocol. */
const toXml = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(item => toXml({ member: item })).join('');
  if (typeof value !== 'object')
    return `${value ?? ''}`.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const fields = Object.entries(value!).filter(([, field]) => field !== undefined);
  return fields.map(([name, field]) => `<${name}>${toXml(field)}</${name}>`).join('');
};

/** Resources have the values that they would have after a deployment. */
export const outputsOf = (
  { Outputs = {} }: Template,
  deployed: Readonly<Record<string, string>> = {},
): Record<string, string> => {
  const evaluated = (value: unknown) =>
    JSON.stringify(value).includes('Fn::Select') ? 'undeployed' : evaluate(value);
  const outputs = Object.entries(Outputs).map(([name, { Value }]) => [
    name,
    deployed[name] ?? evaluated(Value),
  ]);
  return Object.fromEntries(outputs);
};

export interface Stack {
  readonly template: Template;
  readonly outputs: Readonly<Record<string, string>>;
}

/**
 * Operation → its output, or an `errorBody`. The operation is the name of an action, such as `StartQuery`; in an API without
 * actions, method and kind of resource, such as `PUT functions`, and the function gets the resource's id. A list of `Describe…` is
 * returned in pages.
 */
// biome-ignore lint/suspicious/noExplicitAny: the input of any operation
type Operations = Readonly<Record<string, (input: any, id: string) => object>>;

const operationsOn = ({ template, outputs }: Stack): Operations => ({
  DescribeStacks: () => {
    const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({
      OutputKey,
      OutputValue,
    }));
    const StackId = 'arn:aws:cloudformation:eu-west-1:123456789012:stack/x/1';
    return { Stacks: [{ StackId, StackStatus: 'UPDATE_COMPLETE', Outputs }] };
  },
  ListStackResources: ({ NextToken: token }) => {
    const [page, NextToken] = pageOf(Object.entries(template.Resources), token);
    const StackResourceSummaries = page.map(([id, { Type: ResourceType }]) => {
      const ids = { LogicalResourceId: id, PhysicalResourceId: `physical-${id}` };
      return { ...ids, ResourceType };
    });
    return { StackResourceSummaries, NextToken };
  },
  GetTemplate: () => ({ TemplateBody: JSON.stringify(template) }),
});

/** Of the stacks, and of stages whose names begin with theirs. */
const savedQueriesOf = (stacks: Iterable<Stack>) =>
  [...stacks].flatMap(({ template }) =>
    resourcesOf(template, 'AWS::Logs::QueryDefinition').flatMap(([, query]) =>
      ['2/', '/'].map(end => ({
        name: query.Name.replace('/', end) as string,
        queryString: query.QueryString,
        logGroupNames: evaluate(query.LogGroupNames),
      })),
    ),
  );

/** Throttles the first call of each operation. SDK clients find it by `environment`, which has credentials. */
export const startFakeAws = async (
  stacks: ReadonlyMap<string, Stack>,
  operations: Operations = {},
) => {
  const aws = {
    calls: [] as (readonly [operation: string, input: unknown])[],
    /** Nobody may do this: an operation, and the id of a resource. */
    denied: /^$/,
    /** The name of the session. */
    caller: 'alice',
  };
  const session = () => {
    const Arn = `arn:aws:sts::123456789012:assumed-role/Operator/${aws.caller}`;
    return { Account: '123456789012', Arn };
  };
  const throttled = new Set<string>();
  // biome-ignore lint/suspicious/noExplicitAny: the input of any operation
  const outputOf = (operation: string, input: any, id = ''): object => {
    if (!throttled.has(operation)) {
      throttled.add(operation);
      return errorBody('ThrottlingException');
    }
    aws.calls.push([operation, input]);
    if (aws.denied.test(`${operation} ${id}`))
      return errorBody('AccessDeniedException', `not allowed to change ${id}`);
    const { StackName: name } = input;
    const stack = stacks.get(name);
    if (name && !stack) return errorBody('ValidationError', `Stack with id ${name} does not exist`);
    const queries = ({ queryDefinitionNamePrefix: prefix = '' }) => ({
      queryDefinitions: savedQueriesOf(stacks.values()).filter(query =>
        query.name.startsWith(prefix),
      ),
    });
    const ofAccount = { GetCallerIdentity: session, DescribeQueryDefinitions: queries };
    const all = { ...ofAccount, ...operations, ...(stack && operationsOn(stack)) };
    const output = (all as Operations)[operation]!(input, id);
    const [field, list] = Object.entries(output).find(([, value]) => Array.isArray(value)) ?? [];
    if (!field || !operation.startsWith('Describe')) return output;
    const [page, nextToken] = pageOf(list, input.nextToken);
    return { ...output, [field]: page, nextToken };
  };
  const query = (action: string, form: object) => {
    const { status, body } = resultOf(outputOf(action, form));
    const result =
      status === 200
        ? { [`${action}Response`]: { [`${action}Result`]: body } }
        : { ErrorResponse: { Error: { Code: body.__type.split('#')[1], Message: body.message } } };
    return { status, headers: {}, body: toXml(result) };
  };
  const json = awsJson(({ operation, body }, _, { method, path }) => {
    const [, , resource, id] = path.split('/').map(decodeURIComponent);
    return resultOf(outputOf(operation || `${method} ${resource}`, body, id));
  });
  const { url, stop } = await startForwarder('', {
    request: (request, forward) => {
      const { Action: action, ...form } = Object.fromEntries(new URLSearchParams(request.body));
      return action ? query(action, form) : json(request, forward);
    },
  });
  const services = [
    'CLOUDFORMATION',
    'CLOUDWATCH_LOGS',
    'COGNITO_IDENTITY_PROVIDER',
    'LAMBDA',
    'STS',
  ];
  const environment: Record<string, string> = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  for (const service of services) environment[`AWS_ENDPOINT_URL_${service}`] = url;
  return Object.assign(aws, { environment, stop });
};

/** Has the stage `dev`. @param deployed outputs that are known only when the tests begin */
export const useDeployedStage = async (deployed: () => Readonly<Record<string, string>>) => {
  const [stacks, template] = [new Map<string, Stack>(), inject('template')];
  const aws = await startFakeAws(stacks);
  beforeAll(
    () => void stacks.set('petstore-dev', { template, outputs: outputsOf(template, deployed()) }),
  );
  afterAll(aws.stop);
  return aws;
};
