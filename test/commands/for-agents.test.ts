import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { ApiSchema, Gateway } from 'aws-cdk-lib/aws-bedrockagentcore';
import { expect, it } from 'vitest';
import type { documentForAgents } from '../../cdk/commands/for-agents.ts';
import { documentFile } from '../../cdk/openapi/document-file.ts';
import type { DocumentedOperation } from '../../cdk/openapi/document-types.ts';
import { exampleUrl } from '../../lib/operations/getOpenApi.ts';
import { allOperations } from '../../lib/operations/index.ts';

const url = 'https://shop.test/prod';
const script = join(import.meta.dirname, '../../cdk/commands/for-agents.ts');
const run = (argument: string) => spawnSync(process.execPath, [script, argument], { encoding: 'utf8' });

/** Imports a document into an AgentCore target. The construct throws if it does not support the document. */
const importInto = (text: string) => {
  const gateway = new Gateway(new Stack(new App(), 'agents'), 'Gateway', { gatewayName: 'petstore' });
  gateway.addOpenApiTarget('Petstore', { apiSchema: ApiSchema.fromInline(text), credentialProviderConfigurations: [] });
};

it('the OpenAPI target of AgentCore takes the document for agents: each current operation of the store, with its body', () => {
  const { stdout } = run(`${url}/`);
  importInto(stdout);
  const { paths, servers }: ReturnType<typeof documentForAgents> = JSON.parse(stdout);
  const imported = Object.values(paths).flatMap(Object.values<DocumentedOperation>);
  const bodyOf = ({ operationId, requestBody }: DocumentedOperation) =>
    [operationId, requestBody?.content['application/json']?.schema.$ref !== undefined] as const;
  const store = allOperations.filter(({ deprecated, path }) => !deprecated && !/^\/(docs|openapi)/.test(path));
  expect(Object.fromEntries(imported.map(bodyOf))).toEqual(
    Object.fromEntries(store.map(({ id, request }) => [id, request.body !== undefined])),
  );
  expect(servers).toEqual([{ url }]);
  for (const absent of [exampleUrl, '"security"', 'securitySchemes']) expect(stdout).not.toContain(absent);
});

it('it refuses the document that callers read, and the command asks for the URL of the API', () => {
  expect(() => importInto(readFileSync(documentFile, 'utf8'))).toThrow(/URL must contain a protocol|media types/);
  expect(run('petstore')).toMatchObject({ status: 2, stderr: expect.stringContaining('Which API?') });
});
