import { type ErrorName, errors, toBody } from '../../lib/errors.ts';
import { allOperations, type Operation, type RegisteredOperation } from '../../lib/operations/index.ts';
import { resourceServer } from '../../lib/scopes.ts';
import { lifeCycleOf, settingsOf } from '../config/settings.ts';
import { info, tags } from './descriptions.ts';
import type { Document, DocumentedOperation } from './document-types.ts';
import { failuresOf } from './error-responses.ts';
import { markedWordsOf } from './operation-notes.ts';
import { ref } from './references.ts';
import { parametersOf, requestBodyOf } from './requests.ts';
import { headers } from './response-headers.ts';
import { schemas } from './schemas.ts';
import { securitySchemes } from './security-schemes.ts';
import { successesOf } from './success-responses.ts';
import { webhooks } from './webhooks.ts';

const securityOf = ({ access }: Operation) =>
  access === 'public' ? [] : [{ oauth2: [`${resourceServer}/${access}`] }, { accessToken: [] }];

const documented = (operation: RegisteredOperation): DocumentedOperation => {
  const lifeCycle = lifeCycleOf(operation, settingsOf('prod'));
  return {
    operationId: operation.id,
    ...markedWordsOf(operation),
    tags: [operation.tag],
    ...(lifeCycle && { deprecated: true, 'x-sunset': lifeCycle.sunsetOn }),
    ...(operation.stability && { 'x-stability-level': operation.stability }),
    security: securityOf(operation),
    parameters: parametersOf(operation),
    ...requestBodyOf(operation),
    responses: Object.fromEntries([
      ...successesOf(operation),
      ...failuresOf(operation).map(({ status, name }) => [status, ref('responses', name)] as const),
    ]),
  } as DocumentedOperation;
};

/**
 * The OpenAPI document of the API, built from the registry.
 * @throws when an operation has no words, or names what nobody described
 */
export const buildDocument = (registry: readonly RegisteredOperation[] = allOperations): Document => {
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const operation of registry) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method.toLowerCase()]: documented(operation) };
  }
  const failures = registry.flatMap(failuresOf).sort((a, b) => (a.name < b.name ? -1 : 1));
  const answered = new Set(failures.flatMap(failure => failure.errors));
  return {
    openapi: '3.0.3',
    info,
    servers: [
      {
        url: '.',
        description: 'Wherever this document is served, in production or any other stage',
        'x-internal': false,
      },
    ],
    tags,
    security: [{ oauth2: [] }, { accessToken: [] }],
    paths,
    'x-webhooks': webhooks,
    components: {
      schemas,
      headers,
      responses: Object.fromEntries(failures.map(({ name, response }) => [name, response])),
      examples: Object.fromEntries(
        (Object.keys(errors) as ErrorName[])
          .filter(name => answered.has(name))
          .map(name => [name, { value: toBody(name) }]),
      ),
      securitySchemes,
    },
  } as Document;
};
