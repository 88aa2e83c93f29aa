import { afterAll, beforeAll, inject } from 'vitest';
import { evaluate, type Template } from '../../cdk/synthesis/template.ts';
import { awsJson, errorBody, pageOf, resultOf } from './aws-json.ts';
import { startForwarder } from './forwarder.ts';

const toXml = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

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

const member = (fields: Readonly<Record<string, string>>) => {
  const elements = Object.entries(fields).map(
    ([name, value]) => `<${name}>${toXml(value)}</${name}>`,
  );
  return `<member>${elements.join('')}</member>`;
};

/** CloudFormation and STS use the Query protocol. */
const results: Readonly<Record<string, (stack: Stack, token: string | null) => string>> = {
  DescribeStacks: ({ outputs }) => {
    const members = Object.entries(outputs).map(([OutputKey, OutputValue]) =>
      member({ OutputKey, OutputValue }),
    );
    return `<Stacks><member><StackId>arn:aws:cloudformation:eu-west-1:123456789012:stack/x/1</StackId><StackStatus>UPDATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs></member></Stacks>`;
  },
  ListStackResources: ({ template: { Resources } }, token) => {
    const [page, next] = pageOf(Object.entries(Resources), token);
    const members = page.map(([id, { Type }]) =>
      member({ LogicalResourceId: id, PhysicalResourceId: `physical-${id}`, ResourceType: Type }),
    );
    return `<StackResourceSummaries>${members.join('')}</StackResourceSummaries>${next ? `<NextToken>${next}</NextToken>` : ''}`;
  },
  GetTemplate: ({ template }) => `<TemplateBody>${toXml(JSON.stringify(template))}</TemplateBody>`,
};

const xmlOf = (action: string, result: string | ReturnType<typeof errorBody>) => {
  if (typeof result === 'string') {
    const body = `<Response><${action}Result>${result}</${action}Result></Response>`;
    return { status: 200, headers: {}, body };
  }
  const fields = member({ Code: result.__type.split('#')[1]!, Message: result.message });
  const body = `<ErrorResponse>${fields.replaceAll('member>', 'Error>')}</ErrorResponse>`;
  return { status: 400, headers: {}, body };
};

/**
 * Operation → its output, or an `errorBody`. The operation is the name in X-Amz-Target, such as `StartQuery`; without this
 * header, method and kind of resource, such as `PUT functions`, and the function gets the resource's id. A list of `Describe…` is
 * returned in pages.
 */
// biome-ignore lint/suspicious/noExplicitAny: the input of any operation
export type Operations = Readonly<Record<string, (input: any, id: string) => object>>;

/** Throttles the first call of each operation. SDK clients find it by `environment`, which has credentials. */
export const startFakeAws = async (
  stacks: ReadonlyMap<string, Stack>,
  operations: Operations = {},
) => {
  const aws = {
    /** Only those to `operations`. */
    calls: [] as (readonly [operation: string, input: unknown])[],
    /** Nobody may change resources with these ids. */
    denied: /^$/,
    /** The name of the session. */
    caller: 'alice',
  };
  const called = new Set<string>();
  const isFirst = (operation: string) => !called.has(operation) && called.add(operation);
  const cloudFormation = (action: string, form: URLSearchParams) => {
    if (isFirst(action)) return errorBody('Throttling');
    if (action === 'GetCallerIdentity')
      return `<Account>123456789012</Account><Arn>arn:aws:sts::123456789012:assumed-role/Operator/${aws.caller}</Arn>`;
    const name = form.get('StackName')!;
    const stack = stacks.get(name);
    return stack
      ? results[action]!(stack, form.get('NextToken'))
      : errorBody('ValidationError', { message: `Stack with id ${name} does not exist` });
  };
  const outputOf = (operation: string, input: { nextToken?: string }, id: string): object => {
    if (isFirst(operation)) return errorBody('ThrottlingException');
    aws.calls.push([operation, input]);
    if (/PUT|DELETE/.test(operation) && aws.denied.test(id))
      return errorBody('AccessDeniedException', { message: `not allowed to change ${id}` });
    const output = operations[operation]!(input, id);
    const [name, list] = Object.entries(output).find(([, value]) => Array.isArray(value)) ?? [];
    if (!name || !operation.startsWith('Describe')) return output;
    const [page, nextToken] = pageOf(list, input.nextToken);
    return { ...output, [name]: page, nextToken };
  };
  const json = awsJson(({ operation, body }, _, { method, path }) => {
    const [, , resource, id = ''] = path.split('/').map(decodeURIComponent);
    return resultOf(outputOf(operation || `${method} ${resource}`, body, id));
  });
  const { url, stop } = await startForwarder('', {
    request: (request, forward) => {
      const form = new URLSearchParams(request.body);
      const action = form.get('Action');
      return action ? xmlOf(action, cloudFormation(action, form)) : json(request, forward);
    },
  });
  const services = [
    'CLOUDFORMATION',
    'CLOUDWATCH_LOGS',
    'COGNITO_IDENTITY_PROVIDER',
    'LAMBDA',
    'STS',
  ];
  const endpoints = Object.fromEntries(
    services.map(service => [`AWS_ENDPOINT_URL_${service}`, url]),
  );
  const credentials = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  return Object.assign(aws, { environment: Object.assign(endpoints, credentials), stop });
};

export type FakeAws = Awaited<ReturnType<typeof startFakeAws>>;

/** Has the stage `dev`. @param deployed outputs that are known only when the tests begin */
export const useDeployedStage = async (
  deployed: () => Readonly<Record<string, string>>,
): Promise<FakeAws> => {
  const [stacks, template] = [new Map<string, Stack>(), inject('template')];
  const aws = await startFakeAws(stacks);
  beforeAll(
    () => void stacks.set('petstore-dev', { template, outputs: outputsOf(template, deployed()) }),
  );
  afterAll(aws.stop);
  return aws;
};
