import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { documentFile } from '../../cdk/openapi/document-file.ts';
import { type Document, resolverOf } from '../../cdk/openapi/document-types.ts';
import { examples } from '../../cdk/openapi/fields.ts';
import type { Schema } from '../../cdk/openapi/to-schema.ts';
import { allOperations, type RegisteredOperation } from '../../lib/operations/index.ts';
import { isList } from '../../lib/operations/operation.ts';
import { defaultLimit } from '../../lib/schemas/query.ts';
import { create, createPet, newOrder, setQuantity } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';
import { pathOf, requestOf, send, type World, world } from '../support/requests.ts';
import { simpleResources, storedNouns } from '../support/resources.ts';
import { requiredBody } from '../support/values.ts';

// Tools send what the document says: a default, or an example.

const petstore = usePetstore();
const document: Document = JSON.parse(readFileSync(documentFile, 'utf8'));
const resolve = resolverOf(document);
const documentedOf = ({ path, method }: RegisteredOperation) =>
  document.paths[path]![method.toLowerCase()]!;

/** Examples have the ids of resources that do not exist. */
const existing = (text: string, given: World) => {
  const known: Record<string, unknown> = { ...given, categoryId: given.categoryOfPets };
  const ids = Object.fromEntries(
    storedNouns.map(noun => [`${examples[noun].id}`, known[`${noun}Id`]]),
  );
  return text.replaceAll(/\d{15}/g, id => String(ids[id] ?? id));
};

/** From the field with the name of a parameter, or else from the bounds. */
const exampleOf = (name: string, { format, enum: values, minimum }: Schema, given: World) => {
  const fields = Object.assign({}, ...Object.values(examples), examples.pet);
  const example = format === 'date-time' ? examples.order.shipDate : fields[name];
  const value = example ?? values?.at(-1) ?? minimum;
  return value === undefined ? undefined : existing(String(value), given);
};

describe('a default means the same as its absence, alone and beside each other parameter or field', () => {
  let given: World;
  beforeAll(async () => {
    given = await world(petstore);
    const { petId, categoryOfPets: categoryId } = given;
    await setQuantity(petstore.staff, petId, 1_000);
    for (let count = 0; count <= defaultLimit; count++) {
      await createPet(petstore.staff, categoryId);
      for (const { path, create: id } of simpleResources)
        await create(petstore.staff, path, requiredBody(id, count));
      await newOrder(petstore.staff, petId);
    }
  });

  const defaults = allOperations.flatMap(operation => {
    const { parameters } = documentedOf(operation);
    return parameters.flatMap(({ name, schema }) =>
      schema.default === undefined
        ? []
        : { operation, id: operation.id, name, value: schema.default },
    );
  });

  const ofReads = defaults.filter(({ operation }) => operation.method === 'GET');
  it.each(ofReads)('$name=$value of $id', async ({ operation, name, value }) => {
    /** The response, without what says that the default was sent. */
    const list = async (sent: Record<string, unknown>) => {
      const { 'If-None-Match': tag, ...query } = sent as Record<string, string>;
      const headers: Record<string, string> = tag ? { 'If-None-Match': tag } : {};
      const response = await petstore.staff(
        'GET',
        `${pathOf(operation, given)}?${new URLSearchParams(query)}`,
        { headers },
      );
      const { status, body, text } = response;
      expect([200, 304], text).toContain(status);
      const next = new URLSearchParams(
        /<[^>]*\?([^>]*)>/.exec(response.headers.get('Link') ?? '')?.[1],
      );
      if (next.get(name) === String(value)) next.delete(name);
      return { status, body, tag: response.headers.get('ETag'), next: Object.fromEntries(next) };
    };
    const first = await list({});
    if (isList(operation))
      expect(first.next, 'the default decides what the page has').toHaveProperty('cursor');
    for (const { name: other, in: place, schema } of documentedOf(operation).parameters) {
      if (place === 'path') continue;
      const values = { 'If-None-Match': '*', ...first.next };
      const valid = values[other as keyof typeof values] ?? exampleOf(other, schema, given);
      const remedy = `Add an example of ${other} to cdk/openapi/fields.ts`;
      if (other !== name) expect(valid, remedy).toBeDefined();
      const beside = other === name ? {} : { [other]: valid };
      expect(await list({ ...beside, [name]: value }), other).toEqual(await list(beside));
    }
  });

  const ofBodies = allOperations.flatMap(operation => {
    const { shape = {} } = (operation.request.body ?? {}) as { shape?: z.core.$ZodShape };
    return Object.entries(shape).flatMap(([name, field]) =>
      field instanceof z.ZodMiniDefault
        ? { operation, id: operation.id, name, value: field.def.defaultValue }
        : [],
    );
  });

  it.each(ofBodies)(
    '$name=$value in the body of $id, which an idempotency key proves',
    async of => {
      const { operation, name, value } = of;
      const request = requestOf(operation, given);
      const [content] = Object.values(documentedOf(operation).requestBody!.content);
      const others = Object.entries({
        [name]: undefined,
        ...content!.example,
        ...(request.body as object),
      });
      for (const [other, example] of others) {
        const body = { ...(request.body as object), [other]: example, [name]: undefined };
        const headers = { 'Idempotency-Key': `${name} beside ${other}` };
        const first = await send(petstore, { ...request, as: 'staff', headers, body });
        const again = await send(petstore, {
          ...request,
          as: 'staff',
          headers,
          body: { ...body, [name]: value },
        });
        const isReplayed = again.headers.get('Idempotent-Replayed');
        expect([first.status, isReplayed, again.body], other).toEqual([201, 'true', first.body]);
      }
    },
  );

  const ofWrites = defaults.filter(({ operation }) => operation.method !== 'GET');
  it.each(ofWrites)('$name=$value of $id, which an idempotency key proves', async of => {
    const { operation, name, value } = of;
    const request = { ...requestOf(operation, given), headers: { 'Idempotency-Key': name } };
    const first = await send(petstore, { ...request, as: 'staff' });
    const path = `${request.path}?${name}=${value}`;
    const again = await send(petstore, { ...request, as: 'staff', path });
    const isReplayed = again.headers.get('Idempotent-Replayed');
    expect([first.status, isReplayed, again.body]).toEqual([200, 'true', first.body]);
  });
});

describe('with each example and default, as Bruno imports it, and with ids that exist', () => {
  it.each(allOperations)('$id succeeds again and again', async operation => {
    const given = await world(petstore);
    if (operation.id === 'deleteCategory') given.categoryOfPets = given.categoryId;
    const { parameters, requestBody } = documentedOf(operation);
    const sent = (wanted: string) => {
      const values = parameters.map(({ name, in: place, example, schema }) => {
        const value = example ?? schema.default ?? resolve<Schema>(schema.items ?? {}).example;
        return place === wanted && value !== undefined
          ? [[name, existing([value].flat().join(), given)]]
          : [];
      });
      return Object.fromEntries(values.flat());
    };
    const [content] = Object.values(requestBody?.content ?? {});
    const [path, query] = [pathOf(operation, sent('path')), new URLSearchParams(sent('query'))];
    const request = {
      headers: sent('header'),
      body: content && existing(JSON.stringify(content.example), given),
    };
    for (const _ of operation.method === 'DELETE' ? ['once'] : ['once', 'again']) {
      const { status, headers, body, text } = await petstore.staff(
        operation.method,
        `${path}?${query}`,
        request,
      );
      expect([200, 201, 204], text).toContain(status);
      expect(headers.get('Idempotent-Replayed'), 'each request is executed').toBeNull();
      if (Array.isArray(body))
        expect(body, 'no example selects what this store lacks').not.toEqual([]);
    }
  });
});
