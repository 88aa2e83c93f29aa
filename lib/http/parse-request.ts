import * as z from 'zod/mini';
import { type Operation, requestHeadersOf } from '../operations/operation.ts';
import { requestHeaderSchemas } from '../schemas/request-headers.ts';
import { headerValues, type Middleware, pathParametersOf } from './gateway.ts';
import { inputOf, type ParsedHeaders, type Parts } from './input.ts';
import { parseJson } from './json.ts';
import { Problems } from './problems.ts';
import { readBody } from './read-body.ts';
import { repeatedKeys } from './repeated-keys.ts';

const addRepeated = (problems: Problems, text: string) => {
  const { fields, inside } = repeatedKeys(text);
  for (const name of fields) problems.add(['body', name], 'given more than once');
  for (const name of inside) problems.add(['body', name], 'a key in it is given more than once');
};

/**
 * A PUT may send back what GET returned; another id than the path's would be a rename, which no resource allows. Looked at
 * whatever else is wrong with the body, so that the caller learns of both at once.
 */
const checkId = (problems: Problems, schema: z.ZodMiniType, value: unknown, path: Record<string, string>) => {
  const takesId = 'id' in ((schema as { shape?: object }).shape ?? {});
  const { id } = Object(value) as { id?: unknown };
  if (takesId && Number.isInteger(id) && !Object.values(path).some(text => Number(text) === id))
    problems.add(['body', 'id'], 'expected the id in the path');
};

const parseBody = (problems: Problems, schema: z.ZodMiniType, text: string, path: Record<string, string>): unknown => {
  // What stands for bytes that are no UTF-8, wherever they were decoded: by API Gateway, or by us.
  if (text.includes('\ufffd'))
    return problems.add(['body'], 'not valid UTF-8, or compressed; U+FFFD itself is sent as \\ufffd');
  let value: unknown;
  try {
    value = text.trim() === '' ? undefined : parseJson(text);
  } catch {
    return problems.add(['body'], 'not valid JSON');
  }
  if (value !== undefined) addRepeated(problems, text);
  checkId(problems, schema, value, path);
  return problems.parse('body', schema, value);
};

/** Parses every part of the request by the operation's schemas and hands the result to the business sentence as `event.input`. */
export const parseRequest = (operation: Operation): Middleware => {
  const { path = z.object({}), query = z.strictObject({}), body } = operation.request;
  const headers = requestHeadersOf(operation);
  const headerShape = Object.fromEntries(headers.map(name => [name, requestHeaderSchemas[name]]));
  const headerSchema = z.object(headerShape);

  return {
    before: request => {
      const { event } = request;
      const text = readBody(event, operation);

      const problems = new Problems();
      const sent = Object.fromEntries(headers.map(name => [name, headerValues(event, name)]));
      const parsedHeaders = problems.parse('header', headerSchema, sent) as ParsedHeaders;
      const pathTexts = pathParametersOf(event);
      const parts = {
        path: problems.parse('path', path, pathTexts),
        query: query === 'any' ? {} : problems.parse('query', query, event.multiValueQueryStringParameters ?? {}),
        body: body ? parseBody(problems, body, text ?? '', pathTexts) : {},
      };
      problems.throwIfAny();

      request.event = { ...event, input: inputOf(operation, event, parts as Parts, parsedHeaders) };
    },
  };
};
