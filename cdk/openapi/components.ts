import * as z from 'zod/mini';
import { filesOfPage } from '../../lib/docs-files.ts';
import { Category, NewCategory } from '../../lib/schemas/category.ts';
import { maxId } from '../../lib/schemas/id.ts';
import { InventoryItem, InventoryUpdate } from '../../lib/schemas/inventory.ts';
import { maxOrderQuantity, Order } from '../../lib/schemas/order.ts';
import { NewPet, Pet, PetStatus } from '../../lib/schemas/pet.ts';
import { defaultLimit, maxIds, maxLimit } from '../../lib/schemas/query.ts';
import { maxKeyLength } from '../../lib/schemas/request-headers.ts';
import { resourceServer, scopes } from '../../lib/scopes.ts';
import { scopeDescriptions } from '../scope-descriptions.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema as OpenAPI 3.0 has it
export type Schema = Record<string, any>;

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A Zod schema as OpenAPI 3.0 has it. A date-time's calendar, which a pattern of 500 characters would state, is left to its format. */
export const toSchema = (schema: z.ZodMiniType, io: 'input' | 'output'): Schema => {
  const { $schema, ...converted } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (jsonSchema.type === 'integer')
        jsonSchema.format ??= (jsonSchema.maximum ?? maxId) < 2 ** 31 ? 'int32' : 'int64';
    },
  }) as Schema;
  return converted;
};

const named = (schema: Schema, replaced: Record<string, Schema>): Schema => ({
  ...schema,
  properties: { ...schema.properties, ...replaced },
});

/** Bodies that we answer may grow within 1.x, so they do not forbid further fields; bodies that we take do. */
const answered = (schema: z.ZodMiniType, required: string[]): Schema => {
  const { additionalProperties, required: _, ...open } = toSchema(schema, 'output');
  return { ...open, ...(required.length > 0 && { required }) };
};

const described = (schema: Schema, description: string): Schema => ({ description, ...schema });
const text = (maxLength: number) => ({ type: 'string', maxLength });

/** The component schemas, named and required as in the specification. */
export const schemas: Record<string, Schema> = {
  PetStatus: described(
    toSchema(PetStatus, 'input'),
    'Whether a pet can be ordered. `available` only if at least one unit is free.',
  ),
  NewPet: described(named(toSchema(NewPet, 'input'), { status: ref('PetStatus') }), 'What creates a pet.'),
  Pet: described(
    named(answered(Pet, ['id', 'name', 'categoryId']), { name: text(100), status: ref('PetStatus') }),
    'An animal.',
  ),
  Pets: described({ type: 'array', maxItems: maxLimit, items: ref('Pet') }, 'Animals, newest first.'),
  NewCategory: described(toSchema(NewCategory, 'input'), 'What creates a category.'),
  Category: described(
    named(answered(Category, ['id', 'name']), { name: text(100), description: text(1_000) }),
    'A grouping of animals.',
  ),
  Order: described(
    named(answered(Order, []), {
      quantity: { type: 'integer', format: 'int32', minimum: 1, maximum: maxOrderQuantity },
      shipDate: { type: 'string', format: 'date-time', maxLength: 64 },
    }),
    'A purchase of some units of an animal.',
  ),
  InventoryItem: described(
    named(answered(InventoryItem, ['petId', 'quantity', 'status']), {
      quantity: { type: 'integer', format: 'int64', minimum: 0, maximum: maxId },
      status: ref('PetStatus'),
    }),
    'The free units and the status of a pet.',
  ),
  InventoryUpdate: described(toSchema(InventoryUpdate, 'input'), 'A new count of the free units.'),
  Error: {
    description: 'What went wrong; every error has exactly these fields.',
    type: 'object',
    properties: {
      code: { ...text(64), description: 'Machine-readable error code' },
      message: { ...text(100_000), description: 'Human-readable description of the error' },
      status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, description: 'The HTTP status code' },
    },
    required: ['code', 'message', 'status'],
  },
};

const id = { type: 'integer', format: 'int64', minimum: 1 };

/** Path and query parameters by name; how they are written, where the Zod schemas only say how they are read. */
export const parameters: Record<string, { description: string; schema: Schema; explode?: boolean }> = {
  petId: { description: 'Id of a pet', schema: id },
  categoryId: { description: 'Id of a category', schema: id },
  orderId: { description: 'Id of an order', schema: id },
  file: {
    description: 'A file that the page loads',
    schema: { type: 'string', enum: Object.keys(filesOfPage) },
  },
  status: {
    description: 'Only those in one of these states',
    schema: { type: 'array', maxItems: 3, items: ref('PetStatus') },
    explode: true,
  },
  id: {
    description: `Up to ${maxIds} distinct ids, repeated or separated by commas`,
    schema: { type: 'array', minItems: 1, maxItems: 1_000, items: id },
    explode: true,
  },
  complete: { description: 'Only those that are complete, or only those that are not', schema: { type: 'boolean' } },
  limit: {
    description: 'The most items of a page',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxLimit, default: defaultLimit },
  },
  cursor: {
    description:
      'Where the page begins: from the Link of the page before. Opaque, and bound to the filters and the caller',
    schema: text(200),
  },
};

// Without examples: the page would fill them in, and a request under another's key or tag surprises.
const tagList = text(10_240);

export const requestHeaders: Record<string, { description: string; schema: Schema }> = {
  'If-Match': {
    description: 'Entity tags, or `*`: the request is carried out only if the resource still has one of them',
    schema: tagList,
  },
  'If-None-Match': { description: 'Entity tags, or `*`: 304 when the resource still has one of them', schema: tagList },
  'Idempotency-Key': {
    description:
      'Makes a repetition of this request, with the same body and within 24 hours, answer the same again instead of creating another. Quoted or bare',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: maxKeyLength + 2,
    },
  },
};

/** Response headers by name. Those of the life cycle are not required: a 400 may be the gateway's, which knows nothing of it. */
export const headers: Record<string, { description: string; schema: Schema; required?: true }> = {
  'X-Request-Id': { description: 'Names this request in the logs', schema: text(64), required: true },
  'Access-Control-Allow-Origin': { description: 'CORS: any origin', schema: text(16), required: true },
  'Cache-Control': { description: '`no-cache` or `no-store`', schema: text(32), required: true },
  ETag: { description: 'Entity tag of the representation; strong', schema: text(64), required: true },
  Location: { description: 'Address of what was created', schema: { ...text(2_048), format: 'uri' }, required: true },
  Link: { description: 'The next page, as `rel="next"`, when there is one', schema: text(4_096) },
  'Idempotency-Replayed': {
    description: '`true` when this is the answer to an earlier request with the same key',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before trying again',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 3_600 },
    required: true,
  },
  'WWW-Authenticate': { description: 'How to authenticate', schema: text(64), required: true },
  Deprecation: {
    description: 'Since when the operation is deprecated, as a structured date (RFC 9745)',
    schema: text(32),
  },
  Sunset: { description: 'When the operation may end (RFC 8594)', schema: text(64) },
  'Successor-Link': {
    description: 'What to use instead, as `rel="successor-version"` (RFC 5829)',
    schema: text(4_096),
  },
  'X-Stability-Level': {
    description: 'beta or experimental: may change within 1.x',
    schema: { type: 'string', enum: ['beta', 'experimental'] },
  },
  'Content-Security-Policy': { description: 'What the page may load', schema: text(1_024), required: true },
};

export const securitySchemes = {
  oauth2: {
    type: 'oauth2',
    description:
      'Access tokens of the store’s Amazon Cognito user pool: signed JWTs, checked as RFC8725 asks. Cache them: they live 24 hours.',
    flows: {
      clientCredentials: {
        // Where the document is served, the stage's own takes its place.
        tokenUrl: 'https://petstore.example.com/oauth2/token',
        scopes: Object.fromEntries(scopes.map(scope => [`${resourceServer}/${scope}`, scopeDescriptions[scope]])),
      },
    },
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The same access token, pasted (RFC 6750; checked as RFC8725 asks).',
  },
};
