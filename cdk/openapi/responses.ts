import * as z from 'zod/mini';
import { type ErrorName, errors, headersOf, toBody } from '../../lib/errors.ts';
import { acceptPatch } from '../../lib/http/read-body.ts';
import { type Resource, resources } from '../../lib/model/kinds.ts';
import type { Operation, RegisteredOperation } from '../../lib/operations/index.ts';
import {
  errorsOf,
  isFile,
  isList,
  requestHeadersOf,
  successOf,
} from '../../lib/operations/operation.ts';
import { usesTable } from '../config/permissions.ts';
import { changes, documents } from './descriptions.ts';
import type { DocumentedResponse } from './document-types.ts';
import { examples } from './fields.ts';
import { linksOf } from './links.ts';
import * as page from './page.ts';
import { functionHeaders, headersOfAll } from './response-headers.ts';
import { componentOf } from './schemas.ts';
import { pascalCase, ref } from './to-schema.ts';

/** References to header components, by header. Several components can describe one header: `Service-Link` describes a `Link`. */
const headersNamed = (components: readonly string[]): DocumentedResponse['headers'] =>
  Object.fromEntries(
    components.map(name => [
      name.replace(/^(Single|Service|Successor)-/, ''),
      ref('headers', name),
    ]),
  );

/** Alone or in a list. Undefined: the operation returns something else. */
export const resourceOf = (operation: Operation): Resource | undefined => {
  const { body } = successOf(operation);
  const item = body instanceof z.ZodMiniArray ? body.def.element : body;
  return resources.find(({ schema }) => schema === item);
};

/** The resource after the request, or a list with one resource. */
const exampleOf = (operation: RegisteredOperation): unknown => {
  const resource = resourceOf(operation);
  if (!resource) return documents[operation.id]?.[1];
  const example = { ...examples[resource.noun], ...changes[operation.id] };
  return isList(operation) ? [example] : example;
};

const contentOf = (operation: RegisteredOperation): Pick<DocumentedResponse, 'content'> => {
  const { body } = successOf(operation);
  if (body === null) return {};
  if (isFile(body)) {
    const schema = { type: 'string', maxLength: 10_000_000 };
    return { content: Object.fromEntries(body.file.map(type => [type, { schema }])) };
  }
  return {
    content: { 'application/json': { schema: componentOf(body), example: exampleOf(operation) } },
  };
};

const nounOf = (operation: RegisteredOperation): string => {
  const { noun, path } = resourceOf(operation) ?? {};
  if (successOf(operation).body === null) return 'Deleted; no body';
  if (!noun) return documents[operation.id]?.[0] ?? `What ${operation.id} returns`;
  if (isList(operation)) return `A page of ${path?.split('/').at(-1)}`;
  if (operation.method === 'POST') return `The new ${noun}`;
  return operation.method === 'GET' ? `The ${noun}` : `The ${noun} after the change`;
};

/** Including 304. */
export const successResponsesOf = (
  operation: RegisteredOperation,
): [string, DocumentedResponse][] => {
  const { status, body } = successOf(operation);
  const supportedHeaders = requestHeadersOf(operation);
  const extra = [
    ...(operation.location ? ['Location'] : []),
    ...(supportedHeaders.includes('Idempotency-Key') ? ['Idempotent-Replayed'] : []),
    ...(body !== null && !isList(operation) ? ['ETag'] : []),
    ...(isList(operation) ? ['Link'] : []),
    ...(operation.singleBy ? ['Single-ETag'] : []),
    ...(body !== null && isFile(body) ? ['Content-Security-Policy'] : []),
    ...page.headersOf(operation.id),
  ];
  const headersWith = (names: readonly string[]) =>
    headersNamed([...headersOfAll, ...names, ...functionHeaders(operation)]);
  const links = linksOf(operation, resourceOf(operation)?.noun);
  const success = {
    description: nounOf(operation),
    headers: headersWith(extra),
    ...contentOf(operation),
    ...(links.length > 0 && {
      links: Object.fromEntries(
        links.map(({ name, operationId }) => [operationId, ref('links', name)]),
      ),
    }),
  };
  const notModified = { description: 'Not modified; no body', headers: headersWith(['ETag']) };
  const isCacheable = operation.method === 'GET' && supportedHeaders.includes('If-None-Match');
  return Object.entries({ [status]: success, ...(isCacheable && { 304: notModified }) });
};

/** For every operation. */
const gatewayErrors: ErrorName[] = ['too_many_requests', 'bad_gateway', 'timeout'];

/** Including those of the gateway. */
const errorNamesOf = (operation: RegisteredOperation): ErrorName[] => {
  const names = [...errorsOf(operation), ...gatewayErrors];
  return usesTable(operation.id) ? names : names.filter(name => name !== 'try_again');
};

/**
 * One for each status. Operations can share a response, as a component. Its name has its errors' names, and a suffix such as
 * `OfDeprecated` or `Beta` if it has the headers of that life cycle.
 */
export const errorResponsesOf = (operation: RegisteredOperation) => {
  const byStatus = Object.groupBy(errorNamesOf(operation), name => errors[name].status);
  return Object.entries(byStatus).map(([status, ofStatus]) => {
    const isFromGateway = status === '401' || ofStatus.every(name => gatewayErrors.includes(name));
    const codes = new Set(ofStatus.map(name => `\`${toBody(name).code}\``));
    const { deprecated, stability = '' } = operation;
    const isOfPatch = status === '415' && operation.method === 'PATCH';
    const suffix = isFromGateway
      ? ''
      : `${isOfPatch ? 'OfPatch' : ''}${deprecated ? 'OfDeprecated' : ''}${pascalCase(stability)}`;
    const ownHeaders = new Set(
      ofStatus.flatMap(name => Object.keys({ ...headersOf(name), ...(isOfPatch && acceptPatch) })),
    );
    const headers = [
      ...headersOfAll,
      ...ownHeaders,
      ...(isFromGateway ? [] : functionHeaders(operation)),
    ];
    const examples = Object.fromEntries(ofStatus.map(error => [error, ref('examples', error)]));
    const response = {
      description: [...codes].join(' or '),
      headers: headersNamed(headers),
      content: { 'application/json': { schema: ref('schemas', 'Error'), examples } },
    };
    return {
      status,
      name: ofStatus.map(pascalCase).join('Or') + suffix,
      errors: ofStatus,
      response,
    };
  });
};
