import { type ErrorName, errors, toBody } from '../../lib/errors.ts';
import { type Operation, operationIds, operations } from '../../lib/operations/index.ts';
import { pathsOf, resourceServer } from '../../lib/operations/operation.ts';
import { settingsOf } from '../settings.ts';
import { headers, schemas, securitySchemes } from './components.ts';
import { failuresOf, type SharedResponses } from './failures.ts';
import { info, prose, tags } from './prose.ts';
import { parametersOf, requestBodyOf } from './requests.ts';
import { successesOf } from './successes.ts';
import type { Document, DocumentedOperation } from './types.ts';

const securityOf = ({ access }: Operation) =>
  access === 'public' ? [] : [{ oauth2: [`${resourceServer}/${access}`] }, { accessToken: [] }];

const lifeCycleOf = ({ id, deprecated }: Operation) => {
  if (!deprecated) return {};
  const { sunsetOn } = settingsOf('prod').lifeCycle[id as 'getPet'];
  return { deprecated: true, 'x-sunset': sunsetOn };
};

const documented = (operation: Operation, path: string, shared: SharedResponses): DocumentedOperation => {
  const { summary, description } = prose[operation.id as keyof typeof prose];
  const isFiles = path !== operation.path;
  return {
    operationId: isFiles ? `${operation.id}File` : operation.id,
    summary: isFiles ? `${summary}: its files` : summary,
    description,
    tags: [operation.tag],
    ...lifeCycleOf(operation),
    ...(operation.stability && { 'x-stability-level': operation.stability }),
    security: securityOf(operation),
    parameters: parametersOf(operation, path),
    ...requestBodyOf(operation),
    responses: Object.fromEntries([...successesOf(operation, path), ...failuresOf(operation, isFiles, shared)]),
  } as DocumentedOperation;
};

const usedExamples = (shared: SharedResponses): Set<string> =>
  new Set([...shared.values()].flatMap(({ content }) => Object.keys(content!['application/json']!.examples as object)));

/** The OpenAPI document of the API, built from the registry. */
export const buildDocument = (): Document => {
  const shared: SharedResponses = new Map();
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const operation of operationIds.map(id => operations[id] as Operation)) {
    for (const path of pathsOf(operation))
      paths[path] = { ...paths[path], [operation.method.toLowerCase()]: documented(operation, path, shared) };
  }
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
    components: {
      schemas,
      headers,
      responses: Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1))),
      examples: Object.fromEntries(
        (Object.keys(errors) as ErrorName[])
          .filter(name => usedExamples(shared).has(name))
          .map(name => [name, { value: toBody(name) }]),
      ),
      securitySchemes,
    },
  } as Document;
};
