import { expect, it } from 'vitest';
import { repeatedKeys } from '../../../lib/http/repeated-keys.ts';

it.each<[string, string[], string[]]>([
  ['{"a":1,"\\u0061":2}', ['a'], []],
  ['{"a":"a","b":"a"}', [], []],
  ['{"a":["b","b"],"b":1}', [], []],
  ['{"a":[{"x":1},{"x":1}],"x":1}', [], []],
  ['{"a":[{"x":1,"x":2}],"b":{"y":1,"y":2}}', [], ['a', 'b']],
  ['{"a":{"b":{"x":1}},"c":{"x":1,"x":1}}', [], ['c']],
  ['{"a":[[]],"b":[],"a":1}', ['a'], []],
  ['{"a":"\\"a\\":","b\\"":1,"b\\"":2}', ['b"'], []],
  ['{ "a" : 1 , "a"\n:\t2 }', ['a'], []],
])('finds the repeated keys of %s', (text, fields, inside) => {
  const repeated = repeatedKeys(text);
  expect([[...repeated.fields], [...repeated.inside]]).toEqual([fields, inside]);
});
