import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import {
  type Document,
  type DocumentedOperation,
  type DocumentedResponse,
  resolverOf,
} from '../../cdk/openapi/document-types.ts';
import committed from '../../cdk/openapi/openapi.json' with { type: 'json' };
import { processWide } from './process-wide.ts';

/** One HTTP request and its response. */
export interface Exchange {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  readonly requestHeaders: Record<string, string>;
  readonly requestBody: string | undefined;
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly text: string;
}

const document = committed as unknown as Document;

/** The document with closed objects: a body must not have a field that the document does not list. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed);
  if (value === null || typeof value !== 'object') return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closed(item)]));
  return copy.type === 'object' && copy.properties && copy.additionalProperties === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
};

const { ajv, compiled } = processWide('validators', () => {
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { int32: true, int64: true } });
  (addFormats as unknown as (instance: Ajv) => void)(ajv);
  ajv.addSchema({ $id: 'document', ...(closed(document) as object) });
  return { ajv, compiled: new WeakMap<object, ValidateFunction>() };
});
const absolute = (schema: unknown) => JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/', '"document#/'));

const check = (schema: object, value: unknown, what: string): string[] => {
  const validate = compiled.get(schema) ?? ajv.compile(absolute(schema));
  compiled.set(schema, validate);
  return validate(value) ? [] : [`${what}: ${ajv.errorsText(validate.errors)}`];
};

const resolve = resolverOf(document);

/** The differences between an event and the webhook that documents its type. */
export const eventProblems = (event: { readonly type: string }): string[] => {
  const post = document['x-webhooks']?.[event.type]?.post;
  if (!post) return [`the document has no event ${event.type}`];
  return Object.values(post.requestBody!.content).flatMap(({ schema }) => check(schema, event, event.type));
};

const templates = Object.keys(document.paths)
  .map(template => ({
    template,
    pattern: new RegExp(`^${template.replace(/\./g, '\\.').replace(/{\w+}/g, '([^/]+)')}/?$`),
  }))
  .sort((a, b) => Number(a.template.includes('{')) - Number(b.template.includes('{')));

/** The operation of a request, and the values of its path parameters. */
const operationAt = (method: string, path: string) => {
  const found = templates.find(({ pattern }) => pattern.test(path));
  const operation = found && document.paths[found.template]?.[method.toLowerCase()];
  return operation && { operation, values: found.pattern.exec(path)!.slice(1) };
};

const parsed = (text: string, { type }: { type?: string }): unknown => {
  if (type === 'integer') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
};

/** The violations of a request that succeeded. */
const requestProblems = (
  { operationId, parameters, requestBody }: DocumentedOperation,
  values: string[],
  sent: Exchange,
): string[] => {
  // API Gateway splits a query at semicolons too.
  const query = new URLSearchParams(sent.path.split('?')[1]?.replaceAll(';', '&') ?? '');
  const of = (place: string) => parameters.filter(parameter => parameter.in === place);
  const unknown = [...query.keys()].filter(name => !of('query').some(parameter => parameter.name === name));
  const items = (name: string) => query.getAll(name).flatMap(value => value.split(','));
  const headers = new Headers(sent.requestHeaders);
  return [
    ...(operationId.startsWith('getDocs') ? [] : unknown.map(name => `query ${name} is not documented`)),
    ...of('query').flatMap(({ name, schema }) => {
      if (!query.has(name)) return [];
      const isList = schema.type === 'array';
      const value = isList
        ? items(name).map(item => parsed(item, resolve(schema.items)))
        : parsed(query.get(name)!, schema);
      return check(schema, value, `query ${name}`);
    }),
    ...of('path').flatMap(({ name, schema }, index) =>
      check(schema, parsed(decodeURIComponent(values[index]!), schema), `path ${name}`),
    ),
    ...of('header').flatMap(({ name, schema }) =>
      headers.has(name) ? check(schema, headers.get(name), `header ${name}`) : [],
    ),
    ...Object.values(requestBody?.content ?? {})
      .slice(0, 1)
      .flatMap(({ schema }) => check(schema, JSON.parse(sent.requestBody ?? 'null'), 'request body')),
  ];
};

const responseProblems = (response: DocumentedResponse, { header, text, method }: Exchange): string[] => {
  const missing = Object.entries(response.headers).flatMap(([name, reference]) => {
    const { required, schema } = resolve<{ required?: boolean; schema: { type?: string } }>(reference);
    const value = header(name);
    if (value !== null) return check(schema, parsed(value, schema), `header ${name}`);
    return required ? [`header ${name} is missing`] : [];
  });
  if (!response.content || method === 'HEAD')
    return text === '' ? missing : [...missing, `no body is documented, but the response has ${text.slice(0, 80)}`];
  const type = header('content-type')?.split(';')[0] ?? '';
  const content = response.content[type];
  if (!content) return [...missing, `content type ${type} is not documented`];
  return [...missing, ...(type === 'application/json' ? check(content.schema, JSON.parse(text), 'response body') : [])];
};

export interface Comparison {
  /** `operationId status`, or undefined when no operation matches. */
  readonly response: string | undefined;
  readonly problems: string[];
}

const errorSchema = { $ref: '#/components/schemas/Error' };

/** Validates status, headers and body of a response, and the request of a successful one, against the document. */
export const compareWithDocument = (exchange: Exchange): Comparison => {
  const { method, path, status, text } = exchange;
  const found = operationAt(method, path.split('?')[0]!);
  if (!found) {
    const isError = status >= 400 && method !== 'HEAD';
    return { response: undefined, problems: isError ? check(errorSchema, JSON.parse(text), 'error') : [] };
  }
  const name = `${found.operation.operationId} ${status}`;
  const response = found.operation.responses[String(status)];
  if (!response) return { response: undefined, problems: [`${name} is not documented: ${text.slice(0, 200)}`] };
  const problems = [
    ...responseProblems(resolve<DocumentedResponse>(response), exchange),
    ...(status < 300 ? requestProblems(found.operation, found.values, exchange) : []),
  ];
  return { response: name, problems: problems.map(problem => `${name}: ${problem}`) };
};

/** Every documented response, as `operationId status`. */
export const documentedResponses = (): string[] =>
  Object.values(document.paths).flatMap(methods =>
    Object.values(methods).flatMap(({ operationId, responses }) =>
      Object.keys(responses).map(status => `${operationId} ${status}`),
    ),
  );
