import { readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { ApiSchema, Gateway } from 'aws-cdk-lib/aws-bedrockagentcore';
import { expect, it } from 'vitest';
import type { documentForAgents } from '../../cdk/commands/for-agents.ts';
import { documentFile } from '../../cdk/openapi/document-file.ts';
import type { DocumentedOperation } from '../../cdk/openapi/document-types.ts';
import { exampleUrl } from '../../lib/operations/getOpenApi.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';

const url = 'https://shop.test/prod';
const petstore = usePetstore({ environment: { PUBLIC_URL: url } });
const forAgents = async (address: string) => {
  const { exit, output } = run('cdk/commands/for-agents.ts', [address]);
  return { code: await exit, output: output() };
};

/** Imports a document into an AgentCore target. The construct throws if it does not support the document. */
const importInto = (text: string) => {
  const gateway = new Gateway(new Stack(new App(), 'agents'), 'Gateway', { gatewayName: 'petstore' });
  gateway.addOpenApiTarget('Petstore', { apiSchema: ApiSchema.fromInline(text), credentialProviderConfigurations: [] });
};

it('the OpenAPI target of AgentCore takes the document for agents: each current operation of the store, with its body', async () => {
  const { output: text } = await forAgents(`${petstore.url}/`);
  importInto(text);
  const { paths, servers }: ReturnType<typeof documentForAgents> = JSON.parse(text);
  const imported = Object.values(paths).flatMap(Object.values<DocumentedOperation>);
  const bodyOf = ({ operationId, requestBody }: DocumentedOperation) =>
    [operationId, requestBody?.content['application/json']?.schema.$ref !== undefined] as const;
  const store = allOperations.filter(({ deprecated, path }) => !deprecated && !/^\/(docs|openapi)/.test(path));
  expect(Object.fromEntries(imported.map(bodyOf))).toEqual(
    Object.fromEntries(store.map(({ id, request }) => [id, request.body !== undefined])),
  );
  expect(servers).toEqual([expect.objectContaining({ url })]);
  for (const absent of [exampleUrl, '"security"', 'securitySchemes']) expect(text).not.toContain(absent);
});

it('it refuses the document that callers read, and the command asks for the URL of the API', async () => {
  expect(() => importInto(readFileSync(documentFile, 'utf8'))).toThrow(/URL must contain a protocol|media types/);
  expect(await forAgents('petstore')).toMatchObject({ code: 2, output: expect.stringContaining('Which API?') });
  const wrong = await forAgents(`${petstore.url}/nothing`);
  expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('returned 404. Give the URL of the API') });
});
