import type * as z from 'zod/mini';
import { references } from '../../lib/model/references.ts';
import type { Operation, RegisteredOperation } from '../../lib/operations/index.ts';
import { requestHeadersOf } from '../../lib/operations/operation.ts';
import { paging } from '../../lib/schemas/query.ts';
import { changes } from './descriptions.ts';
import type { Described, DocumentedOperation } from './document-types.ts';
import { examples } from './fields.ts';
import { shapeOf } from './links.ts';
import { headerParameters, pathParameters, queryParameters } from './parameters.ts';
import { resourceOf } from './responses.ts';
import { componentOf } from './schemas.ts';

export const parametersOf = (operation: Operation): DocumentedOperation['parameters'] => {
  const { id, request, requiresTag = {}, singleBy } = operation;
  const parameterOf =
    (place: 'path' | 'query' | 'header', entries: Record<string, Described>) => (name: string) => {
      const entry = entries[name];
      if (!entry)
        throw new Error(
          `The parameter ${name} of ${id} has no entry in cdk/openapi/parameters.ts.`,
        );
      const parameter = { name, in: place, ...(place === 'path' && { required: true }), ...entry };
      if (name === 'If-Match')
        for (const query of Object.entries(requiresTag))
          parameter.description += `. With \`${query.join('=')}\`, an entity tag is required`;
      // A list by ids has no pages (lib/operations/listPets.ts).
      const isOfPages = place === 'query' && singleBy && Object.hasOwn(paging, name);
      const besideIds = name === 'limit' ? 'Ignored with' : 'Cannot be combined with';
      return isOfPages
        ? { ...parameter, description: `${entry.description}. ${besideIds} \`${singleBy}\`` }
        : parameter;
    };
  return [
    ...Object.keys(shapeOf(request.path)).map(parameterOf('path', pathParameters)),
    ...Object.keys(shapeOf(request.query)).map(parameterOf('query', queryParameters)),
    ...requestHeadersOf(operation).map(parameterOf('header', headerParameters)),
  ];
};

/** Examples leave these out, because the item that one names may not exist. */
const isOptionalReference = ([name, schema]: [string, z.core.$ZodType]): boolean =>
  references.some(({ field }) => field === name) && schema._zod.optin !== undefined;

/** For a patch: the changes. For another body: the fields of the resource, with the changes. */
const exampleOf = (operation: RegisteredOperation): object | undefined => {
  const resource = resourceOf(operation);
  if (!resource || operation.method === 'PATCH') return changes[operation.id];
  const fields = Object.entries(shapeOf(operation.request.body)).filter(
    field => field[0] !== 'id' && !isOptionalReference(field),
  );
  return {
    ...Object.fromEntries(fields.map(([name]) => [name, examples[resource.noun][name]])),
    ...changes[operation.id],
  };
};

/**
 * One media type, because for two of them, client generators create two methods, or choose one at random. A patch has JSON, too:
 * importers such as those of @samchon/openapi and Insomnia drop an operation, or its body, if its only type is another.
 */
export const requestBodyOf = (operation: RegisteredOperation) => {
  const { body } = operation.request;
  if (!body) return {};
  const content = { schema: componentOf(body), example: exampleOf(operation) };
  return { requestBody: { required: true, content: { 'application/json': content } } };
};
