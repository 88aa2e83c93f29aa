import type { Check } from '../check.ts';
import { noted } from '../created.ts';

const document = { method: 'GET', path: '/openapi.json' };

/** ETags, 304 and compression of the OpenAPI document, which every stage has, and which is large. */
export const caching: readonly Check[] = [
  {
    name: 'no compression when the client accepts none',
    request: { ...document, headers: { 'Accept-Encoding': 'identity' } },
    expect: { status: 200, headers: { 'Content-Encoding': null, ETag: /^(?:W\/)?"[^"]+"$/ } },
    keep: ({ headers }, { notes }) => notes.set('ETag of the document', headers.get('ETag')!),
  },
  ...['gzip', 'deflate'].map(
    (coding): Check => ({
      name: `compression: ${coding}`,
      request: { ...document, headers: { 'Accept-Encoding': coding } },
      expect: { status: 200, headers: { 'Content-Encoding': coding } },
      source: 'developer guide, "Payload compression for REST APIs"',
    }),
  ),
  {
    name: 'no compression of a small response',
    request: { method: 'GET', path: '/pets?limit=0', headers: { 'Accept-Encoding': 'gzip' } },
    expect: { error: 'invalid_request', headers: { 'Content-Encoding': null } },
  },
  ...['gzip', 'identity'].map(
    (coding): Check => ({
      name: `304: the document is unchanged (Accept-Encoding: ${coding})`,
      request: created => ({
        ...document,
        headers: { 'Accept-Encoding': coding, 'If-None-Match': noted(created, 'ETag of the document') },
      }),
      expect: {
        status: 304,
        headers: { ETag: /./ },
        also: ({ text }) => (text === '' ? undefined : 'it has a body'),
      },
    }),
  ),
  {
    name: '200: the document does not match an invented ETag',
    request: { ...document, headers: { 'If-None-Match': '"another"' } },
    expect: { status: 200 },
  },
];
