import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../lib/http/json.ts';
import { repeatedKeys } from '../../../lib/http/repeated-keys.ts';

describe('parseJson', () => {
  it.each([
    ['1', 1],
    ['-0', 0],
    ['1.0', 1],
    ['1e2', 100],
    ['10e-1', 1],
    ['1.5', 1.5],
    ['-1.0', -1],
    ['1E2', 100],
    ['1e+2', 100],
    ['0.0', 0],
    ['0e-5', 0],
    ['0.5', 0.5],
    ['9007199254740991', 9007199254740991],
    ['1e999', Number.MAX_VALUE],
    ['-1e999', -Number.MAX_VALUE],
  ])('reads %s as %d', (text, value) => {
    expect(parseJson(text)).toBe(value);
  });

  it.each([
    '9007199254740991.4',
    '-9007199254740991.4',
    '9007199254740991.4E0',
    '900719925474099.14e+1',
    '90071992547409914e-1',
    '1.00000000000000000001',
    '1e-400',
    '5000000000000000000000e-1000',
  ])('does not round %s to an integer', text => {
    const value = parseJson(text);
    expect(Number.isInteger(value)).toBe(false);
  });
});

/** The minimum of several runs, in milliseconds: other load on the machine only increases it. */
const leastTime = (work: () => unknown): number =>
  Math.min(
    ...Array.from({ length: 9 }, () => {
      const start = performance.now();
      work();
      return performance.now() - start;
    }),
  );

describe('parsing a body', () => {
  const size = 16_000;
  const read = (body: string) => leastTime(() => [parseJson(body), repeatedKeys(body)]);
  const ordinary = `[${'{"name":"Tom","quantity":10},'.repeat(size / 29)}1]`;

  it.each([
    ['zeros', `1${'0'.repeat(size - 2)}1`],
    ['a fraction of zeros', `0.${'0'.repeat(size - 3)}1`],
    ['nines', '9'.repeat(size)],
    ['digits of an exponent', `1e${'0'.repeat(size - 3)}1`],
    ['digits of many numbers', `[${'1000000000000000001,'.repeat(size / 20)}1]`],
    ['white space', `{"a"${' '.repeat(size - 6)}:1}`],
    ['escapes', `"${'\\\\'.repeat(size / 2)}"`],
    ['keys', `{${Array.from({ length: size / 8 }, (_, index) => `"${index}":1`)}}`],
    ['objects', `${'{"":'.repeat(1_000)}1${'}'.repeat(1_000)}`],
  ])('of 16,000 bytes of %s takes at most 30 times as long as an ordinary body', (_, body) => {
    // They take up to 4 times as long; searched for /0+$/, the first took 130 times.
    expect(read(body) / read(ordinary)).toBeLessThan(30);
  });
});
