import { trustCaBundle } from '../aws/network.ts';
import type { Document } from '../openapi/document-types.ts';

// Prints the document of a stage in the form that importers for agents accept, such as the OpenAPI target of Amazon Bedrock AgentCore:
// npx node cdk/commands/for-agents.ts https://petstore.example.com > petstore-tools.json

const json = 'application/json';

/**
 * The document of a stage, with JSON as the only type of request bodies. It lacks deprecated operations and
 * those that serve the documentation. It has no security, because the importer configures tokens itself.
 */
export const documentForAgents = ({ openapi, info, servers, paths: all, components }: Document) => {
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
  return { openapi, info, servers, paths, components: others };
};

if (import.meta.main) {
  const url = URL.parse(process.argv[2] ?? '');
  if (!url || !/^https?:$/.test(url.protocol)) {
    console.error('Which API? npx node cdk/commands/for-agents.ts https://petstore.example.com > petstore-tools.json');
    process.exit(2);
  }
  if (url.protocol === 'https:') trustCaBundle();
  const response = await fetch(`${url.href.replace(/\/$/, '')}/openapi.json`);
  if (!response.ok) throw new Error(`${response.url} returned ${response.status}. Give the URL of the API: ApiUrl`);
  process.stdout.write(`${JSON.stringify(documentForAgents((await response.json()) as Document))}\n`);
}
