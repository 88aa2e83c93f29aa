import { writeFileSync } from 'node:fs';
import { trustCaBundle } from '../aws/network.ts';
import { commandOf } from '../command.ts';
import type { Document } from '../openapi/document-types.ts';

const usage = `npm run for-agents -- URL FILE
Writes the OpenAPI document of a stage in the form that importers for agents accept, such as the OpenAPI target of
Amazon Bedrock AgentCore.
  URL              of the API: the output ApiUrl of a stage, such as https://petstore.example.com
  FILE             to write, such as tools.json`;

const json = 'application/json';

/**
 * The document of a stage, with JSON as the only type of request bodies. It lacks deprecated operations and
 * those that serve the documentation. It has no security, because the importer configures tokens itself.
 */
const documentForAgents = ({ openapi, info, servers, paths: all, components }: Document) => {
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

const { misused, readOptions, run } = commandOf(usage);
const [text = '', file = misused('Which API, and which file?')] = readOptions(
  {},
  { allowPositionals: true },
).positionals;
const url = URL.parse(text);
if (!url || !/^https?:$/.test(url.protocol)) misused(`${text} is no URL of an API.`);

await run(async () => {
  if (url!.protocol === 'https:') trustCaBundle();
  const response = await fetch(`${url!.href.replace(/\/$/, '')}/openapi.json`);
  if (!response.ok)
    throw new Error(`${response.url} returned ${response.status}. Give the URL of the API: ApiUrl`);
  writeFileSync(
    file,
    `${JSON.stringify(documentForAgents((await response.json()) as Document))}\n`,
  );
});
