import { mediaTypes } from '../../lib/http/read-body.ts';
import type { Operation, RegisteredOperation } from '../../lib/operations/index.ts';
import { requestHeadersOf } from '../../lib/operations/operation.ts';
import { paging } from '../../lib/schemas/query.ts';
import { descriptionOf } from './descriptions.ts';
import type { DocumentedOperation } from './document-types.ts';
import { headerParameters, pathParameters, queryParameters } from './parameters.ts';
import { componentOf } from './references.ts';

const entryOf = <T>(entries: Record<string, T>, name: string, operation: Operation): T => {
  const entry = entries[name];
  if (entry === undefined)
    throw new Error(`The parameter ${name} of ${operation.id} has no entry in cdk/openapi/parameters.ts.`);
  return entry;
};

const shapeNames = (schema: unknown): string[] => Object.keys((schema as { shape?: object })?.shape ?? {});

/** A list by ids has no pages (lib/operations/listPets.ts). */
const queryParameterOf = (name: string, operation: Operation) => {
  const entry = entryOf(queryParameters, name, operation);
  const isExcluded = operation.singleBy && Object.hasOwn(paging, name);
  return isExcluded
    ? { ...entry, description: `${entry.description}. Cannot be combined with \`${operation.singleBy}\`` }
    : entry;
};

export const parametersOf = (operation: Operation): DocumentedOperation['parameters'] => {
  const { request } = operation;
  return [
    ...shapeNames(request.path).map(name => ({
      name,
      in: 'path' as const,
      required: true,
      ...entryOf(pathParameters, name, operation),
    })),
    ...shapeNames(request.query).map(name => ({ name, in: 'query' as const, ...queryParameterOf(name, operation) })),
    ...requestHeadersOf(operation).map(name => ({
      name,
      in: 'header' as const,
      ...entryOf(headerParameters, name, operation),
    })),
  ];
};

/** Only the most specific media type: for two, client generators create two methods, or choose one at random. */
export const requestBodyOf = (operation: RegisteredOperation) => {
  const { body } = operation.request;
  const [type] = mediaTypes(operation.method);
  if (!body || !type) return {};
  const content = { schema: componentOf(body, 'input'), example: descriptionOf(operation).request };
  return { requestBody: { required: true, content: { [type]: content } } };
};
