import { expect, it } from 'vitest';
import { digest } from '../../lib/digest.ts';

it('is one for equal values, in whatever order their keys are written', () => {
  const [value, same] = [
    { a: 1, b: { c: [1, 2], d: null } },
    { b: { d: null, c: [1, 2] }, a: 1 },
  ];
  expect(digest(value)).toBe(digest(same));
  expect(digest(value)).not.toBe(digest({ a: 1, b: { c: [2, 1], d: null } }));
});

it('is as long as 128 bits are', () => {
  expect(digest({})).toMatch(/^[\w-]{22}$/);
});
