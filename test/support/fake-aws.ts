import { afterAll, beforeAll, inject } from 'vitest';
import { evaluate, type Template } from '../../cdk/synthesis/template.ts';
import { serve } from './http.ts';

const toXml = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The outputs of a template. Values of resources are as they would be after a deployment. */
export const outputsOf = (
  { Outputs = {} }: Template,
  deployed: Readonly<Record<string, string>> = {},
): Record<string, string> => {
  const evaluated = (value: unknown) => (JSON.stringify(value).includes('Fn::Select') ? 'undeployed' : evaluate(value));
  return Object.fromEntries(
    Object.entries(Outputs).map(([name, { Value }]) => [name, deployed[name] ?? evaluated(Value)]),
  );
};

export interface Stack {
  readonly template: Template;
  readonly outputs: Readonly<Record<string, string>>;
}

const member = (fields: Readonly<Record<string, string>>) =>
  `<member>${Object.entries(fields)
    .map(([name, value]) => `<${name}>${toXml(value)}</${name}>`)
    .join('')}</member>`;

/** Responses of CloudFormation, which uses the Query protocol. */
const results: Readonly<Record<string, (stack: Stack) => string>> = {
  DescribeStacks: ({ outputs }) => {
    const members = Object.entries(outputs).map(([OutputKey, OutputValue]) => member({ OutputKey, OutputValue }));
    return `<Stacks><member><StackStatus>UPDATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs></member></Stacks>`;
  },
  ListStackResources: ({ template: { Resources } }) => {
    const members = Object.entries(Resources).map(([id, { Type }]) =>
      member({ LogicalResourceId: id, PhysicalResourceId: `physical-${id}`, ResourceType: Type }),
    );
    return `<StackResourceSummaries>${members.join('')}</StackResourceSummaries>`;
  },
  GetTemplate: ({ template }) => `<TemplateBody>${toXml(JSON.stringify(template))}</TemplateBody>`,
};

/**
 * Operation → the function that returns its output. The operation has the name in X-Amz-Target, such as `StartQuery`. Without
 * this header, it is the method and the kind of resource, such as `PUT functions`, and the function gets a resource id.
 */
// biome-ignore lint/suspicious/noExplicitAny: the input of any operation
export type Operations = Readonly<Record<string, (input: any, id: string) => object>>;

/** An emulated AWS with these stacks and operations. SDK clients find it by `environment`, which also has credentials. */
export const startFakeAws = async (stacks: ReadonlyMap<string, Stack>, operations: Operations = {}) => {
  const aws = {
    /** The calls to `operations`, in order. */
    calls: [] as (readonly [operation: string, input: unknown])[],
    /** A pattern of the ids of resources that nobody may change. */
    denied: /^$/,
  };
  const { url, stop } = await serve((request, body, response) => {
    const text = body.toString();
    const form = new URLSearchParams(text);
    const [action, name] = [form.get('Action'), form.get('StackName')!];
    const stack = stacks.get(name);
    if (action && stack)
      return response.end(`<Response><${action}Result>${results[action]!(stack)}</${action}Result></Response>`);
    if (action) {
      const error = member({ Code: 'ValidationError', Message: `Stack with id ${name} does not exist` });
      return response.writeHead(400).end(`<ErrorResponse>${error.replaceAll('member>', 'Error>')}</ErrorResponse>`);
    }
    const [, , resource, id = ''] = request.url!.split('/').map(decodeURIComponent);
    const [, target] = String(request.headers['x-amz-target']).split('.');
    const operation = target ?? `${request.method} ${resource}`;
    const input: unknown = JSON.parse(text || '{}');
    aws.calls.push([operation, input]);
    if (!/PUT|DELETE/.test(operation) || !aws.denied.test(id))
      return response.end(JSON.stringify(operations[operation]!(input, id)));
    response.writeHead(403, { 'x-amzn-errortype': 'AccessDeniedException' });
    return response.end(JSON.stringify({ Message: `not allowed to change ${id}` }));
  });
  const services = ['CLOUDFORMATION', 'CLOUDWATCH_LOGS', 'COGNITO_IDENTITY_PROVIDER', 'LAMBDA'];
  const endpoints = Object.fromEntries(services.map(service => [`AWS_ENDPOINT_URL_${service}`, url]));
  const credentials = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  return Object.assign(aws, { environment: Object.assign(endpoints, credentials), stop });
};

export type FakeAws = Awaited<ReturnType<typeof startFakeAws>>;

/** An emulated AWS with the stage `dev`, for one test file. @param deployed outputs that are known only when the tests begin */
export const useDeployedStage = async (deployed: () => Readonly<Record<string, string>>): Promise<FakeAws> => {
  const [stacks, template] = [new Map<string, Stack>(), inject('template')];
  const aws = await startFakeAws(stacks);
  beforeAll(() => void stacks.set('petstore-dev', { template, outputs: outputsOf(template, deployed()) }));
  afterAll(aws.stop);
  return aws;
};
