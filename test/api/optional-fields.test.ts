import { expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { allOperations, type RegisteredOperation } from '../../lib/operations/index.ts';
import { successOf } from '../../lib/operations/operation.ts';
import { usePetstore } from '../support/petstore.ts';
import { requestOf, world } from '../support/requests.ts';

/**
 * The rule of optional fields, derived from the schemas: a field that is optional in the representation is removed by a PUT
 * without it, and by `null` in a PATCH. A field that the representation always has keeps its value without it, and `null`
 * is rejected.
 */

const petstore = usePetstore();

type Shape = Readonly<Record<string, z.ZodMiniType>>;
const shapeOf = (schema: unknown): Shape => (schema as { shape?: Shape } | null | undefined)?.shape ?? {};
const isOptional = (schema: z.ZodMiniType) => schema.safeParse(undefined).success;

/** A value of a field that is not its default. */
const sampleOf = (schema: z.ZodMiniType): unknown =>
  ['A sample', '2031-01-02T03:04:05Z', 7, true, 'pending'].find(value => schema.safeParse(value).success);

/** The fields of each PUT and PATCH whose resource a POST creates. */
const changes = allOperations.flatMap(operation => {
  const representation = successOf(operation).body;
  const isCreation = (other: RegisteredOperation) =>
    other.method === 'POST' && successOf(other).body === representation;
  const creation = allOperations.find(isCreation);
  if (!creation || !['PUT', 'PATCH'].includes(operation.method)) return [];
  return Object.entries(shapeOf(representation)).map(([field, schema]) => {
    const [sent, created] = [operation, creation].map(({ request }) => shapeOf(request.body)[field]);
    return { operation, creation, field, sent, created, kind: `${operation.method} ${isOptional(schema)}` };
  });
});

it('the response schemas have optional and required fields', () => {
  expect(new Set(changes.map(({ kind }) => kind)).size).toBe(4);
});

it.each(changes.map(change => [change.operation.id, change.field, change] as const))(
  '%s treats the absent or null field %s by the rule',
  async (_, field, { operation, creation, sent, created, kind }) => {
    const { body: minimal } = requestOf(creation, await world(petstore)) as { body: Record<string, unknown> };
    const sample = created && !(field in minimal) ? { [field]: sampleOf(created) } : {};
    const { status, body: before } = await petstore.staff('POST', creation.path, { body: { ...minimal, ...sample } });
    expect([status, before], 'a sample fits the field').toEqual([201, expect.objectContaining(sample)]);
    const { [field]: __, ...others } = minimal;
    const body = operation.method === 'PUT' ? others : { [field]: null };
    const path = operation.path.replace(/{\w+}/, before.id);
    const after = await petstore.staff(operation.method, path, { body });
    const { [field]: removed, ...kept } = before;
    if (kind.endsWith('true'))
      expect([sent && removed !== undefined, after.status, after.body]).toEqual([true, 200, kept]);
    else if (kind === 'PUT false' && (!sent || isOptional(sent)))
      expect([after.status, after.body]).toEqual([200, expect.objectContaining({ [field]: before[field] })]);
    else expect([after.status, after.body.message]).toEqual([400, expect.stringMatching(`^body\\.${field}: `)]);
  },
);
