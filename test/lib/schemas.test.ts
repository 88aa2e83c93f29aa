import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type * as z from 'zod/mini';
import { listOrders } from '../../lib/operations/listOrders.ts';
import { listPets } from '../../lib/operations/listPets.ts';
import { NewCategory } from '../../lib/schemas/category.ts';
import { isBefore, millisecondsOf, nowInUtc } from '../../lib/schemas/date-time.ts';
import { IdText } from '../../lib/schemas/id.ts';
import { InventoryUpdate } from '../../lib/schemas/inventory.ts';
import { NewOrder, OrderPatch } from '../../lib/schemas/order.ts';
import { NewPet, PetPatch, PetReplacement } from '../../lib/schemas/pet.ts';
import { requestHeaderSchemas } from '../../lib/schemas/request-headers.ts';
import { newPet } from '../support/new-pet.ts';

/** Rules that JSON Schema cannot express, with a row for each message. test/openapi compares the bounds with the document. */

/** The parsed value, or the messages if it is invalid. */
const resultOf = (schema: z.ZodMiniType, value: unknown): unknown => {
  const { data, error } = schema.safeParse(value);
  const text = ({ path, message }: z.core.$ZodIssue) =>
    [...(path.length > 0 ? [path.join('.')] : []), message].join(': ');
  return error ? error.issues.map(text).join('; ') : data;
};

const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
const lineName =
  'name: expected a string of 1 to 100 characters, without control characters, U+FFFE, U+FFFF and lone surrogates';
const text =
  'description: expected a string of at most 1000 characters, without control characters (except tab and line breaks), U+FFFE, U+FFFF and lone surrogates';
const anId = 'expected an id: 1 to 19 digits, the first not 0';
const date =
  'shipDate: expected an RFC 3339 date-time with an offset or Z, from year 1 to 9999 in UTC, with at most 9 digits of fraction and no leap second';
const tags = 'expected * or a list of entity tags';
const oneKey = 'expected one key of 1 to 255 printable ASCII characters, quoted or bare';

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
const each = (schema: Row[0], field: string, values: readonly unknown[], result: unknown): Row[] =>
  values.map(value => [schema, { [field]: value }, result]);

const pet = { ...newPet, categoryId: 1 };
/** XML 1.0 and SQS cannot carry these characters. */
const uncarried = ['\u0000', '\b', '\v', '\u001f', '\ud800', '\udc00', '\ufffe', '\uffff'];
const noName = [
  '😺'.repeat(101),
  '',
  '  ',
  '\u3000',
  'two\nlines',
  'To\x7fm',
  '\x9fTom',
  'To\tm',
  1,
];
const noText = ['😺'.repeat(1_001), 'a\vb'];
const dates = [
  null,
  '2027-01-01T00:00:00.123456789Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
];
/** Not in UTC, or with trailing zeros. */
const inUtc: [sent: string, stored: string][] = [
  ['2027-01-04t09:00:00z', '2027-01-04T09:00:00Z'],
  ['2027-01-04T09:00:00.500+05:30', '2027-01-04T03:30:00.5Z'],
  ['2027-01-04T09:00:00-23:59', '2027-01-05T08:59:00Z'],
  ['2027-01-04T09:00:00.000-00:00', '2027-01-04T09:00:00Z'],
  ['2027-01-04T09:00:00.102030000Z', '2027-01-04T09:00:00.10203Z'],
  ['0001-01-01T23:59:00+23:59', '0001-01-01T00:00:00Z'],
  ['9999-12-31T00:00:59.9-23:59', '9999-12-31T23:59:59.9Z'],
];
const noDates = [
  '2027-01-01T00:00:00',
  '2027-02-29T00:00:00Z',
  '2027-01-01T23:59:60Z',
  '2027-01-01T00:00:00+24:00',
  '2027-01-01T00:00:00.0000000000Z',
  `2027-01-01T00:00:00.${'0'.repeat(16_000)}1Z`,
  '0000-12-31T23:59:59Z',
  '0001-01-01T23:58:59+23:59',
  '9999-12-31T00:01:00-23:59',
  '10000-01-01T00:00:00Z',
];
const noTags = ['"a b"', '"a\x7f"', 'w/"a"', ',', '"a", *', '"a" "b"', 'a', '', '*, "a"'];
const noKeys = ['k'.repeat(256), `"${'k'.repeat(256)}"`, '"k', '"a\\b"', 'é', '""', ''];

it.each<Row>([
  ['NewPet', pet, { ...pet, status: 'available' }],
  ['NewPet', 'Tom', 'expected an object'],
  ['NewPet', {}, 'name: required; categoryId: required'],
  ['PetReplacement', { ...pet, id: 7 }, expect.objectContaining({ ...pet, id: 7 })],
  ['PetPatch', { name: '\tTom \n' }, { name: 'Tom' }],
  ...each(
    'PetPatch',
    'name',
    [...noName, ...uncarried.map(character => `a${character}b`)],
    lineName,
  ),
  ['PetPatch', { name: '\ufeffTom\u00a0' }, { name: 'Tom' }],
  ...each('PetPatch', 'categoryId', [7, 0], valid),
  ...each('PetPatch', 'categoryId', [-1, 2 ** 53], { categoryId: 0 }),
  ...each('PetPatch', 'categoryId', [1.5], 'categoryId: expected an integer'),
  ...each('PetPatch', 'status', ['lost'], 'status: expected one of available, pending, sold'),
  ...[' two\r\nlines\t', '', 'a\x7f\x9f', '\ud7ff\ue000\ufffd😺\u{10ffff}'].map(
    description => ['NewCategory', { name: 'Cats', description }, valid] as const,
  ),
  ...noText.map(description => ['NewCategory', { name: 'Cats', description }, text] as const),
  ...each(
    'InventoryUpdate',
    'quantity',
    [-1, 0.5],
    'quantity: expected an integer from 0 to 1000000000',
  ),
  ['NewOrder', { petId: 1 }, { petId: 1, quantity: 1, complete: false }],
  ['NewOrder', { petId: 1, quantity: 0 }, 'quantity: expected an integer from 1 to 10000'],
  ['NewOrder', { petId: 1, complete: 'true' }, 'complete: expected true or false'],
  ['NewOrder', { petId: 1, shipDate: null }, date],
  ...each('OrderPatch', 'shipDate', [null, ...dates], valid),
  ['OrderPatch', { shipDate: null, complete: false }, valid],
  [
    'OrderPatch',
    { shipDate: null, complete: true },
    'shipDate: null cannot be combined with complete: true. Leave it out to keep the date',
  ],
  ...each('OrderPatch', 'shipDate', noDates, date),
  ...inUtc.map(([shipDate, stored]) => ['OrderPatch', { shipDate }, { shipDate: stored }] as const),
  ['IdText', '1', 1],
  ['IdText', '9007199254740991', Number.MAX_SAFE_INTEGER],
  ...['9007199254740992', '9999999999999999999'].map(id => ['IdText', id, 0] as const),
  ...['10000000000000000000', '0', '-1', '01', '1.0', ''].map(id => ['IdText', id, anId] as const),
  ['ofPets', { status: ['sold', 'pending', 'sold'] }, { status: ['sold', 'pending'] }],
  ['ofPets', { status: ['sold,pending', 'sold'] }, { status: ['sold', 'pending'] }],
  ...each('ofPets', 'id', [[''], [',1']], `id.0: ${anId}`),
  ['ofPets', { id: ['2,1', '2'] }, { id: [2, 1] }],
  ['ofPets', { id: [[...ids(100), '1'].join()] }, { id: ids(100).map(Number) }],
  ['ofPets', { id: [ids(101).join()] }, 'id: expected at most 100 distinct ids'],
  ['ofPets', { id: ['1'], cursor: ['x'] }, 'id: cannot be combined with cursor'],
  ...each(
    'ofPets',
    'limit',
    [['0'], ['05'], ['1.0'], ['x']],
    'limit: expected an integer from 1 to 100',
  ),
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
  ...['', ' ', ',, ,'].map(line => ['If-None-Match', [line, ''], undefined] as const),
  ['If-None-Match', ['', '"a"'], ['"a"']],
  ['If-None-Match', ['*'], '*'],
  ['If-None-Match', [', a'], tags],
  ['Idempotency-Key', ['k'], 'k'],
  ['Idempotency-Key', ['"k"'], 'k'],
  ['Idempotency-Key', ['"a\\"b\\\\c"'], 'a"b\\c'],
  ['Idempotency-Key', ['k'.repeat(255)], 'k'.repeat(255)],
  ['Idempotency-Key', [`"${'\\\\'.repeat(255)}"`], '\\'.repeat(255)],
  ...[...noKeys.map(line => [line]), ['a', 'b']].map(
    lines => ['Idempotency-Key', lines, oneKey] as const,
  ),
])('%s: %j is parsed, or has a message', (schema, value, result) => {
  expect(resultOf(schemas[schema]!, value)).toEqual(result === valid ? value : result);
});

describe('a date-time in UTC', () => {
  it.each([
    ['2027-01-01T00:00:00.0001Z', '2027-01-01T00:00:00.0002Z'],
    ['2027-01-01T00:00:00.505Z', '2027-01-01T00:00:00.55Z'],
    ['2027-01-01T00:00:00Z', '2027-01-01T00:00:00.5Z'],
    ['2027-01-01T00:00:00.9Z', '2027-01-01T00:00:01Z'],
  ])('%s is before %s', (a, b) => {
    expect([isBefore(a, b), isBefore(b, a), isBefore(a, a)]).toEqual([true, false, false]);
  });

  it.each<[string, number]>([
    ['1970-01-01T00:00:01Z', 1_000],
    ['1970-01-01T00:00:01.5Z', 1_500],
    ['1970-01-01T00:00:01.069Z', 1_069],
    ['1970-01-01T00:00:01.0690001Z', 1_070],
    ['1970-01-01T00:00:01.9999Z', 2_000],
    ['1969-12-31T23:59:59.9991Z', 0],
  ])('%s is %d milliseconds after the epoch, rounded up', (dateTime, milliseconds) => {
    expect(millisecondsOf(dateTime)).toBe(milliseconds);
  });

  it.each([
    [1_500, '1970-01-01T00:00:01.5Z'],
    [2_000, '1970-01-01T00:00:02Z'],
    [2_010, '1970-01-01T00:00:02.01Z'],
  ])('the current time has no trailing zeros: %d', (time, text) => {
    vi.setSystemTime(time);
    onTestFinished(() => void vi.useRealTimers());
    expect(nowInUtc()).toBe(text);
  });
});
