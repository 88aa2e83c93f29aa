import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { listOrders } from '../../lib/operations/listOrders.ts';
import { listPets } from '../../lib/operations/listPets.ts';
import { NewCategory } from '../../lib/schemas/category.ts';
import { isBefore, isSameInstant, millisecondsOf } from '../../lib/schemas/date-time.ts';
import { IdText } from '../../lib/schemas/id.ts';
import { InventoryUpdate } from '../../lib/schemas/inventory.ts';
import { NewOrder, OrderPatch } from '../../lib/schemas/order.ts';
import { NewPet, PetPatch, PetReplacement } from '../../lib/schemas/pet.ts';
import { requestHeaderSchemas } from '../../lib/schemas/request-headers.ts';

/** Rules that JSON Schema cannot express, and a row for each message. test/openapi compares the bounds with the document. */

/** The parsed value. If the value is invalid: the messages. */
const resultOf = (schema: z.ZodMiniType, value: unknown): unknown => {
  const { data, error } = schema.safeParse(value);
  const text = ({ path, message }: z.core.$ZodIssue) =>
    [...(path.length > 0 ? [path.join('.')] : []), message].join(': ');
  return error ? error.issues.map(text).join('; ') : data;
};

const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
const lineName = 'name: expected a string of 1 to 100 characters in well-formed Unicode, without control characters';
const text = 'description: expected a string of at most 1000 characters in well-formed Unicode';
const anId = 'expected an id: 1 to 19 digits, the first not 0';
const date = 'shipDate: expected an RFC 3339 date-time with an offset or Z, and no leap second';
const tags = 'expected * or a list of entity tags';
const oneKey = 'expected one key of 1 to 255 printable ASCII characters, quoted or bare';
const longDate = (digits: number) => `2027-01-01T00:00:00.${'1'.repeat(digits)}Z`;

const schemas = {
  NewPet,
  PetReplacement,
  PetPatch,
  NewCategory,
  InventoryUpdate,
  NewOrder,
  OrderPatch,
  IdText,
  ofPets: listPets.request.query,
  ofOrders: listOrders.request.query,
  ...requestHeaderSchemas,
};
const valid = Symbol('the value itself');
type Row = readonly [schema: keyof typeof schemas, value: unknown, result: unknown];
/** Makes a row for each value of a field. */
const each = (schema: Row[0], field: string, values: readonly unknown[], result: unknown): Row[] =>
  values.map(value => [schema, { [field]: value }, result]);

const pet = { name: 'Tom', categoryId: 1 };
const noName = ['😺'.repeat(101), '', '  ', 'To\u0000m', 'two\nlines', 'Tom\ud800', '\udc00Tom', 1];
const dates = [null, '2027-01-01T00:00:00.123456789Z', '2027-01-01T00:00:00+14:00', longDate(43)];
const noDates = ['2027-01-01T00:00:00', '2027-02-29T00:00:00Z', '2027-01-01T23:59:60Z', longDate(44)];
const noTags = ['"a b"', '"a\x7f"', 'w/"a"', ',', '"a", *', '"a" "b"', 'a', '', '*, "a"'];
const noKeys = ['k'.repeat(256), `"${'k'.repeat(256)}"`, '"k', '"a\\b"', 'é', '""', ''];

it.each<Row>([
  ['NewPet', pet, { ...pet, status: 'available' }],
  ['NewPet', 'Tom', 'expected an object'],
  ['NewPet', {}, 'name: required; categoryId: required'],
  ['PetReplacement', { ...pet, id: 7 }, expect.objectContaining({ ...pet, id: 7 })],
  ['PetPatch', { name: '\tTom \n' }, { name: 'Tom' }],
  ['PetPatch', { name: '😺'.repeat(100) }, valid],
  ...each('PetPatch', 'name', noName, lineName),
  ...each('PetPatch', 'categoryId', [7, 0], valid),
  ...each('PetPatch', 'categoryId', [-1, 2 ** 53], { categoryId: 0 }),
  ...each('PetPatch', 'categoryId', [1.5], 'categoryId: expected an integer'),
  ...each('PetPatch', 'status', ['lost'], 'status: expected one of available, pending, sold'),
  ['NewCategory', { name: 'Cats', description: ' two\nlines ' }, valid],
  ['NewCategory', { name: 'Cats', description: '' }, valid],
  ['NewCategory', { name: 'Cats', description: 'x'.repeat(1_001) }, text],
  ['NewCategory', { name: 'Cats', description: '\ud800' }, text],
  ...each('InventoryUpdate', 'quantity', [0, 1_000_000_000], valid),
  ...each('InventoryUpdate', 'quantity', [-1, 0.5], 'quantity: expected an integer from 0 to 1000000000'),
  ['NewOrder', { petId: 1 }, { petId: 1, quantity: 1, complete: false }],
  ['NewOrder', { petId: 1, quantity: 0 }, 'quantity: expected an integer from 1 to 10000'],
  ['NewOrder', { petId: 1, complete: 'true' }, 'complete: expected true or false'],
  ['NewOrder', { petId: 1, shipDate: null }, date],
  ...each('OrderPatch', 'shipDate', dates, valid),
  ...each('OrderPatch', 'shipDate', noDates, date),
  ['OrderPatch', { shipDate: '2027-01-01t00:00:00z' }, { shipDate: '2027-01-01T00:00:00Z' }],
  ['IdText', '1', 1],
  ['IdText', '9007199254740991', Number.MAX_SAFE_INTEGER],
  ...['9007199254740992', '9999999999999999999'].map(id => ['IdText', id, 0] as const),
  ...['10000000000000000000', '0', '01', '1.0', ''].map(id => ['IdText', id, anId] as const),
  ['ofPets', { status: ['sold', 'pending', 'sold'] }, { status: ['sold', 'pending'] }],
  ['ofPets', { id: ['2,1', '2'] }, { id: [2, 1] }],
  ['ofPets', { id: [[...ids(100), '1'].join()] }, { id: ids(100).map(Number) }],
  ['ofPets', { id: [ids(101).join()] }, 'id: expected at most 100 distinct ids'],
  ['ofPets', { id: ['1'], limit: ['2'] }, 'id: cannot be combined with limit or cursor'],
  ['ofPets', { id: ['1'], cursor: ['x'] }, 'id: cannot be combined with limit or cursor'],
  ['ofPets', { limit: ['100'] }, { limit: 100 }],
  ...each('ofPets', 'limit', [['101'], ['0'], ['05'], ['x']], 'limit: expected an integer from 1 to 100'),
  ['ofPets', { limit: ['1', '2'] }, 'limit: given more than once'],
  ['ofOrders', { complete: ['true'] }, { complete: true }],
  ['ofOrders', { complete: ['false'] }, { complete: false }],
  ['ofOrders', { complete: ['yes'] }, 'complete: expected true or false'],
  ['If-Match', ['*'], '*'],
  ['If-Match', ['"a", W/"b" ,"c"', '"d"'], ['"a"', 'W/"b"', '"c"', '"d"']],
  ['If-Match', ['"a,b"'], ['"a,b"']],
  ['If-Match', [' ,, "a" ,, "b",'], ['"a"', '"b"']],
  ['If-Match', ['"!#~\x80\xff"'], ['"!#~\x80\xff"']],
  ...noTags.map(line => ['If-Match', [line], tags] as const),
  ['Idempotency-Key', ['k'], 'k'],
  ['Idempotency-Key', ['"k"'], 'k'],
  ['Idempotency-Key', ['"a\\"b\\\\c"'], 'a"b\\c'],
  ['Idempotency-Key', ['k'.repeat(255)], 'k'.repeat(255)],
  ['Idempotency-Key', [`"${'\\\\'.repeat(255)}"`], '\\'.repeat(255)],
  ...[...noKeys.map(line => [line]), ['a', 'b']].map(lines => ['Idempotency-Key', lines, oneKey] as const),
])('%s: %j is parsed, or has a message', (schema, value, result) => {
  expect(resultOf(schemas[schema]!, value)).toEqual(result === valid ? value : result);
});

describe('an instant', () => {
  it.each<[string, '=' | '<', string]>([
    ['2027-01-01T00:00:00Z', '=', '2027-01-01T01:00:00+01:00'],
    ['2027-01-01T00:00:00.500Z', '=', '2027-01-01T00:00:00.5Z'],
    ['2027-01-01T00:00:00.000Z', '=', '2027-01-01T00:00:00Z'],
    ['2027-01-01T00:00:00.0001Z', '<', '2027-01-01T00:00:00.0002Z'],
    ['2027-01-01T00:00:00.505Z', '<', '2027-01-01T00:00:00.55Z'],
    ['2027-01-01T00:00:00.05Z', '<', '2027-01-01T00:00:00.5Z'],
    ['2027-01-01T00:00:00.9Z', '<', '2027-01-01T00:00:01Z'],
  ])('%s %s %s', (a, order, b) => {
    expect([isSameInstant(a, b), isSameInstant(b, a)]).toEqual([order === '=', order === '=']);
    expect([isBefore(a, b), isBefore(b, a)]).toEqual([order === '<', false]);
  });

  it.each<[string, number]>([
    ['1970-01-01T00:00:01Z', 1_000],
    ['1970-01-01T00:00:01.5Z', 1_500],
    ['1970-01-01T00:00:01.069Z', 1_069],
    ['1970-01-01T00:00:01.0690Z', 1_069],
    ['1970-01-01T00:00:01.0690001Z', 1_070],
    ['1970-01-01T00:00:01.9999Z', 2_000],
    ['1969-12-31T23:59:59.9991Z', 0],
  ])('%s is %d milliseconds after the epoch, rounded up', (dateTime, milliseconds) => {
    expect(millisecondsOf(dateTime)).toBe(milliseconds);
  });
});
