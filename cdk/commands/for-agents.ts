import { readFileSync } from 'node:fs';
import { exampleUrl } from '../../lib/operations/getOpenApi.ts';
import { documentFile } from '../openapi/document-file.ts';
import type { Document } from '../openapi/document-types.ts';

// Prints the document in the form that importers for agents accept, such as the OpenAPI target of Amazon Bedrock AgentCore:
// npx node cdk/commands/for-agents.ts https://petstore.example.com > petstore-tools.json

const json = 'application/json';

/**
 * The document with an absolute server URL, and with JSON as the only type of request bodies. It lacks deprecated operations and
 * those that serve the documentation. It has no security, because the importer configures tokens itself.
 * @param url the URL of the API
 */
export const documentForAgents = ({ openapi, info, paths: all, components }: Document, url: string) => {
  const paths: Document['paths'] = {};
  for (const [path, methods] of Object.entries(all))
    for (const [method, { security, requestBody, ...operation }] of Object.entries(methods)) {
      if (operation.deprecated || /^\/(docs|openapi)/.test(path)) continue;
      // A patch can be sent as JSON, too.
      const [content] = Object.values(requestBody?.content ?? {});
      const body = content && { requestBody: { required: true, content: { [json]: content } } };
      paths[path] = { ...paths[path], [method]: { ...operation, ...body } };
    }
  const { securitySchemes: _, ...others } = components;
  return { openapi, info, servers: [{ url }], paths, components: others };
};

if (import.meta.main) {
  const url = URL.parse(process.argv[2] ?? '');
  if (!url || !/^https?:$/.test(url.protocol)) {
    console.error('Which API? npx node cdk/commands/for-agents.ts https://petstore.example.com > petstore-tools.json');
    process.exit(2);
  }
  const base = url.href.replace(/\/$/, '');
  const text = JSON.stringify(documentForAgents(JSON.parse(readFileSync(documentFile, 'utf8')), base));
  process.stdout.write(`${text.replaceAll(exampleUrl, base)}\n`);
}
