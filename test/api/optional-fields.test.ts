import { expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { allOperations, type RegisteredOperation } from '../../lib/operations/index.ts';
import { successOf } from '../../lib/operations/operation.ts';
import { createCategory, stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

/**
 * The rule of optional fields, derived from the schemas: a field that is optional in the representation is removed by a PUT
 * without it, and by `null` in a PATCH. A field that the representation always has keeps its value without it, and `null`
 * is rejected.
 */

const petstore = usePetstore();

type Shape = Readonly<Record<string, z.ZodMiniType>>;
const shapeOf = (schema: unknown): Shape => (schema as { shape?: Shape } | null | undefined)?.shape ?? {};
const isOptional = (schema: z.ZodMiniType) => schema.safeParse(undefined).success;

/** The smallest body of each creation. */
const bodies: Readonly<Record<string, () => Promise<object>>> = {
  createPet: async () => ({ name: 'Tom', categoryId: (await createCategory(petstore.staff)).id }),
  createCategory: async () => ({ name: 'Cats' }),
  placeOrder: async () => ({ petId: (await stockedPet(petstore.staff, 9)).id }),
};

/** A value of a field that is not its default. */
const sampleOf = (field: string, schema: z.ZodMiniType): unknown => {
  const samples = ['A sample', '2031-01-02T03:04:05Z', 7, true, 'pending'];
  const sample = samples.find(value => schema.safeParse(value).success);
  if (sample === undefined) throw new Error(`No sample fits the field ${field}: add one to this test.`);
  return sample;
};

interface Change {
  readonly operation: RegisteredOperation;
  readonly creation: RegisteredOperation;
  readonly field: string;
  readonly schema: z.ZodMiniType;
}

/** The fields of the representations of every operation with this method, and the operation that creates the resource. */
const changesOf = (wanted: string): Change[] =>
  allOperations
    .filter(({ method }) => method === wanted)
    .flatMap(operation => {
      const representation = successOf(operation).body;
      const creation = allOperations.find(
        candidate => candidate.method === 'POST' && successOf(candidate).body === representation,
      );
      if (!creation) return [];
      return Object.entries(shapeOf(representation)).map(([field, schema]) => ({ operation, creation, field, schema }));
    });

const create = async ({ creation, field }: Change, withField: boolean) => {
  const minimal = await bodies[creation.id]!();
  const schema = shapeOf(creation.request.body)[field];
  const sample = withField && schema ? { [field]: sampleOf(field, schema) } : {};
  const { status, body } = await petstore.staff('POST', creation.path, { body: { ...minimal, ...sample } });
  expect([status, body]).toEqual([201, expect.objectContaining(sample)]);
  return { minimal, created: body };
};
const pathOf = ({ operation }: Change, id: number) => operation.path.replace(/{\w+}/, String(id));

const puts = changesOf('PUT');
const patches = changesOf('PATCH');
const nameOf = (change: Change) => [`${change.operation.id}: ${change.field}`, change] as const;

it('the response schemas have optional and required fields', () => {
  const kinds = [puts, patches].map(changes => new Set(changes.map(({ schema }) => isOptional(schema))));
  expect(kinds.map(kind => kind.size)).toEqual([2, 2]);
});

it.each(puts.filter(({ schema }) => isOptional(schema)).map(nameOf))(
  'PUT removes the optional field of %s when the body omits it',
  async (_, change) => {
    expect(Object.keys(shapeOf(change.operation.request.body)), 'the PUT accepts the field').toContain(change.field);
    const { minimal, created } = await create(change, true);
    const { status, body } = await petstore.staff('PUT', pathOf(change, created.id), { body: minimal });
    expect([status, Object.keys(body)]).toEqual([200, expect.not.arrayContaining([change.field])]);
  },
);

it.each(puts.filter(({ schema }) => !isOptional(schema)).map(nameOf))(
  'PUT keeps the required field of %s when the body omits it, or returns 400',
  async (_, change) => {
    const schema = shapeOf(change.operation.request.body)[change.field]!;
    const { minimal, created } = await create(change, isOptional(schema));
    const sent: Record<string, unknown> = { ...minimal };
    delete sent[change.field];
    const { status, body } = await petstore.staff('PUT', pathOf(change, created.id), { body: sent });
    expect([status, body]).toEqual(
      isOptional(schema)
        ? [200, expect.objectContaining({ [change.field]: created[change.field] })]
        : [400, expect.objectContaining({ message: `body.${change.field}: required` })],
    );
  },
);

it.each(patches.filter(({ schema }) => isOptional(schema)).map(nameOf))(
  'PATCH with null removes the optional field of %s',
  async (_, change) => {
    expect(Object.keys(shapeOf(change.operation.request.body)), 'the PATCH accepts the field').toContain(change.field);
    const { created } = await create(change, true);
    const path = pathOf(change, created.id);
    const unchanged = await petstore.staff('PATCH', path, { body: {} });
    expect(unchanged.body).toEqual(created);
    const { status, body } = await petstore.staff('PATCH', path, { body: { [change.field]: null } });
    expect([status, Object.keys(body)]).toEqual([200, expect.not.arrayContaining([change.field])]);
  },
);

it.each(patches.filter(({ schema }) => !isOptional(schema)).map(nameOf))(
  'PATCH with null returns 400 for the required field of %s',
  async (_, change) => {
    const { created } = await create(change, false);
    const { status } = await petstore.staff('PATCH', pathOf(change, created.id), { body: { [change.field]: null } });
    expect(status).toBe(400);
  },
);
