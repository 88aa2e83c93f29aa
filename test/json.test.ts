import { describe, expect, it } from 'vitest';
import { parseJson } from '../lib/http/json.ts';

describe('parseJson', () => {
  it.each([
    ['1', 1],
    ['-0', 0],
    ['1.0', 1],
    ['1e2', 100],
    ['10e-1', 1],
    ['1.5', 1.5],
    ['9007199254740991', 9007199254740991],
    ['1e999', Number.MAX_VALUE],
    ['-1e999', -Number.MAX_VALUE],
  ])('reads %s as %d', (text, value) => {
    expect(parseJson(text)).toBe(value);
  });

  it.each(['9007199254740991.4', '1.00000000000000000001', '1e-400', '5000000000000000000000e-1000'])(
    'does not let %s pass for an integer',
    text => {
      const value = parseJson(text);
      expect(Number.isInteger(value)).toBe(false);
    },
  );
});
