import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compress, decompress, preferredCoding } from '../../../cdk/local/gateway/compression.ts';

it.each([
  ['gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br', 'gzip'],
  ['gzip;q=0.5, deflate;q=0.9', 'deflate'],
  ['deflate; q=1.0, gzip ;q=1.0', 'gzip'],
  ['br;q=1, gzip;q=0.8', undefined],
  ['gzip;q=0', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['*', undefined],
  ['gzip;q=much', undefined],
  ['', undefined],
])('of Accept-Encoding %j the coding is %s', (acceptEncoding, coding) => {
  expect(preferredCoding(acceptEncoding)).toBe(coding);
});

describe('compress', () => {
  const result = { status: 200, headers: [['ETag', '"a"']], body: '€'.repeat(342) } as const;

  it('encodes a body of the minimum size in bytes, and adds only Content-Encoding', () => {
    const { status, headers, body } = compress(result, 'gzip', 1_026);
    expect([status, ...headers]).toEqual([200, ['ETag', '"a"'], ['Content-Encoding', 'gzip']]);
    expect(gunzipSync(body).toString()).toBe(result.body);
    expect(inflateSync(compress(result, 'deflate', 1_026).body).toString()).toBe(result.body);
  });

  it('does not change a small body, an encoded one, or one for a client that accepts no coding', () => {
    const encoded = { ...result, headers: [['content-encoding', 'br'] as const] };
    expect(compress(result, 'gzip', 1_027)).toBe(result);
    expect(compress(encoded, 'gzip', 1)).toBe(encoded);
    expect(compress(result, 'identity', 1)).toBe(result);
  });
});

describe('decompress', () => {
  const text = Buffer.from('{"name":"Cats"}'.repeat(20));
  const bounds = { minimum: 10, maximum: 300 };

  it('decodes gzip and deflate from the minimum size on, and no body without a coding', () => {
    expect(decompress(gzipSync(text), 'gzip', bounds)).toEqual(text);
    expect(decompress(deflateSync(text), ' Deflate', bounds)).toEqual(text);
    for (const [body, coding] of [
      [text, undefined],
      [text, 'identity'],
      [Buffer.from('{}'), 'gzip'],
      [Buffer.alloc(0), 'br'],
    ] as const)
      expect(decompress(body, coding, bounds)).toBe(body);
  });

  it('rejects an unknown coding, a wrong one, and a decompressed size above the maximum', () => {
    expect(decompress(text, 'br', bounds)).toBeUndefined();
    expect(decompress(text, 'gzip', bounds)).toBeUndefined();
    expect(decompress(gzipSync(text), 'gzip', { minimum: 10, maximum: 299 })).toBeUndefined();
  });
});
