import { mediaTypes } from '../../lib/http/read-body.ts';
import type { Operation, RegisteredOperation } from '../../lib/operations/index.ts';
import { requestHeadersOf } from '../../lib/operations/operation.ts';
import { paging } from '../../lib/schemas/query.ts';
import { descriptionOf } from './descriptions.ts';
import type { DocumentedOperation } from './document-types.ts';
import { headerParameters, type ParameterEntry, pathParameters, queryParameters } from './parameters.ts';
import { componentOf } from './schemas.ts';

const shapeNames = (schema: unknown): string[] => Object.keys((schema as { shape?: object })?.shape ?? {});

export const parametersOf = (operation: Operation): DocumentedOperation['parameters'] => {
  const { id, request, singleBy } = operation;
  const parameterOf =
    (place: 'path' | 'query' | 'header', entries: Record<string, ParameterEntry>) => (name: string) => {
      const entry = entries[name];
      if (!entry) throw new Error(`The parameter ${name} of ${id} has no entry in cdk/openapi/parameters.ts.`);
      const parameter = { name, in: place, ...(place === 'path' && { required: true }), ...entry };
      // A list by ids has no pages (lib/operations/listPets.ts).
      const isExcluded = place === 'query' && singleBy && Object.hasOwn(paging, name);
      const description = `${entry.description}. Cannot be combined with \`${singleBy}\``;
      return isExcluded ? { ...parameter, description } : parameter;
    };
  return [
    ...shapeNames(request.path).map(parameterOf('path', pathParameters)),
    ...shapeNames(request.query).map(parameterOf('query', queryParameters)),
    ...requestHeadersOf(operation).map(parameterOf('header', headerParameters)),
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
