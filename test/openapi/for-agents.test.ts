import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { ApiSchema, Gateway } from 'aws-cdk-lib/aws-bedrockagentcore';
import { expect, it } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { documentText } from '../../cdk/openapi/document-file.ts';
import type { Document } from '../../cdk/openapi/document-types.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { read } from '../support/project.ts';

/** As a stage serves it. */
const served: Document = JSON.parse(documentText());
const document = JSON.stringify({ ...served, servers: [{ url: 'https://shop.test/prod' }] });

/** The construct throws if AgentCore does not support the document. */
const importInto = (text: string) => {
  const stack = new Stack(new App(), 'agents');
  const gateway = new Gateway(stack, 'Gateway', { gatewayName: 'petstore' });
  const apiSchema = ApiSchema.fromInline(text);
  gateway.addOpenApiTarget('Petstore', { apiSchema, credentialProviderConfigurations: [] });
};

it('AgentCore imports each operation of the store, after the lines of cdk/README.md', () => {
  expect(() => importInto(document)).toThrow(/media types/);
  const readme = read('cdk/README.md');
  const [, program] = /openapi\.json \| node -e '(.*?)'\n/s.exec(readme)!;
  const cwd = tempFolder('agents');
  execFileSync(process.execPath, ['-e', program!], { cwd, input: document });
  const tools = readFileSync(join(cwd, 'tools.json'), 'utf8');
  importInto(tools);
  expect(tools).not.toContain('"security');
  const { paths }: Document = JSON.parse(tools);
  const ids = Object.values(paths)
    .flatMap(Object.values)
    .map(({ operationId }) => operationId);
  const ofStore = allOperations.filter(({ path }) => !/^\/(docs|openapi)/.test(path));
  expect(ids.sort()).toEqual(ofStore.map(({ id }) => id).sort());
});
