import { type ErrorName, errors, headersOf, toBody } from '../../lib/errors.ts';
import type { RegisteredOperation } from '../../lib/operations/index.ts';
import { errorsOf, isFile, isList, requestHeadersOf, successOf } from '../../lib/operations/operation.ts';
import { usesTable } from '../config/permissions.ts';
import { descriptionOf } from './descriptions.ts';
import type { DocumentedResponse } from './document-types.ts';
import { type DocumentedHeader, functionHeaders, headersOfAll } from './response-headers.ts';
import { componentOf } from './schemas.ts';
import { ref } from './to-schema.ts';

const headersNamed = (headers: readonly DocumentedHeader[]): DocumentedResponse['headers'] => {
  const named = headers.map(header => (typeof header === 'string' ? ([header, header] as const) : header));
  return Object.fromEntries(named.map(([name, component]) => [name, ref('headers', component)]));
};

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

/** Errors that the gateway itself returns for every operation. */
const gatewayErrors: ErrorName[] = ['too_many_requests', 'bad_gateway', 'timeout'];

/** The errors that an operation can return, including those of the gateway. */
const errorNamesOf = (operation: RegisteredOperation): ErrorName[] => {
  const names = [...errorsOf(operation), ...gatewayErrors];
  return usesTable(operation.id) ? names : names.filter(name => name !== 'try_again');
};

const pascalCase = (name: string) => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The error responses of an operation, one for each status. Operations share them: the component name consists of the
 * error names.
 */
export const errorResponsesOf = (operation: RegisteredOperation) => {
  const names = errorNamesOf(operation);
  const statuses = [...new Set(names.map(name => errors[name].status as number))].sort((a, b) => a - b);
  return statuses.map(status => {
    const ofStatus = names.filter(name => errors[name].status === status);
    const isFromGateway = status === 401 || ofStatus.every(name => gatewayErrors.includes(name));
    const codes = new Set(ofStatus.map(name => `\`${toBody(name).code}\``));
    const { deprecated, stability = '' } = operation;
    const suffix = isFromGateway ? '' : `${deprecated ? 'OfDeprecated' : ''}${pascalCase(stability)}`;
    const ownHeaders = new Set(ofStatus.flatMap(name => Object.keys(headersOf(name))));
    const headers = [...headersOfAll, ...ownHeaders, ...(isFromGateway ? [] : functionHeaders(operation))];
    const examples = Object.fromEntries(ofStatus.map(error => [error, ref('examples', error)]));
    const response = {
      description: [...codes].join(' or '),
      headers: headersNamed(headers),
      content: { 'application/json': { schema: ref('schemas', 'Error'), examples } },
    };
    return { status: String(status), name: ofStatus.map(pascalCase).join('Or') + suffix, errors: ofStatus, response };
  });
};
