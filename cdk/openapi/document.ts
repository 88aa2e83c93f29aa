import { type ErrorName, errors, toBody } from '../../lib/errors.ts';
import { exampleTokenUrl } from '../../lib/operations/getOpenApi.ts';
import {
  allOperations,
  type Operation,
  type RegisteredOperation,
} from '../../lib/operations/index.ts';
import { maxOrderQuantity } from '../../lib/schemas/order.ts';
import { resourceServer, scopes } from '../../lib/scopes.ts';
import { descriptionOf as scopeDescription } from '../config/scopes.ts';
import { type Settings, settingsOf } from '../config/settings.ts';
import { info, summaryAndDescriptionOf, tagOf, tags } from './descriptions.ts';
import type { Document, DocumentedOperation } from './document-types.ts';
import { eventSchemas } from './event-schemas.ts';
import { events } from './events.ts';
import { linksOf } from './links.ts';
import * as page from './page.ts';
import { parametersOf, requestBodyOf } from './requests.ts';
import { headers } from './response-headers.ts';
import { errorResponsesOf, resourceOf, successResponsesOf } from './responses.ts';
import { schemas } from './schemas.ts';
import { ref } from './to-schema.ts';

const securitySchemes = {
  oauth2: {
    type: 'oauth2',
    description:
      'Access tokens of the stage’s Amazon Cognito user pool: signed JWTs, validated according to RFC8725. Cache each until shortly before it expires. Request no scope: the token then has all scopes of its client. If it has `petstore/orders.manage`, empty the field *scope* of your tool, because a narrower token has other orders.',
    flows: {
      clientCredentials: {
        tokenUrl: exampleTokenUrl,
        scopes: Object.fromEntries(
          scopes.map(scope => [`${resourceServer}/${scope}`, scopeDescription(scope)]),
        ),
      },
    },
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The same access token, pasted (RFC 6750; validated according to RFC8725).',
  },
};

const securityOf = ({ access }: Operation) =>
  access === 'public' ? [] : [{ oauth2: [`${resourceServer}/${access}`] }, { accessToken: [] }];

const documented = (operation: RegisteredOperation, settings: Settings): DocumentedOperation => {
  const lifeCycle = settings.lifeCycle[operation.id];
  return {
    operationId: operation.id,
    ...summaryAndDescriptionOf(operation, settings),
    tags: [tagOf(operation.path)],
    ...(lifeCycle && { deprecated: true, 'x-sunset': lifeCycle.sunsetOn }),
    ...(operation.stability && { 'x-stability-level': operation.stability }),
    security: securityOf(operation),
    parameters: parametersOf(operation),
    ...requestBodyOf(operation),
    responses: Object.fromEntries([
      ...successResponsesOf(operation),
      ...errorResponsesOf(operation).map(
        ({ status, name }) => [status, ref('responses', name)] as const,
      ),
      ['default', ref('responses', 'Other')],
    ]),
  } as DocumentedOperation;
};

/** The example messages of errors whose message depends on the request. */
const exampleMessages: Partial<Record<ErrorName, string>> = {
  invalid_request: `body.petId: required; body.quantity: expected an integer from 1 to ${maxOrderQuantity}`,
  forbidden:
    'The access token does not have the scope petstore/orders. Use a client with this scope.',
};

/**
 * @param settings of the stage whose limits and dates the document states
 * @throws if a parameter has no entry in parameters.ts
 */
export const buildDocument = (settings = settingsOf('prod')): Document => {
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const operation of allOperations) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method.toLowerCase()]: documented(operation, settings) };
  }
  const errorResponses = allOperations
    .flatMap(errorResponsesOf)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const returned = new Set(errorResponses.flatMap(response => response.errors));
  const returnedErrors = (Object.keys(errors) as ErrorName[]).filter(name => returned.has(name));
  const linked = allOperations.flatMap(operation =>
    linksOf(operation, resourceOf(operation)?.noun),
  );
  return {
    openapi: '3.0.3',
    info,
    // Absolute: a URL relative to the server would lose the stage prefix (RFC 3986, section 5.2.3).
    externalDocs: page.guide,
    servers: [
      { url: '.', description: 'The stage that serves this document', 'x-internal': false },
    ],
    tags: tags.map(({ name, description }) => ({ name, description })),
    security: [{ oauth2: [] }, { accessToken: [] }],
    paths,
    'x-webhooks': events,
    components: {
      schemas: { ...schemas, ...eventSchemas },
      headers,
      responses: {
        ...Object.fromEntries(errorResponses.map(({ name, response }) => [name, response])),
        Other: {
          description: 'Any other error',
          content: { 'application/json': { schema: ref('schemas', 'Error') } },
        },
      },
      links: Object.fromEntries(linked.map(({ name, ...link }) => [name, link])),
      examples: Object.fromEntries(
        returnedErrors.map(name => [name, { value: toBody(name, exampleMessages[name]) }]),
      ),
      securitySchemes,
    },
  } as Document;
};
