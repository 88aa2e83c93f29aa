import { mediaTypes } from '../../lib/http/read-body.ts';
import type { Operation, RegisteredOperation } from '../../lib/operations/index.ts';
import { requestHeadersOf } from '../../lib/operations/operation.ts';
import { wordsOf } from './descriptions.ts';
import type { DocumentedOperation } from './document-types.ts';
import { headerParameters, pathParameters, queryParameters } from './parameters.ts';
import { componentOf } from './references.ts';

const known = <T>(entries: Record<string, T>, name: string, operation: Operation): T => {
  const found = entries[name];
  if (found === undefined)
    throw new Error(`${operation.id} has ${name}, which cdk/openapi/parameters.ts does not describe.`);
  return found;
};

const shapeNames = (schema: unknown): string[] => Object.keys((schema as { shape?: object })?.shape ?? {});

export const parametersOf = (operation: Operation): DocumentedOperation['parameters'] => {
  const { request } = operation;
  return [
    ...shapeNames(request.path).map(name => ({
      name,
      in: 'path' as const,
      required: true,
      ...known(pathParameters, name, operation),
    })),
    ...shapeNames(request.query).map(name => ({
      name,
      in: 'query' as const,
      ...known(queryParameters, name, operation),
    })),
    ...requestHeadersOf(operation).map(name => ({
      name,
      in: 'header' as const,
      ...known(headerParameters, name, operation),
    })),
  ];
};

/** Documented as one media type, the most exact: of two, generators make two methods, or take one at random. */
export const requestBodyOf = (operation: RegisteredOperation) => {
  const { body } = operation.request;
  const [type] = mediaTypes(operation.method);
  if (!body || !type) return {};
  const content = { schema: componentOf(body, 'input'), example: wordsOf(operation).request };
  return { requestBody: { required: true, content: { [type]: content } } };
};
