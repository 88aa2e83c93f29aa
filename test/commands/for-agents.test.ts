import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { ApiSchema, Gateway } from 'aws-cdk-lib/aws-bedrockagentcore';
import { expect, it } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { documentFile } from '../../cdk/openapi/document-file.ts';
import type { Document, DocumentedOperation } from '../../cdk/openapi/document-types.ts';
import { exampleUrl } from '../../lib/operations/getOpenApi.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';

const url = 'https://shop.test/prod';
const petstore = usePetstore({ environment: { PUBLIC_URL: url } });
const run = (...args: string[]) => runInProcess('cdk/commands/for-agents.ts', args);

/** Imports a document into an AgentCore target. The construct throws if it does not support the document. */
const importInto = (text: string) => {
  const gateway = new Gateway(new Stack(new App(), 'agents'), 'Gateway', {
    gatewayName: 'petstore',
  });
  gateway.addOpenApiTarget('Petstore', {
    apiSchema: ApiSchema.fromInline(text),
    credentialProviderConfigurations: [],
  });
};

it('the OpenAPI target of AgentCore takes the document for agents: each current operation of the store, with its body', async () => {
  const file = join(tempFolder('agents'), 'tools.json');
  expect(await run(`${petstore.url}/`, file)).toMatchObject({ code: 0, output: '' });
  const text = readFileSync(file, 'utf8');
  importInto(text);
  const { paths, servers }: Document = JSON.parse(text);
  const imported = Object.values(paths).flatMap(Object.values<DocumentedOperation>);
  const bodyOf = ({ operationId, requestBody }: DocumentedOperation) =>
    [operationId, requestBody?.content['application/json']?.schema.$ref !== undefined] as const;
  const store = allOperations.filter(
    ({ deprecated, path }) => !deprecated && !/^\/(docs|openapi)/.test(path),
  );
  expect(Object.fromEntries(imported.map(bodyOf))).toEqual(
    Object.fromEntries(store.map(({ id, request }) => [id, request.body !== undefined])),
  );
  expect(servers).toEqual([expect.objectContaining({ url })]);
  for (const absent of [exampleUrl, '"security"', 'securitySchemes'])
    expect(text).not.toContain(absent);
});

it('it refuses the document that callers read, and the command asks for what it lacks', async () => {
  expect(() => importInto(readFileSync(documentFile, 'utf8'))).toThrow(
    /URL must contain a protocol|media types/,
  );
  expect(await run(url)).toMatchObject({
    code: 1,
    err: expect.stringMatching('^Which API, and which file?'),
  });
  expect(await run('petstore', 'x')).toMatchObject({
    code: 1,
    err: expect.stringMatching('^petstore is no URL'),
  });
  const wrong = await run(`${petstore.url}/nothing`, join(tempFolder('agents'), 'tools.json'));
  expect(wrong).toMatchObject({
    code: 1,
    err: expect.stringContaining('returned 404. Give the URL of the API'),
  });
});
