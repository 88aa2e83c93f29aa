import type { RegisteredOperation } from '../../lib/operations/index.ts';
import { isFile, isList, requestHeadersOf, successOf } from '../../lib/operations/operation.ts';
import { descriptionOf } from './descriptions.ts';
import type { DocumentedResponse } from './document-types.ts';
import { headersNamed } from './references.ts';
import { type DocumentedHeader, functionHeaders, headersOfAll } from './response-headers.ts';
import { componentOf } from './schemas.ts';

const contentOf = (operation: RegisteredOperation): Pick<DocumentedResponse, 'content'> => {
  const { body } = successOf(operation);
  if (body === null) return {};
  if (isFile(body)) {
    const schema = { type: 'string', maxLength: 10_000_000 };
    return { content: Object.fromEntries(body.file.map(type => [type, { schema }])) };
  }
  const content = { schema: componentOf(body, 'output'), example: descriptionOf(operation).response };
  return { content: { 'application/json': content } };
};

/** The success responses of an operation, including 304. */
export const successResponsesOf = (operation: RegisteredOperation): [string, DocumentedResponse][] => {
  const { status, body } = successOf(operation);
  const supportedHeaders = requestHeadersOf(operation);
  const extra: DocumentedHeader[] = [
    ...(operation.location ? ['Location'] : []),
    ...(supportedHeaders.includes('Idempotency-Key') ? ['Idempotent-Replayed'] : []),
    ...(body !== null && !isList(operation) ? ['ETag'] : []),
    ...(isList(operation) ? ['Link'] : []),
    ...(operation.singleBy ? [['ETag', 'Single-ETag'] as const] : []),
    ...(body !== null && isFile(body) ? ['Content-Security-Policy'] : []),
    ...(operation.id === 'getDocs' ? [['Link', 'Service-Link'] as const] : []),
  ];
  const success = {
    description: descriptionOf(operation).returns,
    headers: headersNamed([...headersOfAll, ...extra, ...functionHeaders(operation)]),
    ...contentOf(operation),
  };
  const notModified = {
    description: 'Not modified; no body',
    headers: headersNamed([...headersOfAll, 'ETag', ...functionHeaders(operation)]),
  };
  const isCacheable = operation.method === 'GET' && supportedHeaders.includes('If-None-Match');
  return Object.entries({ [status]: success, ...(isCacheable && { 304: notModified }) });
};
