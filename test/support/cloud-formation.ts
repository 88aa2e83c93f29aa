import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { evaluate, type Template } from '../../cdk/build/template.ts';

const toXml = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The outputs of a template, with the values that resources would have once they are deployed. */
export const outputsOf = (
  { Outputs = {} }: Template,
  deployed: Readonly<Record<string, string>> = {},
): Record<string, string> => {
  const evaluated = (value: unknown) => (JSON.stringify(value).includes('Fn::Select') ? 'undeployed' : evaluate(value));
  const own = Object.entries(Outputs).map(([name, { Value }]) => [name, deployed[name] ?? evaluated(Value)]);
  return Object.fromEntries(own);
};

export interface Stack {
  readonly template: Template;
  readonly outputs: Readonly<Record<string, string>>;
}

/**
 * CloudFormation with some stacks: it returns DescribeStacks and GetTemplate in the Query protocol. A client of the
 * SDK finds it by AWS_ENDPOINT_URL_CLOUDFORMATION, which `environment` has beside credentials and a region.
 */
export const startCloudFormation = async (stacks: Map<string, Stack>) => {
  const responses: Readonly<Record<string, (stack: Stack, name: string) => string>> = {
    DescribeStacks: ({ outputs }, name) => {
      const members = Object.entries(outputs).map(
        ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${toXml(value)}</OutputValue></member>`,
      );
      return `<Stacks><member><StackName>${name}</StackName><CreationTime>2026-11-01T00:00:00Z</CreationTime><StackStatus>UPDATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs></member></Stacks>`;
    },
    ListStackResources: ({ template: { Resources } }) => {
      const members = Object.entries(Resources).map(
        ([id, { Type }]) =>
          `<member><LogicalResourceId>${id}</LogicalResourceId><PhysicalResourceId>physical-${id}</PhysicalResourceId><ResourceType>${Type}</ResourceType></member>`,
      );
      return `<StackResourceSummaries>${members.join('')}</StackResourceSummaries>`;
    },
    GetTemplate: ({ template }) => `<TemplateBody>${toXml(JSON.stringify(template))}</TemplateBody>`,
  };
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    const [action, name] = [form.get('Action')!, form.get('StackName')!];
    const stack = stacks.get(name);
    const respond = responses[action];
    response.setHeader('Content-Type', 'text/xml');
    if (stack && respond)
      return response.end(
        `<${action}Response xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><${action}Result>${respond(stack, name)}</${action}Result></${action}Response>`,
      );
    const message = respond ? `Stack with id ${name} does not exist` : `No action ${action}`;
    return response
      .writeHead(400)
      .end(
        `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`,
      );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    environment: {
      AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${port}`,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    },
    stop: () => server.close(),
  };
};

export type CloudFormation = Awaited<ReturnType<typeof startCloudFormation>>;
