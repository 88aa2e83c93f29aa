import { evaluate, type Template } from '../../cdk/build/template.ts';
import { serve } from './http.ts';

const toXml = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The outputs of a template, with the values that resources would have once they are deployed. */
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

/**
 * CloudFormation with some stacks, in the Query protocol. A client of the SDK finds it by AWS_ENDPOINT_URL_CLOUDFORMATION,
 * which `environment` has beside credentials and a region.
 */
export const startCloudFormation = async (stacks: Map<string, Stack>) => {
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
  const { url, stop } = await serve((_, body, response) => {
    const form = new URLSearchParams(body.toString());
    const [action, stack] = [form.get('Action')!, stacks.get(form.get('StackName')!)];
    if (stack)
      return response.end(`<Response><${action}Result>${results[action]!(stack)}</${action}Result></Response>`);
    const error = member({ Code: 'ValidationError', Message: `Stack with id ${form.get('StackName')} does not exist` });
    return response.writeHead(400).end(`<ErrorResponse>${error.replaceAll('member>', 'Error>')}</ErrorResponse>`);
  });
  const credentials = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  return { environment: { AWS_ENDPOINT_URL_CLOUDFORMATION: url, ...credentials }, stop };
};

export type CloudFormation = Awaited<ReturnType<typeof startCloudFormation>>;
