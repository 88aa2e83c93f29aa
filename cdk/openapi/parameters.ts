import { keyLifetimeHours } from '../../lib/key-lifetime.ts';
import { resources } from '../../lib/model/kinds.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { isList } from '../../lib/operations/operation.ts';
import { dateTime } from '../../lib/schemas/date-time.ts';
import { Id } from '../../lib/schemas/id.ts';
import { countable } from '../../lib/schemas/inventory.ts';
import { petStatuses } from '../../lib/schemas/pet.ts';
import { defaultLimit, maxIds, PageSize } from '../../lib/schemas/query.ts';
import { entityTagPattern, maxKeyLength, sentKey } from '../../lib/schemas/request-headers.ts';
import { Name } from '../../lib/schemas/text.ts';
import { onHold } from './descriptions.ts';
import type { Described } from './document-types.ts';
import { examples } from './fields.ts';
import * as page from './page.ts';
import { boundsOf, portable, ref, text } from './to-schema.ts';

const assignedId = boundsOf(Id);

/** An id in a query may be larger than every assigned id. Then the response is an empty list. */
const { maximum: _, ...anyId } = assignedId;

/** `petId` and so on. */
const pathIds = resources.map(({ noun, path }) => {
  const list = allOperations.find(one => one.path === `/${path}` && isList(one));
  const description = `Id of the ${noun}${list ? `, as ${list.id} returns it` : ''}`;
  return [`${noun}Id`, { description, schema: assignedId, example: examples[noun].id }];
});

export const pathParameters: Record<string, Described> = {
  ...Object.fromEntries(pathIds),
  ...page.pathParameters,
};

/** The query parameters in the form that clients send. The Zod schemas have only the parsed form. None has an example: document-types.ts. */
export const queryParameters: Record<string, Described> = {
  status: {
    description: 'Only pets with one of these statuses, repeated or with commas',
    schema: { type: 'array', maxItems: petStatuses.length, items: ref('schemas', 'PetStatus') },
    explode: true,
  },
  // A string, because many generators fail at an enumeration of booleans (openapi-generator #9005, openapi-python-client #785).
  onHold: {
    description: `\`true\`: only pets ${onHold}. Cannot be combined with \`status\``,
    schema: { type: 'string', enum: ['true'] },
  },
  units: {
    description:
      '`stocked`: `quantity` counts all units in the shop, those in open orders included',
    schema: { type: 'string', enum: countable, default: countable[0] },
  },
  categoryId: { description: 'Only pets of this category', schema: anyId },
  name: {
    description:
      'Only pets of this name. Letter case, accents and kinds of spaces do not count. Cannot be combined with `status` or `categoryId`',
    schema: boundsOf(Name),
  },
  id: {
    description: `Up to ${maxIds} distinct ids: repeat the parameter, or separate ids with commas. Cannot be combined with \`cursor\``,
    // `maxItems` is larger than the number of distinct ids, because JSON Schema cannot count duplicates once.
    schema: { type: 'array', minItems: 1, maxItems: 10 * maxIds, items: anyId },
    explode: true,
  },
  complete: {
    description: '`true`: only complete orders; `false`: only open orders',
    schema: { type: 'boolean' },
  },
  petId: {
    description: 'Only orders for this pet. Needs scope `petstore/orders.manage`',
    schema: anyId,
  },
  placedFrom: {
    description:
      'Only orders that were placed at this time or later. An RFC 3339 date-time, such as `2027-01-04T00:00:00Z`; write `+` as `%2B`',
    schema: boundsOf(dateTime()),
  },
  placedBefore: {
    description: 'Only orders that were placed before this time, which is after `placedFrom`',
    schema: boundsOf(dateTime()),
  },
  limit: {
    description: 'The maximum number of items per page',
    schema: { ...boundsOf(PageSize), default: defaultLimit },
  },
  cursor: {
    description:
      'The start of the page, from the `Link` of the previous page. Opaque, and valid only for the same operation, filters and owner',
    schema: text(200, '^[0-9A-Za-z._-]+$'),
  },
};

/** RFC 9110, section 13.1.1: `*`, or entity tags with commas between them; elements may be empty (section 5.6.1.2). */
const tagsPattern = `^[ \\t,]*(\\*|${entityTagPattern}([ \\t]*,[ \\t,]*${entityTagPattern})*[ \\t,]*)`;
/** API Gateway's limit for all headers together (developer guide, "quotas"). */
const maxHeaders = 10_240;

export const headerParameters: Record<string, Described> = {
  'If-Match': {
    description:
      'Entity tags such as `"c0p9"`, or `*`. Returns 412 if the resource has none of them',
    schema: text(maxHeaders, `${tagsPattern}$`),
  },
  'If-None-Match': {
    description:
      'Entity tags such as `"c0p9"`, or `*`. If the resource has one of them, GET returns 304; PUT, PATCH and DELETE return 412',
    // An empty list is as if absent.
    schema: { type: 'string', maxLength: maxHeaders, pattern: portable(`${tagsPattern}?$`) },
  },
  'Idempotency-Key': {
    description: `A key that you choose, such as a UUID, quoted or unquoted. The same request with the same key within ${keyLifetimeHours} hours returns the same response, and changes nothing`,
    schema: {
      type: 'string',
      minLength: 1,
      // The key can have two quotes, and each character can be escaped.
      maxLength: 2 + 2 * maxKeyLength,
      pattern: portable(sentKey.source),
    },
  },
};
