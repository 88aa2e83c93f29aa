import { type ErrorName, errors, toBody } from '../../lib/errors.ts';
import { mediaTypes } from '../../lib/http/read-body.ts';
import { type Operation, type OperationId, operationIds, operations } from '../../lib/operations/index.ts';
import { errorsOf, isPaged, pathsOf, resourceServer } from '../../lib/operations/operation.ts';
import { Categories, Category, NewCategory } from '../../lib/schemas/category.ts';
import { Inventory, InventoryItem, InventoryUpdate } from '../../lib/schemas/inventory.ts';
import { Order, Orders } from '../../lib/schemas/order.ts';
import { NewPet, Pet, Pets } from '../../lib/schemas/pet.ts';
import { usesTable } from '../permissions.ts';
import { settingsOf } from '../settings.ts';
import { headers, parameters, requestHeaders, type Schema, schemas, securitySchemes, toSchema } from './components.ts';
import { info, prose, tags } from './prose.ts';

export interface Document {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly headers: Record<string, Schema>;
    readonly [part: string]: object;
  };
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  /** Errors refer to the shared ones. */
  readonly responses: Record<string, DocumentedResponse | { readonly $ref: string }>;
  readonly [field: string]: unknown;
}

export interface DocumentedResponse {
  readonly description: string;
  readonly headers: Record<string, { readonly $ref: string }>;
  readonly content?: Record<string, { readonly schema: Schema; readonly [field: string]: unknown }>;
}

/** Follows a `$ref` of a document to what it names; anything else is what it is. */
export type Resolve = <T>(value: T | { readonly $ref: string }) => T;

export const resolverOf =
  (document: Document): Resolve =>
  <T>(value: T | { readonly $ref: string }): T => {
    const { $ref } = value as { $ref?: string };
    if (!$ref) return value as T;
    // biome-ignore lint/suspicious/noExplicitAny: a walk along any path of the document
    return $ref
      .slice(2)
      .split('/')
      .reduce((part: any, step) => part[step], document) as T;
  };

const ref = (part: string, name: string) => ({ $ref: `#/components/${part}/${name}` });
const list = (name: string): Schema => ({ type: 'array', maxItems: 100, items: ref('schemas', name) });

/** Zod schemas that are components of the document; others are written out where they are used. */
const componentOf = new Map<unknown, Schema>([
  [NewPet, ref('schemas', 'NewPet')],
  [Pet, ref('schemas', 'Pet')],
  [Pets, ref('schemas', 'Pets')],
  [NewCategory, ref('schemas', 'NewCategory')],
  [Category, ref('schemas', 'Category')],
  [Categories, list('Category')],
  [Order, ref('schemas', 'Order')],
  [Orders, list('Order')],
  [InventoryItem, ref('schemas', 'InventoryItem')],
  [Inventory, list('InventoryItem')],
  [InventoryUpdate, ref('schemas', 'InventoryUpdate')],
]);

const known = <T>(entries: Record<string, T>, name: string, operation: Operation): T => {
  const found = entries[name];
  if (found === undefined)
    throw new Error(`${operation.id} has ${name}, which cdk/openapi/components.ts does not describe.`);
  return found;
};

const shapeNames = (schema: unknown): string[] => Object.keys((schema as { shape?: object })?.shape ?? {});

const parametersOf = (operation: Operation, path: string): DocumentedOperation['parameters'] => {
  const { request } = operation;
  const inPath = shapeNames(request.path).filter(name => path.includes(`{${name}}`));
  return [
    ...inPath.map(name => ({ name, in: 'path' as const, required: true, ...known(parameters, name, operation) })),
    ...shapeNames(request.query).map(name => ({ name, in: 'query' as const, ...known(parameters, name, operation) })),
    ...(request.headers ?? []).map(name => ({
      name,
      in: 'header' as const,
      ...known(requestHeaders, name, operation),
    })),
  ];
};

const requestBodyOf = (operation: Operation) => {
  const { body } = operation.request;
  if (!body) return {};
  const schema = componentOf.get(body) ?? toSchema(body, 'input');
  const content = { schema, example: prose[operation.id as keyof typeof prose].request };
  return {
    requestBody: {
      required: true,
      content: Object.fromEntries(mediaTypes(operation.method).map(type => [type, content])),
    },
  };
};

const headersNamed = (names: readonly string[]): DocumentedResponse['headers'] =>
  Object.fromEntries(names.map(name => [name === 'Successor-Link' ? 'Link' : name, ref('headers', name)]));

/** Headers of every answer of an operation's function, whatever the status. */
const functionHeaders = ({ deprecated, stability }: Operation): string[] => [
  ...(deprecated ? ['Deprecation', 'Sunset', 'Successor-Link'] : []),
  ...(stability ? ['X-Stability-Level'] : []),
];

const commonHeaders = ['X-Request-Id', 'Access-Control-Allow-Origin', 'Cache-Control'];

const successesOf = (operation: Operation, path: string): [string, DocumentedResponse][] => {
  const { request, responses } = operation;
  const { summary, response } = prose[operation.id as keyof typeof prose];
  const isConditional = request.headers?.includes('If-None-Match') ?? false;
  return Object.entries(responses).flatMap(([status, schema]) => {
    const isList = isPaged(operation);
    const extra = [
      ...(status === '201' ? ['Location'] : []),
      ...(request.headers?.includes('Idempotency-Key') ? ['Idempotency-Replayed'] : []),
      ...(schema !== null && !isList ? ['ETag'] : []),
      ...(isList ? ['Link'] : []),
      ...(schema === 'file' ? ['Content-Security-Policy'] : []),
    ];
    const content = contentOf(operation, path, schema, response);
    const success = {
      description: summary,
      headers: headersNamed([...commonHeaders, ...extra, ...functionHeaders(operation)]),
      ...content,
    };
    const notModified = {
      description: 'The caller’s representation is the present one',
      headers: headersNamed([...commonHeaders, 'ETag', ...functionHeaders(operation)]),
    };
    return isConditional ? [[status, success] as const, ['304', notModified] as const] : [[status, success] as const];
  }) as [string, DocumentedResponse][];
};

const contentOf = (
  operation: Operation,
  path: string,
  schema: Operation['responses'][number] | undefined,
  example: unknown,
) => {
  if (!schema) return {};
  if (schema !== 'file') {
    const body = componentOf.get(schema) ?? { type: 'object', description: 'An OpenAPI document' };
    return { content: { 'application/json': { schema: body, example } } };
  }
  const types = path === operation.path ? ['text/html'] : ['text/javascript', 'text/css'];
  return {
    content: Object.fromEntries(types.map(type => [type, { schema: { type: 'string', maxLength: 10_000_000 } }])),
  };
};

/** What the gateway answers by itself for any operation. */
const gatewayErrors: ErrorName[] = ['too_many_requests', 'bad_gateway', 'timeout'];

const errorHeaders = (status: number, operation: Operation, isGateways: boolean): string[] => [
  ...commonHeaders,
  ...(status === 401 ? ['WWW-Authenticate'] : []),
  ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ...(isGateways ? [] : functionHeaders(operation)),
];

/** Names of the errors that an operation at a path can answer, the gateway's included. */
const errorNamesOf = (operation: Operation, isFiles: boolean): ErrorName[] => {
  const { id, request } = operation;
  const impossible = new Set<ErrorName>([
    ...(usesTable(id as OperationId) ? [] : (['try_again', 'outcome_unknown'] as const)),
    // The page itself is always there; only its files may not be.
    ...(id === 'getDocs' && !isFiles ? (['not_found'] as const) : []),
    ...(request.query === 'any' && !request.headers ? (['invalid_request'] as const) : []),
  ]);
  return [...errorsOf(operation), ...gatewayErrors].filter(name => !impossible.has(name));
};

const pascalCase = (name: string) => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Error responses that several operations share, by a name made of their codes. */
type SharedResponses = Map<string, DocumentedResponse>;

const failuresOf = (operation: Operation, isFiles: boolean, shared: SharedResponses): [string, object][] => {
  const names = errorNamesOf(operation, isFiles);
  const statuses = [...new Set(names.map(name => errors[name].status as number))].sort((a, b) => a - b);
  return statuses.map(status => {
    const ofStatus = names.filter(name => errors[name].status === status);
    const isGateways = status === 401 || ofStatus.every(name => gatewayErrors.includes(name));
    const codes = [...new Set(ofStatus.map(name => toBody(name).code))];
    const marks = isGateways
      ? ''
      : `${operation.deprecated ? 'OfDeprecated' : ''}${pascalCase(operation.stability ?? '')}`;
    const name = ofStatus.map(pascalCase).join('Or') + marks;
    shared.set(name, {
      description: codes.map(code => `\`${code}\``).join(' or '),
      headers: headersNamed(errorHeaders(status, operation, isGateways)),
      content: {
        'application/json': {
          schema: ref('schemas', 'Error'),
          examples: Object.fromEntries(ofStatus.map(error => [error, ref('examples', error)])),
        },
      },
    });
    return [String(status), ref('responses', name)];
  });
};

const securityOf = ({ access }: Operation) =>
  access === 'public' ? [] : [{ oauth2: [`${resourceServer}/${access}`] }, { accessToken: [] }];

const lifeCycleOf = ({ id, deprecated }: Operation) => {
  if (!deprecated) return {};
  const { sunsetOn } = settingsOf('prod').lifeCycle[id as 'getPet'];
  return { deprecated: true, 'x-sunset': sunsetOn };
};

const documented = (operation: Operation, path: string, shared: SharedResponses): DocumentedOperation => {
  const { summary, description } = prose[operation.id as keyof typeof prose];
  const isFiles = path !== operation.path;
  return {
    operationId: isFiles ? `${operation.id}File` : operation.id,
    summary: isFiles ? `${summary}: its files` : summary,
    description,
    tags: [operation.tag],
    ...lifeCycleOf(operation),
    ...(operation.stability && { 'x-stability-level': operation.stability }),
    security: securityOf(operation),
    parameters: parametersOf(operation, path),
    ...requestBodyOf(operation),
    responses: Object.fromEntries([...successesOf(operation, path), ...failuresOf(operation, isFiles, shared)]),
  } as DocumentedOperation;
};

const usedExamples = (shared: SharedResponses): Set<string> =>
  new Set([...shared.values()].flatMap(({ content }) => Object.keys(content!['application/json']!.examples as object)));

/** The OpenAPI document of the API, built from the registry. */
export const buildDocument = (): Document => {
  const shared: SharedResponses = new Map();
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const operation of operationIds.map(id => operations[id] as Operation)) {
    for (const path of pathsOf(operation))
      paths[path] = { ...paths[path], [operation.method.toLowerCase()]: documented(operation, path, shared) };
  }
  return {
    openapi: '3.0.3',
    info,
    servers: [
      {
        url: '.',
        description: 'Wherever this document is served, in production or any other stage',
        'x-internal': false,
      },
    ],
    tags,
    security: [{ oauth2: [] }, { accessToken: [] }],
    paths,
    components: {
      schemas,
      headers,
      responses: Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1))),
      examples: Object.fromEntries(
        (Object.keys(errors) as ErrorName[])
          .filter(name => usedExamples(shared).has(name))
          .map(name => [name, { value: toBody(name) }]),
      ),
      securitySchemes,
    },
  } as Document;
};
