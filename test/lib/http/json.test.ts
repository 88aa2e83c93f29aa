import { expect, it } from 'vitest';
import { parseJson } from '../../../lib/http/json.ts';
import { repeatedKeys } from '../../../lib/http/repeated-keys.ts';

it.each([
  ['-0', 0],
  ['1.0', 1],
  ['10e-1', 1],
  ['1.5', 1.5],
  ['0e-5', 0],
  ['9007199254740991', 9007199254740991],
  ['1e999', Number.MAX_VALUE],
  ['-1e999', -Number.MAX_VALUE],
  // A double would round this fraction to an integer.
  ['9007199254740991.4', Number.NaN],
  ['900719925474099.14e+1', Number.NaN],
  ['90071992547409914e-1', Number.NaN],
  ['1.00000000000000000001', Number.NaN],
  ['5000000000000000000000e-1000', Number.NaN],
])('reads %s as %d', (text, value) => {
  expect(parseJson(text)).toBe(value);
});

// If the time grew with the square of the length, it would be half a minute or more, not less than a second.
it.each([
  ['zeros', `1${'0'.repeat(200_000)}1`],
  ['a fraction of zeros', `0.${'0'.repeat(200_000)}1`],
  ['escapes', `"${'\\\\'.repeat(200_000)}"`],
  ['keys', `{${Array.from({ length: 250_000 }, (_, index) => `"${index}":1`)}}`],
])('reads a long run of %s without hanging', { timeout: 10_000 }, (_, body) => {
  expect([typeof parseJson(body), repeatedKeys(body).fields.size]).toEqual([
    typeof JSON.parse(body),
    0,
  ]);
});
