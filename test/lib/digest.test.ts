import { expect, it } from 'vitest';
import { digest } from '../../lib/digest.ts';

it('equal values have the same digest, whatever the order of their keys', () => {
  const [value, same] = [
    { a: 1, b: { c: [1, 2], d: null } },
    { b: { d: null, c: [1, 2] }, a: 1 },
  ];
  expect(digest(value)).toBe(digest(same));
  expect(digest(value)).not.toBe(digest({ a: 1, b: { c: [2, 1], d: null } }));
});

it('a digest has 128 bits', () => {
  expect(digest({})).toMatch(/^[\w-]{22}$/);
});

it('a digest is the start of the SHA-256 of the JSON text, in base64url', () => {
  // printf '{"a":1}' | openssl dgst -sha256 -binary | basenc --base64url
  expect(digest({ a: 1 })).toBe('AVq9f1zFei3ZS3WQ8ErYCE');
});

it('a list and an object with its positions as keys have different digests', () => {
  expect(digest(['a', 'b'])).not.toBe(digest({ 0: 'a', 1: 'b' }));
});
