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

const operationAt = (
  method: string,
  path: string,
): { operation: DocumentedOperation; values: string[] } | undefined => {
  for (const { template, pattern } of templates) {
    const found = pattern.exec(path.split('?')[0]!);
    const operation = document.paths[template]?.[method.toLowerCase()];
    if (found) return operation && { operation, values: found.slice(1) };
  }
  return undefined;
};

const parsed = (text: string, schema: { type?: string }): unknown => {
  if (schema.type === 'integer') return Number(text);
  return schema.type === 'boolean' ? text === 'true' : text;
};

/** The violations of a request that succeeded. */
const requestProblems = (
  operation: DocumentedOperation,
  values: string[],
  { path, requestBody, requestHeaders }: Exchange,
): string[] => {
  const problems: string[] = [];
  // API Gateway splits a query at semicolons too.
  const query = new URLSearchParams(path.split('?')[1]?.replaceAll(';', '&') ?? '');
  const documentedQuery = operation.parameters.filter(parameter => parameter.in === 'query');
  for (const name of query.keys()) {
    if (operation.operationId.startsWith('getDocs')) break;
    if (!documentedQuery.some(parameter => parameter.name === name)) problems.push(`query ${name} is not documented`);
  }
  for (const { name, schema } of documentedQuery.filter(parameter => query.has(parameter.name))) {
    const all = query.getAll(name).flatMap(value => value.split(','));
    const value =
      schema.type === 'array' ? all.map(item => parsed(item, resolve(schema.items))) : parsed(query.get(name)!, schema);
    problems.push(...check(schema, value, `query ${name}`));
  }
  const inPath = operation.parameters.filter(parameter => parameter.in === 'path');
  for (const [index, { name, schema }] of inPath.entries())
    problems.push(...check(schema, parsed(decodeURIComponent(values[index]!), schema), `path ${name}`));
  for (const { name, schema } of operation.parameters.filter(parameter => parameter.in === 'header')) {
    const value = Object.entries(requestHeaders).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
    if (value !== undefined) problems.push(...check(schema, value, `header ${name}`));
  }
  if (operation.requestBody)
    problems.push(
      ...check(
        Object.values(operation.requestBody.content)[0]!.schema,
        JSON.parse(requestBody ?? 'null'),
        'request body',
      ),
    );
  return problems;
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

/** Validates status, headers and body of a response, and the request of a successful one, against the document. */
export const compareWithDocument = (exchange: Exchange): Comparison => {
  const { method, path, status, text } = exchange;
  const found = operationAt(method, path);
  if (!found) {
    const isError = status >= 400 && method !== 'HEAD';
    return {
      response: undefined,
      problems: isError ? check({ $ref: '#/components/schemas/Error' }, JSON.parse(text), 'error') : [],
    };
  }
  const { operation, values } = found;
  const response = operation.responses[String(status)];
  if (!response)
    return {
      response: undefined,
      problems: [`${operation.operationId} documents no ${status}: ${text.slice(0, 200)}`],
    };
  const problems = [
    ...responseProblems(resolve<DocumentedResponse>(response), exchange),
    ...(status < 300 ? requestProblems(operation, values, exchange) : []),
  ];
  return {
    response: `${operation.operationId} ${status}`,
    problems: problems.map(problem => `${operation.operationId} ${status}: ${problem}`),
  };
};

/** Every documented response, as `operationId status`. */
export const documentedResponses = (): string[] =>
  Object.values(document.paths).flatMap(methods =>
    Object.values(methods).flatMap(({ operationId, responses }) =>
      Object.keys(responses).map(status => `${operationId} ${status}`),
    ),
  );
