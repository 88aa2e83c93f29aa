import type { Operation } from '../../lib/operations/index.ts';
import { isPaged } from '../../lib/operations/operation.ts';
import { prose } from './prose.ts';
import { componentOf, headersNamed } from './references.ts';
import { commonHeaders, functionHeaders } from './response-headers.ts';
import type { DocumentedResponse } from './types.ts';

/** The successes of an operation at one of its paths, 304 among them. */
export const successesOf = (operation: Operation, path: string): [string, DocumentedResponse][] => {
  const { request, responses } = operation;
  const { summary, response } = prose[operation.id as keyof typeof prose];
  const isConditional = request.headers?.includes('If-None-Match') ?? false;
  return Object.entries(responses).flatMap(([status, schema]) => {
    const isList = isPaged(operation);
    const extra = [
      ...(status === '201' ? ['Location'] : []),
      ...(request.headers?.includes('Idempotency-Key') ? ['Idempotency-Replayed'] : []),
      ...(schema !== null && !isList ? ['ETag'] : []),
      ...(isList ? ['Link'] : []),
      ...(schema === 'file' ? ['Content-Security-Policy'] : []),
    ];
    const content = contentOf(operation, path, schema, response);
    const success = {
      description: summary,
      headers: headersNamed([...commonHeaders, ...extra, ...functionHeaders(operation)]),
      ...content,
    };
    const notModified = {
      description: 'The caller’s representation is the present one',
      headers: headersNamed([...commonHeaders, 'ETag', ...functionHeaders(operation)]),
    };
    return isConditional ? [[status, success] as const, ['304', notModified] as const] : [[status, success] as const];
  }) as [string, DocumentedResponse][];
};

const contentOf = (
  operation: Operation,
  path: string,
  schema: Operation['responses'][number] | undefined,
  example: unknown,
) => {
  if (!schema) return {};
  if (schema !== 'file') {
    const body = componentOf.get(schema) ?? { type: 'object', description: 'An OpenAPI document' };
    return { content: { 'application/json': { schema: body, example } } };
  }
  const types = path === operation.path ? ['text/html'] : ['text/javascript', 'text/css'];
  return {
    content: Object.fromEntries(types.map(type => [type, { schema: { type: 'string', maxLength: 10_000_000 } }])),
  };
};
