import { expect, it } from 'vitest';
import { ValidationErrors } from '../../../lib/http/validation-errors.ts';

const messageOf = (...paths: PropertyKey[][]) => {
  const errors = new ValidationErrors();
  for (const path of paths) errors.add(path, 'no');
  try {
    errors.throwIfAny();
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};
const fields = Array.from({ length: 30 }, (_, index) => ['body', `f${index}`]);
const first20 = fields.slice(0, 20).map(path => `${path.join('.')}: no`);

it.each<[string, PropertyKey[][], string | undefined]>([
  ['absent without errors', [], undefined],
  [
    'each field once, without positions in lists',
    [0, 1].map(place => ['query', 'id', place]),
    'query.id: no',
  ],
  ['60 characters of a name', [['body', 'x'.repeat(61)]], `body.${'x'.repeat(60)}: no`],
  ['well-formed Unicode', [['body', 'a\ud800']], 'body.a\ufffd: no'],
  [
    'well-formed Unicode where it cuts a pair',
    [['body', `${'x'.repeat(59)}😺`]],
    `body.${'x'.repeat(59)}\ufffd: no`,
  ],
  ['20 fields', fields.slice(0, 20), first20.join('; ')],
  ['20 of 21 fields', fields.slice(0, 21), [...first20, 'and 1 more'].join('; ')],
  ['20 of 30 fields', fields, [...first20, 'and 10 more'].join('; ')],
])('the message is or has %s', (_, paths, message) => {
  expect(messageOf(...paths)).toBe(message);
});
