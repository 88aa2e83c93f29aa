import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compress, decompress, preferredCoding } from '../../../cdk/local/gateway/compression.ts';

describe('preferredCoding', () => {
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
    ['br', undefined],
    ['gzip;q=much', undefined],
    ['', undefined],
  ])('of %j is %s', (acceptEncoding, coding) => {
    expect(preferredCoding(acceptEncoding)).toBe(coding);
  });
});

describe('compress', () => {
  const result = { status: 200, headers: [['ETag', '"a"']], body: 'a'.repeat(1_024) } as const;

  it('encodes a body of the minimum size, and adds only Content-Encoding', () => {
    const { status, headers, body } = compress(result, 'gzip', 1_024);
    expect([status, headers]).toEqual([
      200,
      [
        ['ETag', '"a"'],
        ['Content-Encoding', 'gzip'],
      ],
    ]);
    expect(gunzipSync(body).toString()).toBe(result.body);
    expect(inflateSync(compress(result, 'deflate', 1_024).body).toString()).toBe(result.body);
  });

  it('counts bytes, not characters', () => {
    expect(compress({ ...result, body: '€'.repeat(342) }, 'gzip', 1_024).headers.length).toBe(2);
  });

  it.each([
    ['a small body', { ...result, body: 'a'.repeat(1_023) }, 'gzip'],
    ['an encoded body', { ...result, headers: [['content-encoding', 'br'] as const] }, 'gzip'],
    ['a body for a client that accepts only identity', result, 'identity'],
  ])('does not change %s', (_, unchanged, acceptEncoding) => {
    expect(compress(unchanged, acceptEncoding, 1_024)).toBe(unchanged);
  });
});

describe('decompress', () => {
  const bounds = { minimum: 10, maximum: 5_000 };
  const text = Buffer.from('{"name":"Cats"}'.repeat(20));

  it('decodes gzip and deflate', () => {
    expect(decompress(gzipSync(text), 'gzip', bounds)).toEqual(text);
    expect(decompress(deflateSync(text), ' Deflate', bounds)).toEqual(text);
  });

  it('does not change a body without a coding or below the minimum', () => {
    expect(decompress(text, undefined, bounds)).toBe(text);
    expect(decompress(text, 'identity', bounds)).toBe(text);
    const empty = Buffer.alloc(0);
    for (const coding of ['gzip', 'br']) expect(decompress(empty, coding, { ...bounds, minimum: 0 })).toBe(empty);
    const small = Buffer.from('{}');
    expect(decompress(small, 'gzip', bounds)).toBe(small);
  });

  it('rejects an unknown coding, a wrong one, and a decompressed size above the maximum', () => {
    expect(decompress(text, 'br', bounds)).toBeUndefined();
    expect(decompress(text, 'gzip', bounds)).toBeUndefined();
    expect(decompress(gzipSync(Buffer.alloc(5_001)), 'gzip', bounds)).toBeUndefined();
  });
});
