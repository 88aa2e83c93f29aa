import { filesOfPage } from '../../lib/docs-files.ts';
import { Id } from '../../lib/schemas/id.ts';
import { petStatuses } from '../../lib/schemas/pet.ts';
import { defaultLimit, maxIds, PageSize } from '../../lib/schemas/query.ts';
import { entityTagPattern, maxKeyLength, sentKey } from '../../lib/schemas/request-headers.ts';
import { ref } from './references.ts';
import { boundsOf, type Schema } from './to-schema.ts';

interface Described {
  readonly description: string;
  readonly schema: Schema;
  /** A value that works, or would. The page shows it and does not fill it in. */
  readonly example: unknown;
  readonly explode?: boolean;
}

const assignedId = boundsOf(Id);
const petId = 243719355140437;
const categoryId = 243719355140436;

/** An id in a query may be larger than any that was assigned: it names nothing, and the list is empty. */
const { maximum: _, ...anyId } = assignedId;

export const pathParameters: Record<string, Described> = {
  petId: { description: 'Id of a pet', schema: assignedId, example: petId },
  categoryId: { description: 'Id of a category', schema: assignedId, example: categoryId },
  orderId: { description: 'Id of an order', schema: assignedId, example: 243719355140438 },
  file: {
    description: 'A file that the page loads',
    schema: { type: 'string', enum: Object.keys(filesOfPage) },
    example: 'page.js',
  },
};

/** How they are written, where the Zod schemas only say how they are read. */
export const queryParameters: Record<string, Described> = {
  status: {
    description: 'Only those in one of these states',
    schema: { type: 'array', maxItems: petStatuses.length, items: ref('schemas', 'PetStatus') },
    explode: true,
    example: ['available'],
  },
  categoryId: { description: 'Only those of this category', schema: anyId, example: categoryId },
  id: {
    description: `Up to ${maxIds} distinct ids, repeated or separated by commas`,
    // Duplicates collapse, and JSON Schema cannot count distinct items.
    schema: { type: 'array', minItems: 1, maxItems: 10 * maxIds, items: anyId },
    explode: true,
    example: [petId],
  },
  complete: {
    description: 'Only those that are complete, or only those that are not',
    schema: { type: 'boolean' },
    example: false,
  },
  limit: {
    description: 'The most items of a page',
    schema: { ...boundsOf(PageSize), default: defaultLimit },
    example: defaultLimit,
  },
  cursor: {
    description:
      'Where the page begins: from the Link of the page before. Opaque, and bound to the filters and the owner',
    schema: { type: 'string', maxLength: 200, pattern: '^[0-9A-Za-z._-]+$' },
    example: '1ue3vqsu8ol.mB0Ck7y1bEgTz5PpVw2xQA',
  },
};

/** RFC 9110, section 13.1.1: `*`, or entity tags with commas between them. */
const tagList = {
  type: 'string',
  // What API Gateway takes of all headers together (developer guide, "quotas").
  maxLength: 10_240,
  pattern: `^(\\*|${entityTagPattern}([ \\t]*,[ \\t]*${entityTagPattern})*)$`,
};
const tag = '"c0p9zVwSxUOTNMv8kQ0Jxg"';

export const headerParameters: Record<string, Described> = {
  'If-Match': {
    description: 'Entity tags, or `*`: the request is carried out only if the resource still has one of them',
    schema: tagList,
    example: tag,
  },
  'If-None-Match': {
    description: 'Entity tags, or `*`: 304 when the resource still has one of them',
    schema: tagList,
    example: tag,
  },
  'Idempotency-Key': {
    description:
      'Makes a repetition of this request, with the same body and within 24 hours, answer the same again instead of creating another. Quoted or bare',
    schema: {
      type: 'string',
      minLength: 1,
      // Two quotes, and two characters for one where it has to be escaped.
      maxLength: 2 + 2 * maxKeyLength,
      pattern: sentKey.source,
    },
    example: '7c5d1a52-3b1e-4a52-9d0c-6a4f6f0f2d11',
  },
};
