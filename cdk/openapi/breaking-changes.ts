import type { RegisteredOperation } from '../../lib/operations/index.ts';
import { type Document, type DocumentedOperation, type DocumentedResponse, resolverOf } from './document-types.ts';
import { type Sides, schemaChanges } from './schema-changes.ts';

const parameterChanges = (sides: Sides, before: DocumentedOperation, after: DocumentedOperation): string[] => {
  const same = (a: { name: string; in: string }) => (b: { name: string; in: string }) =>
    a.name === b.name && a.in === b.in;
  const changed = before.parameters.flatMap(parameter => {
    const current = after.parameters.find(same(parameter));
    const where = `${parameter.in} ${parameter.name}`;
    return current ? schemaChanges(sides, 'request', where, parameter.schema, current.schema) : [`${where}: removed`];
  });
  const nowRequired = after.parameters.filter(
    parameter => parameter.required && !before.parameters.find(same(parameter))?.required,
  );
  return [...changed, ...nowRequired.map(parameter => `${parameter.in} ${parameter.name}: now required`)];
};

const bodyChanges = (sides: Sides, before: DocumentedOperation, after: DocumentedOperation): string[] => {
  if (!before.requestBody) return after.requestBody ? ['request body: now required'] : [];
  return Object.entries(before.requestBody.content).flatMap(([type, { schema }]) => {
    const current = after.requestBody?.content[type];
    return current
      ? schemaChanges(sides, 'request', 'request body', schema, current.schema)
      : [`request body: ${type} is no longer accepted`];
  });
};

const responseChanges = (sides: Sides, before: DocumentedOperation, after: DocumentedOperation): string[] =>
  Object.entries(before.responses).flatMap(([status, reference]) => {
    const current = after.responses[status];
    if (!current) return [`${status}: removed`];
    const [from, to] = [sides.before<DocumentedResponse>(reference), sides.after<DocumentedResponse>(current)];
    const headers = Object.keys(from.headers).filter(name => !(name in to.headers));
    const bodies = Object.entries(from.content ?? {}).flatMap(([type, { schema }]) => {
      const body = to.content?.[type];
      return body
        ? schemaChanges(sides, 'response', `${status} body`, schema, body.schema)
        : [`${status}: ${type} is no longer returned`];
    });
    const codes = new Set(codesOf(to, sides.after));
    const removed = codesOf(from, sides.before).filter(code => !codes.has(code));
    return [
      ...headers.map(name => `${status}: header ${name} removed`),
      ...[...new Set(removed)].map(code => `${status}: code ${code} is no longer returned`),
      ...bodies,
    ];
  });

const scopesOf = ({ security }: DocumentedOperation) => JSON.stringify(security);

/** The error codes of a response. Callers depend on them. */
const codesOf = ({ content }: DocumentedResponse, resolve: Sides['before']): string[] => {
  const examples = (content?.['application/json']?.examples ?? {}) as Record<string, { value: { code: string } }>;
  return Object.values(examples).map(example => resolve(example).value.code);
};

/** Experimental operations, and operations after their sunset, may have breaking changes. */
const mayBreak = (operation: DocumentedOperation, today: string): boolean => {
  const sunset = operation['x-sunset'] as string | undefined;
  return operation['x-stability-level'] === 'experimental' || (sunset !== undefined && sunset < today);
};

const operationIdChange = (before: string, after: string): string[] =>
  before === after
    ? []
    : [`operationId ${before} became ${after}, and with it the name of a method of every generated client`];

/** Operations with another id than in the released document. No document can be built from a registry with such ids. */
export const renamedOperations = (released: Document, registry: readonly RegisteredOperation[]): string[] =>
  registry.flatMap(({ id, method, path }) => {
    const before = released.paths[path]?.[method.toLowerCase()];
    return before ? operationIdChange(before.operationId, id).map(change => `${method} ${path}: ${change}`) : [];
  });

/** Removed event types, and breaking changes of the others. */
const eventChanges = (sides: Sides, released: Document, current: Document): string[] =>
  Object.entries(released['x-webhooks'] ?? {}).flatMap(([type, { post: before }]) => {
    const after = current['x-webhooks']?.[type]?.post;
    if (!after) return [`event ${type}: removed`];
    return Object.entries(before?.requestBody?.content ?? {}).flatMap(([mediaType, { schema }]) => {
      const current = after.requestBody?.content[mediaType];
      return current
        ? schemaChanges(sides, 'response', `event ${type}`, schema, current.schema)
        : [`event ${type}: ${mediaType} is no longer sent`];
    });
  });

/**
 * The breaking changes since the released document: operations, parameters, fields, responses, error codes and events that
 * were removed, renamed or restricted. Additions are compatible, except a new value of an enumeration in a response.
 * @param today YYYY-MM-DD
 */
export const breakingChanges = (released: Document, current: Document, today: string): string[] => {
  const sides = { before: resolverOf(released), after: resolverOf(current) };
  const changes = Object.entries(released.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, before]) => {
      if (mayBreak(before, today)) return [];
      const after = current.paths[path]?.[method];
      const name = `${method.toUpperCase()} ${path}`;
      if (!after) return [`${name}: removed`];
      const changes = [
        ...(scopesOf(before) === scopesOf(after) ? [] : ['another security requirement']),
        ...operationIdChange(before.operationId, after.operationId),
        ...parameterChanges(sides, before, after),
        ...bodyChanges(sides, before, after),
        ...responseChanges(sides, before, after),
      ];
      return changes.map(change => `${name}: ${change}`);
    }),
  );
  return [...changes, ...eventChanges(sides, released, current)];
};
