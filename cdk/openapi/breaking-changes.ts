import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from './components.ts';
import { buildDocument } from './document.ts';
import { type Document, type DocumentedOperation, type DocumentedResponse, type Resolve, resolverOf } from './types.ts';

/** The document of the last release; `npm run contract:release` renews it. */
export const releasedFile = join(import.meta.dirname, 'released.json');

interface Sides {
  readonly before: Resolve;
  readonly after: Resolve;
}

type Direction = 'taken' | 'answered';

const lowered = (before: number | undefined, after: number | undefined) =>
  after !== undefined && (before === undefined || after < before);
const raised = (before: number | undefined, after: number | undefined) =>
  after !== undefined && (before === undefined || after > before);

const upperBounds = ['maximum', 'maxLength', 'maxItems'];
const lowerBounds = ['minimum', 'minLength', 'minItems'];

/** What a schema no longer takes, or no longer promises. */
const schemaChanges = (sides: Sides, direction: Direction, where: string, from: Schema, to: Schema): string[] => {
  const [before, after] = [sides.before(from), sides.after(to)];
  if (before.type !== after.type || before.format !== after.format) {
    return [`${where}: type ${before.type} ${before.format ?? ''} became ${after.type} ${after.format ?? ''}`];
  }
  const changes: string[] = [];
  const fields: Record<string, Schema> = before.properties ?? {};
  for (const [name, field] of Object.entries(fields)) {
    const present = after.properties?.[name];
    if (!present) changes.push(`${where}.${name}: removed`);
    else changes.push(...schemaChanges(sides, direction, `${where}.${name}`, field, present));
  }
  if (before.items && after.items)
    changes.push(...schemaChanges(sides, direction, `${where}[]`, before.items, after.items));
  const required = { before: (before.required ?? []) as string[], after: (after.required ?? []) as string[] };
  if (direction === 'answered') {
    for (const name of required.before.filter(field => !required.after.includes(field)))
      changes.push(`${where}.${name}: no longer always there`);
    return changes;
  }
  for (const name of required.after.filter(field => !required.before.includes(field)))
    changes.push(`${where}.${name}: now required`);
  for (const value of (before.enum ?? []) as unknown[])
    if (after.enum && !after.enum.includes(value)) changes.push(`${where}: ${value} is no longer taken`);
  if (after.enum && !before.enum) changes.push(`${where}: now takes ${after.enum} alone`);
  if (after.pattern && after.pattern !== before.pattern) changes.push(`${where}: another pattern`);
  if (before.nullable && !after.nullable) changes.push(`${where}: null is no longer taken`);
  for (const bound of upperBounds)
    if (lowered(before[bound], after[bound])) changes.push(`${where}: ${bound} was lowered to ${after[bound]}`);
  for (const bound of lowerBounds)
    if (raised(before[bound], after[bound])) changes.push(`${where}: ${bound} was raised to ${after[bound]}`);
  return changes;
};

const parameterChanges = (sides: Sides, before: DocumentedOperation, after: DocumentedOperation): string[] => {
  const same = (a: { name: string; in: string }) => (b: { name: string; in: string }) =>
    a.name === b.name && a.in === b.in;
  const kept = before.parameters.flatMap(parameter => {
    const present = after.parameters.find(same(parameter));
    const where = `${parameter.in} ${parameter.name}`;
    return present ? schemaChanges(sides, 'taken', where, parameter.schema, present.schema) : [`${where}: removed`];
  });
  const demanded = after.parameters.filter(
    parameter => parameter.required && !before.parameters.find(same(parameter))?.required,
  );
  return [...kept, ...demanded.map(parameter => `${parameter.in} ${parameter.name}: now required`)];
};

const bodyChanges = (sides: Sides, before: DocumentedOperation, after: DocumentedOperation): string[] => {
  if (!before.requestBody) return after.requestBody ? ['request body: now required'] : [];
  return Object.entries(before.requestBody.content).flatMap(([type, { schema }]) => {
    const present = after.requestBody?.content[type];
    return present
      ? schemaChanges(sides, 'taken', 'request body', schema, present.schema)
      : [`request body: ${type} is no longer taken`];
  });
};

const responseChanges = (sides: Sides, before: DocumentedOperation, after: DocumentedOperation): string[] =>
  Object.entries(before.responses).flatMap(([status, reference]) => {
    const present = after.responses[status];
    if (!present) return [`${status}: removed`];
    const [from, to] = [sides.before<DocumentedResponse>(reference), sides.after<DocumentedResponse>(present)];
    const headers = Object.keys(from.headers).filter(name => !(name in to.headers));
    const bodies = Object.entries(from.content ?? {}).flatMap(([type, { schema }]) => {
      const body = to.content?.[type];
      return body
        ? schemaChanges(sides, 'answered', `${status} body`, schema, body.schema)
        : [`${status}: ${type} is no longer answered`];
    });
    return [...headers.map(name => `${status}: header ${name} removed`), ...bodies];
  });

const scopesOf = ({ security }: DocumentedOperation) => JSON.stringify(security);

/** An operation may break its callers when it is experimental, or when its sunset has passed. */
const mayBreak = (operation: DocumentedOperation, today: string): boolean => {
  const sunset = operation['x-sunset'] as string | undefined;
  return operation['x-stability-level'] === 'experimental' || (sunset !== undefined && sunset < today);
};

/**
 * What callers of a released document would miss in another one: operations, parameters, fields and responses that were
 * removed or narrowed. Additions break nobody.
 * @param today YYYY-MM-DD
 */
export const breakingChanges = (released: Document, current: Document, today: string): string[] => {
  const sides = { before: resolverOf(released), after: resolverOf(current) };
  return Object.entries(released.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, before]) => {
      if (mayBreak(before, today)) return [];
      const after = current.paths[path]?.[method];
      const name = `${method.toUpperCase()} ${path}`;
      if (!after) return [`${name}: removed`];
      const changes = [
        ...(scopesOf(before) === scopesOf(after) ? [] : ['another security requirement']),
        ...(before.operationId === after.operationId ? [] : ['another operationId']),
        ...parameterChanges(sides, before, after),
        ...bodyChanges(sides, before, after),
        ...responseChanges(sides, before, after),
      ];
      return changes.map(change => `${name}: ${change}`);
    }),
  );
};

if (import.meta.main) {
  const released = JSON.parse(readFileSync(releasedFile, 'utf8'));
  const changes = breakingChanges(released, buildDocument(), new Date().toISOString().slice(0, 10));
  if (changes.length > 0) {
    console.error(`These changes break callers of version ${released.info.version}:\n  ${changes.join('\n  ')}`);
    process.exit(1);
  }
  console.log('Nothing breaks the callers of the released document.');
}
