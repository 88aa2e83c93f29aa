import { describe, expect, it } from 'vitest';
import { breakingChanges } from '../../cdk/openapi/breaking-changes.ts';
import { buildDocument } from '../../cdk/openapi/document.ts';

/** Changes a document, which has names for some of its parts. */
// biome-ignore lint/suspicious/noExplicitAny: any part of a document
type Change = (document: Record<string, any>) => void;

const released = buildDocument();
const changed = (change: Change) => {
  const copy = structuredClone(released);
  const { paths, components, 'x-webhooks': events } = copy;
  const { schemas, examples } = components;
  const { Pet, NewPet, PetStatus, Error: error } = schemas;
  const { get: list, post: create } = paths['/pets']!;
  const operations = { list, create, remove: paths['/pets/{petId}']!.delete };
  const { status, limit } = Object.fromEntries(list!.parameters.map(parameter => [parameter.name, parameter]));
  const { name: newName, categoryId: newId } = NewPet!.properties;
  const enumerations = { statuses: PetStatus!.enum, codes: error!.properties.code };
  const fields = { Pet, NewPet, newName, newId, name: Pet!.properties.name, ...enumerations };
  change({ paths, events, schemas, examples, ...operations, status, limit, ...fields });
  return copy;
};
const found = (change: Change, today = '2026-12-01') => breakingChanges(released, changed(change), today);

const required = { name: 'X', in: 'header', required: true };
const statuses = '["available","pending","sold"]';
const newPet = 'post /pets requestBody content application/json schema';
const created = 'post /pets responses 201 content application/json schema';
const listed = 'get /pets responses 200 content application/json schema items properties';
const placed = 'event petstore.order.placed';
const sent = `${placed} post requestBody content application/cloudevents+json`;

describe('breaking changes', () => {
  it.each<[string, Change]>([
    ['get /pets: removed', d => delete d.paths['/pets'].get],
    ['post /pets operationId: "createPet" became "x"', d => (d.create.operationId = 'x')],
    ['get /pets security: [] became [{}]', d => d.list.security.push({})],
    ['get /pets parameters query status: removed', d => d.list.parameters.shift()],
    ['get /pets parameters query status required: undefined became true', d => (d.status.required = true)],
    ['get /pets parameters header X: now required', d => d.list.parameters.push(required)],
    ['get /pets parameters query limit schema maximum: 100 became 50', d => (d.limit.schema.maximum = 50)],
    ['delete /pets/{petId} requestBody: now required', d => (d.remove.requestBody = { required: true })],
    ['post /pets requestBody content application/json: removed', d => (d.create.requestBody.content = {})],
    [`${newPet} properties status: removed`, d => delete d.NewPet.properties.status],
    [`${newPet} properties name maxLength: 100 became 10`, d => (d.newName.maxLength = 10)],
    [`${newPet} properties name minLength: 1 became 2`, d => (d.newName.minLength = 2)],
    [`${newPet} properties categoryId pattern: undefined became "1"`, d => (d.newId.pattern = '1')],
    [`${newPet} properties name enum: undefined became ["Tom"]`, d => (d.newName.enum = ['Tom'])],
    [`${newPet} properties status enum: ${statuses} became ["available","pending"]`, d => d.statuses.pop()],
    [`${newPet} required: ["name","categoryId"] became ["name","categoryId","x"]`, d => d.NewPet.required.push('x')],
    [`${listed} status enum: ${statuses} became undefined`, d => delete d.schemas.PetStatus.enum],
    [`${listed} status enum: ${statuses} became ["available","pending","sold","x"]`, d => d.statuses.push('x')],
    [`${listed} name nullable: undefined became true`, d => (d.name.nullable = true)],
    [`${listed} name type: "string" became "object"`, d => (d.name.type = 'object')],
    [`${listed} id format: "int64" became "int32"`, d => (d.Pet.properties.id.format = 'int32')],
    [`${created} properties name: removed`, d => delete d.Pet.properties.name],
    [`${created} required: ["id","name","categoryId"] became ["name","categoryId"]`, d => d.Pet.required.shift()],
    ['post /pets responses 201 headers Location: removed', d => delete d.create.responses['201'].headers.Location],
    ['delete /pets/{petId} responses 409: removed', d => delete d.remove.responses['409']],
    [
      'delete /pets/{petId} responses 404 content application/json codes: ["pet_not_found"] became ["x"]',
      d => (d.examples.pet_not_found.value.code = 'x'),
    ],
    [`${placed}: removed`, d => delete d.events['petstore.order.placed']],
    [`${sent}: removed`, d => (d.events['petstore.order.placed'].post.requestBody.content = {})],
    [`${sent} schema properties subject: removed`, d => delete d.schemas.OrderEvent.properties.subject],
  ])('finds "%s"', (expected, change) => {
    expect(found(change)).toContain(expected);
  });

  it('finds null and a known value that are gone', () => {
    const nullable = changed(d => (d.newName.nullable = true));
    const expected = `${newPet} properties name nullable: true became undefined`;
    expect(breakingChanges(nullable, released, '')).toEqual([expected]);
    const [first] = found(d => d.codes['x-extensible-enum'].shift());
    expect(first).toMatch(/^get \/pets responses 400 .* code x-extensible-enum: /);
  });

  it.each<[string, Change]>([
    ['a path', d => (d.paths['/toys'] = d.paths['/pets'])],
    ['a field of a response', d => (d.Pet.properties.age = { type: 'integer' })],
    ['an optional parameter', d => d.list.parameters.push({ name: 'name', in: 'query' })],
    ['a response header', d => (d.list.responses['200'].headers.X = { required: true })],
    ['a higher maximum', d => (d.limit.schema.maximum = 200)],
    ['an error code', d => d.codes['x-extensible-enum'].push('too_early')],
    ['an event type', d => (d.events['petstore.pet.lent'] = d.events['petstore.pet.updated'])],
    ['a text', d => (d.list.description = 'Other words.')],
    ['a change of an experimental operation', d => delete d.paths['/store/orders/{orderId}'].patch],
  ])('allows %s', (_, change) => {
    expect(found(change)).toEqual([]);
  });

  it('allows the removal of an operation after its sunset', () => {
    const removal: Change = d => delete d.paths['/pets/{petId}'].get;
    expect(found(removal)).toEqual(['get /pets/{petId}: removed']);
    expect(found(removal, '2028-01-01')).toEqual([]);
  });
});
