import { readFileSync } from 'node:fs';
import { documentFile } from './document-file.ts';
import type { Document } from './document-types.ts';

// Prints the document as importers for agents take it, such as the OpenAPI target of Amazon Bedrock AgentCore:
// node cdk/openapi/for-agents.ts https://petstore.example.com > petstore-tools.json

const json = 'application/json';

/**
 * An absolute server; JSON bodies alone; neither the documentation nor what is deprecated; no security, because the importer
 * gets tokens by a configuration of its own.
 * @param url of the API
 */
export const documentForAgents = ({ openapi, info, paths: all, components }: Document, url: string) => {
  const paths = Object.entries(all).map(([path, methods]) => {
    const kept = Object.entries(methods).filter(([, { deprecated }]) => !deprecated && !/^\/(docs|openapi)/.test(path));
    const imported = kept.map(([method, { security: __, requestBody, ...operation }]) => {
      // A patch can be sent as JSON, too.
      const [content] = Object.values(requestBody?.content ?? {});
      return [
        method,
        { ...operation, ...(content && { requestBody: { required: true, content: { [json]: content } } }) },
      ];
    });
    return [path, Object.fromEntries(imported)] as const;
  });
  const { securitySchemes: ___, ...others } = components;
  const used = paths.filter(([, methods]) => Object.keys(methods).length > 0);
  return { openapi, info, servers: [{ url }], paths: Object.fromEntries(used), components: others };
};

if (import.meta.main) {
  const url = URL.parse(process.argv[2] ?? '');
  if (!url || !/^https?:$/.test(url.protocol)) {
    console.error('Which API? node cdk/openapi/for-agents.ts https://petstore.example.com > petstore-tools.json');
    process.exit(2);
  }
  const text = JSON.stringify(
    documentForAgents(JSON.parse(readFileSync(documentFile, 'utf8')), url.href.replace(/\/$/, '')),
  );
  process.stdout.write(`${text}\n`);
}
