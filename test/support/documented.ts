import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import {
  type Document,
  type DocumentedOperation,
  type DocumentedResponse,
  resolverOf,
} from '../../cdk/openapi/document-types.ts';
import committed from '../../cdk/openapi/openapi.json' with { type: 'json' };
import { processWide } from './process-wide.ts';

export interface Exchange {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly requestHeaders: Record<string, string>;
  readonly requestBody: string | undefined;
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly text: string;
}

/** A field that the document does not list is then invalid. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed);
  if (value === null || typeof value !== 'object') return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closed(item)]));
  return copy.type === 'object' && copy.properties
    ? { additionalProperties: false, ...copy }
    : copy;
};

/** In Ajv, references begin with `document#`. */
const document: Document = JSON.parse(
  JSON.stringify(closed(committed)).replaceAll('"#/', '"document#/'),
);
const resolveLocally = resolverOf(document);
const resolve = <T extends object>(value: T | { readonly $ref: string }): T =>
  '$ref' in value ? resolveLocally<T>({ $ref: value.$ref.replace('document', '') }) : value;

const ajv = processWide('ajv', () => {
  const created = new Ajv({
    strict: false,
    allErrors: true,
    formats: { int32: true, int64: true },
  });
  (addFormats as unknown as (instance: Ajv) => void)(created);
  return created.addSchema(document, 'document');
});

const check = (schema: object, value: unknown, dataVar: string): string[] =>
  ajv.validate(schema, value) ? [] : [ajv.errorsText(ajv.errors, { dataVar })];

export const eventProblems = (event: { readonly type: string }): string[] => {
  const post = document['x-webhooks']?.[event.type]?.post;
  if (!post) return [`the document has no event ${event.type}`];
  return Object.values(post.requestBody!.content).flatMap(({ schema }) =>
    check(schema, event, event.type),
  );
};

const patternOf = (path: string) =>
  new RegExp(`^${path.replace(/\./g, '\\.').replace(/{(\w+)}/g, '(?<$1>[^/]+)')}/?$`);
const templates = Object.entries(document.paths)
  .map(([path, methods]) => ({ methods, pattern: patternOf(path) }))
  .sort((a, b) => Number(a.pattern.source.includes('(')) - Number(b.pattern.source.includes('(')));

const parsed = (text: string, { type }: { type?: string }): unknown => {
  if (type === 'integer') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
};

/** Of a request that succeeded. @param ids the path parameters */
const requestProblems = (
  { operationId, parameters, requestBody }: DocumentedOperation,
  ids: Readonly<Record<string, string>>,
  sent: Exchange,
): string[] => {
  // API Gateway also splits a query at semicolons.
  const query = new URLSearchParams(sent.path.split('?')[1]?.replaceAll(';', '&') ?? '');
  const headers = new Headers(sent.requestHeaders);
  const valuesIn = {
    query: (name: string) => query.getAll(name),
    path: (name: string) => [decodeURIComponent(ids[name]!)],
    header: (name: string) => [headers.get(name) ?? []].flat(),
  };
  const known = parameters.map(({ in: place, name }) => `${place} ${name}`);
  const unknown = [...query.keys()].filter(name => !known.includes(`query ${name}`));
  const [content] = Object.values(requestBody?.content ?? {});
  return [
    ...(operationId.startsWith('getDocs')
      ? []
      : unknown.map(name => `query ${name} is not documented`)),
    ...parameters.flatMap(({ in: place, name, schema }) => {
      const values = valuesIn[place](name);
      if (values.length === 0) return [];
      const items = () =>
        values.flatMap(value => value.split(',')).map(item => parsed(item, resolve(schema.items)));
      return check(
        schema,
        schema.type === 'array' ? items() : parsed(values[0]!, schema),
        `${place} ${name}`,
      );
    }),
    ...(content
      ? check(content.schema, JSON.parse(sent.requestBody ?? 'null'), 'request body')
      : []),
  ];
};

const responseProblems = (
  response: DocumentedResponse,
  { header, text, method }: Exchange,
): string[] => {
  const missing = Object.entries(response.headers).flatMap(([name, reference]) => {
    const { required, schema } = resolve<{ required?: boolean; schema: { type?: string } }>(
      reference,
    );
    const value = header(name);
    if (value !== null) return check(schema, parsed(value, schema), `header ${name}`);
    return required ? [`header ${name} is missing`] : [];
  });
  if (!response.content || method === 'HEAD')
    return text === ''
      ? missing
      : [...missing, `no body is documented, but the response has ${text.slice(0, 80)}`];
  const type = header('content-type')?.split(';')[0] ?? '';
  const content = response.content[type];
  if (!content) return [...missing, `content type ${type} is not documented`];
  return [
    ...missing,
    ...(type === 'application/json'
      ? check(content.schema, JSON.parse(text), 'response body')
      : []),
  ];
};

const errorSchema = { $ref: 'document#/components/schemas/Error' };

/**
 * Also checks the request of a success.
 * @returns the problems, and `operationId status` if an operation documents this response
 */
export const compareWithDocument = (exchange: Exchange) => {
  const { method, path, status, text } = exchange;
  const pathname = path.split('?')[0]!;
  const found = templates.find(({ pattern }) => pattern.test(pathname));
  const operation = found?.methods[method.toLowerCase()];
  if (!operation) {
    const isError = status >= 400 && method !== 'HEAD';
    return {
      response: undefined,
      problems: isError ? check(errorSchema, JSON.parse(text), 'error') : [],
    };
  }
  const name = `${operation.operationId} ${status}`;
  const response = operation.responses[String(status)];
  if (!response)
    return { response: undefined, problems: [`${name} is not documented: ${text.slice(0, 200)}`] };
  const ids = found!.pattern.exec(pathname)!.groups ?? {};
  const problems = [
    ...responseProblems(resolve<DocumentedResponse>(response), exchange),
    ...(status < 300 ? requestProblems(operation, ids, exchange) : []),
  ];
  return { response: name, problems: problems.map(problem => `${name}: ${problem}`) };
};

/** `operationId status` */
export const documentedResponses: readonly string[] = Object.values(document.paths)
  .flatMap(Object.values<DocumentedOperation>)
  .flatMap(({ operationId, responses }) =>
    Object.keys(responses).map(status => `${operationId} ${status}`),
  )
  .filter(name => !name.endsWith(' default'));
