import * as z from 'zod/mini';
import { type Operation, requestHeadersOf } from '../operations/operation.ts';
import { requestContext } from '../request-context.ts';
import { requestHeaderSchemas } from '../schemas/request-headers.ts';
import { headerValues, type Middleware, pathParametersOf } from './gateway.ts';
import { inputOf, type ParsedHeaders, type Parts } from './input.ts';
import { parseJson } from './json.ts';
import { readBody } from './read-body.ts';
import { repeatedKeys } from './repeated-keys.ts';
import { ValidationErrors } from './validation-errors.ts';

type Fields = Readonly<Record<string, z.ZodMiniType>>;

/** Clients in .NET, Java and Go send `null` for a field that is not set. */
const dropNulls = (fields: Fields, value: unknown) => {
  const given = Object(value);
  for (const [name, field] of Object.entries(fields))
    if (given[name] === null && field.safeParse(undefined).success) delete given[name];
};

/**
 * The body of replacePet or replaceCategory may have only the `id` that GET returned. It is checked even if the body is invalid,
 * so that one message has all errors.
 */
const checkId = (
  errors: ValidationErrors,
  fields: Fields,
  value: unknown,
  path: Record<string, string>,
) => {
  const { id } = Object(value) as { id?: unknown };
  if (
    'id' in fields &&
    Number.isInteger(id) &&
    !Object.values(path).some(text => Number(text) === id)
  )
    errors.add(['body', 'id'], 'expected the id in the path');
};

const parseBody = (
  errors: ValidationErrors,
  { method, request }: Operation,
  text: string,
  path: Record<string, string>,
): unknown => {
  const schema = request.body as z.ZodMiniObject<Fields>;
  // Invalid UTF-8 becomes U+FFFD when API Gateway or this function decodes it.
  if (text.includes('\ufffd'))
    return errors.add(['body'], 'not valid UTF-8, or compressed; U+FFFD itself is sent as \\ufffd');
  let value: unknown;
  try {
    value = text.trim() === '' ? undefined : parseJson(text);
  } catch {
    return errors.add(['body'], 'not valid JSON');
  }
  const { fields, inside } = repeatedKeys(text);
  for (const name of fields) errors.add(['body', name], 'given more than once');
  for (const name of inside) errors.add(['body', name], 'a key in it is given more than once');
  if (method !== 'PATCH') dropNulls(schema.shape, value);
  checkId(errors, schema.shape, value, path);
  return errors.parse('body', schema, value);
};

type Texts = Readonly<Record<string, string[] | undefined>>;

/** A parameter with its default value is parsed to undefined, so it equals an absent one. */
const parseQuery = (errors: ValidationErrors, schema: z.ZodMiniType, texts: Texts): object => {
  const parsed = Object.entries(errors.parse('query', schema, texts) ?? {});
  return Object.fromEntries(parsed.filter(([, value]) => value !== undefined));
};

/** Only a tag has quotes. */
const checkTag = (
  errors: ValidationErrors,
  { requiresTag = {} }: Operation,
  query: Texts,
  match: readonly string[] = [],
) => {
  for (const [name, value] of Object.entries(requiresTag))
    if (query[name]?.includes(value) && !match.some(line => line.includes('"')))
      errors.add(['header', 'If-Match'], `expected an entity tag with ${name}=${value}`);
};

/** Sets `event.input` for the handler. */
export const parseRequest = (operation: Operation): Middleware => {
  const { path = z.object({}), query = z.strictObject({}), body } = operation.request;
  const headers = requestHeadersOf(operation);
  const headerShape = Object.fromEntries(headers.map(name => [name, requestHeaderSchemas[name]]));
  const headerSchema = z.object(headerShape);

  return {
    before: request => {
      const { event, internal } = request;
      const text = readBody(event, operation);

      const errors = new ValidationErrors();
      const sent = Object.fromEntries(headers.map(name => [name, headerValues(event, name)]));
      const parsedHeaders = errors.parse('header', headerSchema, sent) as ParsedHeaders;
      const pathTexts = pathParametersOf(event);
      const queryTexts: Texts = event.multiValueQueryStringParameters ?? {};
      checkTag(errors, operation, queryTexts, sent['If-Match']);
      const parts = {
        path: errors.parse('path', path, pathTexts),
        query: query === 'any' ? {} : parseQuery(errors, query, queryTexts),
        body: body ? parseBody(errors, operation, text ?? '', pathTexts) : {},
      };
      errors.throwIfAny();
      const [id] = Object.values(parts.path as object);
      if (typeof id === 'number') requestContext().subject.resourceId = id;

      request.event = {
        ...event,
        input: inputOf(operation, event, {
          caller: internal.caller,
          parts: parts as Parts,
          headers: parsedHeaders,
        }),
      };
    },
  };
};
