import { headersOf } from '../../lib/errors.ts';
import { commonHeaders } from '../../lib/http/common-headers.ts';
import { acceptPatch } from '../../lib/http/read-body.ts';
import type { Operation } from '../../lib/operations/index.ts';
import type { Described } from './document-types.ts';
import { text } from './to-schema.ts';

const entityTag = { schema: text(64, '^"[0-9A-Za-z_-]+"$'), example: '"c0p9zVwSxUOTNMv8kQ0Jxg"' };

/** Response headers by the names of their components. Life-cycle headers are optional: errors of the gateway lack them. */
export const headers: Record<string, Described> = {
  'X-Request-Id': {
    description: 'The id of this request in the logs',
    schema: text(64, '^[0-9A-Za-z=_-]+$'),
    example: '0f8fad5b-d9cb-469f-a165-70867728950e',
    required: true,
  },
  'Access-Control-Allow-Origin': {
    description: 'CORS: any origin',
    schema: text(16, '^\\*$'),
    example: commonHeaders['Access-Control-Allow-Origin'],
    required: true,
  },
  'Cache-Control': {
    description:
      '`no-cache` for the public catalog and the documentation, `no-store` for everything else',
    schema: text(32, '^no-(cache|store)$'),
    example: 'no-cache',
    required: true,
  },
  ETag: { description: 'Entity tag of the representation; strong', ...entityTag, required: true },
  'Single-ETag': {
    description:
      'Entity tag of the representation, if exactly one id was requested and found; strong',
    ...entityTag,
  },
  Location: {
    description: 'URL of the created resource',
    schema: { type: 'string', format: 'uri' },
    example: 'https://petstore.example.com/pets?id=243719355140437',
    required: true,
  },
  Link: {
    description: 'The next page, as `rel="next"`, if there is one',
    schema: text(4_096, '^<[!-;=?-~]+>; rel="next"$'),
    example:
      '<https://petstore.example.com/pets?limit=20&cursor=1ue3vqsu8ol.mB0Ck7y1bEgTz5PpVw2xQA>; rel="next"',
  },
  'Service-Link': {
    description:
      'The document, as `rel="service-desc"`, and the guide, as `rel="service-doc"` (RFC 8631)',
    schema: text(4_096, '^<[!-;=?-~]+>; rel="service-desc", <[!-;=?-~]+>; rel="service-doc"$'),
    example:
      '<https://petstore.example.com/openapi.json>; rel="service-desc", <https://petstore.example.com/docs/guide.md>; rel="service-doc"',
    required: true,
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the response to an earlier request with the same key',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry',
    schema: { type: 'integer', minimum: 1, maximum: 3_600 },
    example: 1,
    required: true,
  },
  'WWW-Authenticate': {
    description:
      'The authentication scheme. If the stage has revoked the token, API Gateway renames this header to `x-amzn-Remapped-WWW-Authenticate`',
    schema: text(64, '^Bearer '),
    example: headersOf('unauthenticated')['WWW-Authenticate'],
  },
  'Accept-Patch': {
    description: 'The media types of a patch (RFC 5789)',
    schema: text(128, '^[a-z+/-]+, [a-z+/-]+$'),
    example: acceptPatch['Accept-Patch'],
    required: true,
  },
  Deprecation: {
    description: 'The date since which the operation is deprecated (RFC 9745)',
    schema: text(32, '^@[0-9]+$'),
    example: '@1793491200',
  },
  Sunset: {
    description: 'The sunset date: afterwards the operation may return 410 (RFC 8594)',
    schema: text(
      64,
      '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$',
    ),
    example: 'Fri, 31 Dec 2027 23:59:59 GMT',
  },
  'Successor-Link': {
    description: 'The successor, as `rel="successor-version"` (RFC 5829)',
    schema: text(4_096, '^<[!-;=?-~]+>; rel="successor-version"$'),
    example: '<https://petstore.example.com/pets?id=243719355140437>; rel="successor-version"',
  },
  'X-Stability-Level': {
    description: '`beta`: may change within 1.x. `experimental`: may change or end',
    schema: { type: 'string', enum: ['beta', 'experimental'] },
    example: 'beta',
  },
  'Content-Security-Policy': {
    description: 'The origins that the page may load from',
    schema: text(1_024, "^default-src 'none';"),
    example: "default-src 'none'; script-src 'self'; style-src 'self'",
    required: true,
  },
};

export const functionHeaders = ({ deprecated, stability }: Operation): string[] => [
  ...(deprecated ? ['Deprecation', 'Sunset', 'Successor-Link'] : []),
  ...(stability ? ['X-Stability-Level'] : []),
];

/** Headers of every response, including those of the gateway. */
export const headersOfAll = ['X-Request-Id', 'Access-Control-Allow-Origin', 'Cache-Control'];
