import { describe, expect, it } from 'vitest';
import { breakingChanges, renamedOperations } from '../../cdk/openapi/breaking-changes.ts';
import { buildDocument } from '../../cdk/openapi/document.ts';
import type { Document } from '../../cdk/openapi/document-types.ts';
import { allOperations } from '../../lib/operations/index.ts';

describe('breaking changes', () => {
  const released = buildDocument();
  // biome-ignore lint/suspicious/noExplicitAny: a document to change
  const changed = (change: (document: any) => void): Document => {
    const copy = structuredClone(released);
    change(copy);
    return copy;
  };
  const found = (change: Parameters<typeof changed>[0], today = '2026-12-01') =>
    breakingChanges(released, changed(change), today);

  it.each<[string, Parameters<typeof changed>[0]]>([
    ['GET /pets: removed', d => delete d.paths['/pets'].get],
    ['GET /pets: query status: removed', d => d.paths['/pets'].get.parameters.splice(0, 1)],
    [
      'GET /pets: query limit: maximum was lowered to 50',
      d => Object.assign(d.paths['/pets'].get.parameters[3].schema, { maximum: 50 }),
    ],
    ['POST /pets: request body.status: removed', d => delete d.components.schemas.NewPet.properties.status],
    [
      'POST /pets: request body.name: maxLength was lowered to 10',
      d => Object.assign(d.components.schemas.NewPet.properties.name, { maxLength: 10 }),
    ],
    ['POST /pets: request body.status: sold is no longer accepted', d => d.components.schemas.PetStatus.enum.pop()],
    [
      'PUT /pets/{petId}: request body: application/json is no longer accepted',
      d => delete d.paths['/pets/{petId}'].put.requestBody.content['application/json'],
    ],
    [
      'PATCH /pets/{petId}: operationId updatePet became changePet, and with it the name of a method of every generated client',
      d => Object.assign(d.paths['/pets/{petId}'].patch, { operationId: 'changePet' }),
    ],
    [
      'GET /pets: 400 body.code: pet_not_found is no longer among the known values',
      d => {
        const { code } = d.components.schemas.Error.properties;
        code['x-extensible-enum'] = code['x-extensible-enum'].map((known: string) =>
          known === 'pet_not_found' ? 'no_such_pet' : known,
        );
      },
    ],
    [
      'DELETE /pets/{petId}: 404: code pet_not_found is no longer returned',
      d => Object.assign(d.components.examples.pet_not_found.value, { code: 'no_such_pet' }),
    ],
    [
      'GET /pets: 200 body[].status: adopted is new to callers',
      d => d.components.schemas.PetStatus.enum.push('adopted'),
    ],
    [
      'GET /pets: 200 body[].status: no longer one of available,pending,sold',
      d => delete d.components.schemas.PetStatus.enum,
    ],
    [
      'GET /pets: 200 body[].name: null is new to callers',
      d => Object.assign(d.components.schemas.Pet.properties.name, { nullable: true }),
    ],
    ['POST /pets: 201 body.name: removed', d => delete d.components.schemas.Pet.properties.name],
    ['POST /pets: 201 body.id: no longer required', d => d.components.schemas.Pet.required.shift()],
    ['POST /pets: 201: header Location removed', d => delete d.paths['/pets'].post.responses['201'].headers.Location],
    ['DELETE /pets/{petId}: 409: removed', d => delete d.paths['/pets/{petId}'].delete.responses['409']],
    [
      'POST /pets: another security requirement',
      d => Object.assign(d.paths['/pets'].post, { security: [{ oauth2: ['petstore/admin'] }] }),
    ],
    [
      'POST /pets: header X-Shop: now required',
      d => d.paths['/pets'].post.parameters.push({ name: 'X-Shop', in: 'header', required: true, schema: {} }),
    ],
  ])('finds "%s"', (expected, change) => {
    expect(found(change)).toContain(expected);
  });

  const webhookOf = (data: object) => ({
    post: {
      requestBody: { content: { 'application/cloudevents+json': { schema: { type: 'object', properties: data } } } },
    },
  });
  const placed = 'petstore.order.placed';
  const withEvents = changed(d =>
    Object.assign(d, { 'x-webhooks': { [placed]: webhookOf({ subject: { type: 'string' } }) } }),
  );

  it.each<[string, Parameters<typeof changed>[0]]>([
    [`event ${placed}: removed`, d => Object.assign(d, { 'x-webhooks': {} })],
    [`event ${placed}.subject: removed`, d => Object.assign(d, { 'x-webhooks': { [placed]: webhookOf({}) } })],
    [
      `event ${placed}: application/cloudevents+json is no longer sent`,
      d => Object.assign(d, { 'x-webhooks': { [placed]: { post: {} } } }),
    ],
  ])('finds "%s"', (expected, change) => {
    expect(breakingChanges(withEvents, changed(change), '2026-12-01')).toEqual([expected]);
  });

  it('allows a new event type', () => {
    const more = changed(d =>
      Object.assign((d as unknown as { 'x-webhooks': object })['x-webhooks'], { 'petstore.pet.lent': webhookOf({}) }),
    );
    expect(breakingChanges(released, more, '2026-12-01')).toEqual([]);
  });

  it('finds a renamed operation before a document can be built', () => {
    const registry = allOperations.map(entry =>
      entry.id === 'updatePet' ? { ...entry, id: 'changePet' as never } : entry,
    );
    expect(renamedOperations(released, allOperations)).toEqual([]);
    expect(renamedOperations(released, registry)).toEqual([
      expect.stringContaining('PATCH /pets/{petId}: operationId updatePet became changePet'),
    ]);
    expect(() => buildDocument(registry)).toThrow(
      'changePet has no description. Add it to cdk/openapi/descriptions.ts.',
    );
  });

  it('allows a new error code', () => {
    expect(found(d => d.components.schemas.Error.properties.code['x-extensible-enum'].push('too_early'))).toEqual([]);
  });

  it('allows additions, and changes of operations that are experimental or past their sunset', () => {
    expect(found(d => Object.assign(d.paths, { '/toys': d.paths['/pets'] }))).toEqual([]);
    expect(found(d => Object.assign(d.components.schemas.Pet.properties, { age: { type: 'integer' } }))).toEqual([]);
    expect(found(d => delete d.paths['/store/orders/{orderId}'].patch)).toEqual([]);
    expect(found(d => delete d.paths['/pets/{petId}'].get)).toEqual(['GET /pets/{petId}: removed']);
    expect(found(d => delete d.paths['/pets/{petId}'].get, '2028-01-01')).toEqual([]);
  });
});
