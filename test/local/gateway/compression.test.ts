import { deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { compress, decompress, preferredCoding } from '../../../cdk/local/gateway/compression.ts';

it.each([
  ['GZIP', 'gzip'],
  ['deflate', 'deflate'],
  ['gzip;q=0.5, deflate;q=0.9', 'deflate'],
  ['deflate; q=1.0, gzip ;q=1.0, br', 'gzip'],
  ['br;q=1, gzip;q=0.8', undefined],
  ['gzip;q=0', undefined],
  ['*', undefined],
  ['gzip;q=much', undefined],
])('of Accept-Encoding %j the coding is %s', (acceptEncoding, coding) => {
  expect(preferredCoding(acceptEncoding)).toBe(coding);
});

// test/api/gateway.test.ts tests that the body stays the same. test/stage/requests.test.ts does so for both codings.
it('a response is compressed from the minimum size in bytes on, unless it is encoded or no coding is accepted', () => {
  const result = { status: 200, headers: [['ETag', '"a"']], body: '€'.repeat(342) } as const;
  const encoded = { ...result, headers: [['content-encoding', 'br'] as const] };
  const headers = [...result.headers, ['Content-Encoding', 'gzip']];
  expect(compress(result, 'gzip', 1_026)).toEqual({ ...result, headers, body: gzipSync(result.body) });
  const unchanged = [compress(result, 'gzip', 1_027), compress(result, 'identity', 1), compress(encoded, 'gzip', 1)];
  expect(unchanged).toEqual([result, result, encoded]);
});

const text = Buffer.from('{"name":"Cats"}'.repeat(20));
// test/api/gateway.test.ts has the cases gzip, no coding and an unknown coding.
it.each<[string, Buffer, string, Buffer | undefined]>([
  ['deflate', deflateSync(text), ' Deflate', text],
  ['below the minimum size', Buffer.from('{}'), 'gzip', Buffer.from('{}')],
  ['empty', Buffer.alloc(0), 'br', Buffer.alloc(0)],
  ['in another coding than it says', text, 'gzip', undefined],
  ['larger than the maximum', gzipSync(`${text} `), 'gzip', undefined],
])('a request body is decompressed: %s', (_, body, coding, expected) => {
  expect(decompress(body, coding, { minimum: 10, maximum: 300 })).toEqual(expected);
});
