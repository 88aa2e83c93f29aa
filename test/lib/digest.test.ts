import { expect, it } from 'vitest';
import { digest } from '../../lib/digest.ts';

it('a digest is the start of the SHA-256 of the JSON text with sorted keys, in base64url', () => {
  // printf '{"a":1}' | openssl dgst -sha256 -binary | basenc --base64url
  expect(digest({ a: 1 })).toBe('AVq9f1zFei3ZS3WQ8ErYCE');
  expect(digest({ b: { d: null, c: [1, 2] }, a: 1 })).toBe(
    digest({ a: 1, b: { c: [1, 2], d: null } }),
  );
});

it('a list differs from its reverse, and from an object with its positions as keys', () => {
  expect(new Set([['a', 'b'], ['b', 'a'], { 0: 'a', 1: 'b' }].map(digest)).size).toBe(3);
});
