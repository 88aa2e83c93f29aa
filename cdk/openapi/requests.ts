import { mediaTypes } from '../../lib/http/read-body.ts';
import type { Operation, RegisteredOperation } from '../../lib/operations/index.ts';
import { requestHeadersOf } from '../../lib/operations/operation.ts';
import { parameters, requestHeaders, toSchema } from './components.ts';
import { prose } from './prose.ts';
import { requestComponentOf } from './references.ts';
import type { DocumentedOperation } from './types.ts';

const known = <T>(entries: Record<string, T>, name: string, operation: Operation): T => {
  const found = entries[name];
  if (found === undefined)
    throw new Error(`${operation.id} has ${name}, which cdk/openapi/components.ts does not describe.`);
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
      ...known(parameters, name, operation),
    })),
    ...shapeNames(request.query).map(name => ({ name, in: 'query' as const, ...known(parameters, name, operation) })),
    ...requestHeadersOf(operation).map(name => ({
      name,
      in: 'header' as const,
      ...known(requestHeaders, name, operation),
    })),
  ];
};

export const requestBodyOf = (operation: RegisteredOperation) => {
  const { body } = operation.request;
  if (!body) return {};
  const schema = requestComponentOf(body) ?? toSchema(body, 'input');
  const content = { schema, example: prose[operation.id].request };
  return {
    requestBody: {
      required: true,
      content: Object.fromEntries(mediaTypes(operation.method).map(type => [type, content])),
    },
  };
};
