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

/** The parsed value, or `rejected`. */
const rejected = Symbol('refused');
const parse = (schema: z.ZodMiniType, value: unknown) => {
  const { success, data } = schema.safeParse(value);
  return success ? data : rejected;
};

const ofPets = (query: object) => parse(listPets.request.query, query);
const ofOrders = (query: object) => parse(listOrders.request.query, query);
const header = (name: keyof typeof requestHeaderSchemas, ...lines: string[]) =>
  parse(requestHeaderSchemas[name], lines);
const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

describe('a name', () => {
  it.each<[string, unknown]>([
    ['Tom', 'Tom'],
    ['\tTom \n', 'Tom'],
    ['😺'.repeat(100), '😺'.repeat(100)],
    ['😺'.repeat(101), rejected],
    ['x'.repeat(101), rejected],
    ['', rejected],
    ['  ', rejected],
    ['To\u0000m', rejected],
    ['two\nlines', rejected],
    ['Tom\ud800', rejected],
    ['\udc00Tom', rejected],
  ])('%j is parsed as %s', (name, expected) => {
    const pet = parse(PetPatch, { name });
    expect(pet).toEqual(expected === rejected ? rejected : { name: expected });
  });

  it('has other bounds than a description, which keeps its lines', () => {
    const of = (description: string) => parse(NewCategory, { name: 'Cats', description });
    expect(of(' two\nlines ')).toEqual({ name: 'Cats', description: ' two\nlines ' });
    expect(of('')).toEqual({ name: 'Cats', description: '' });
    expect([of('x'.repeat(1_001)), of('\ud800')]).toEqual([rejected, rejected]);
  });
});

describe('an id', () => {
  it.each<[string, unknown]>([
    ['1', 1],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', 0],
    ['9999999999999999999', 0],
    ['10000000000000000000', rejected],
    ['0', rejected],
    ['01', rejected],
    ['1.0', rejected],
    ['', rejected],
  ])('in a path, %j, is parsed as %s', (text, expected) => {
    expect(parse(IdText, text)).toBe(expected);
  });

  it.each<[number, unknown]>([
    [7, 7],
    [0, 0],
    [-1, 0],
    [2 ** 53, 0],
    [1.5, rejected],
  ])('in a body, %j, is parsed as %s', (categoryId, expected) => {
    expect(parse(PetPatch, { categoryId })).toEqual(expected === rejected ? rejected : { categoryId: expected });
  });
});

describe('an order', () => {
  const of = (fields: object) => parse(NewOrder, { petId: 1, ...fields });

  it('has one unit and is open by default', () => {
    expect(of({})).toEqual({ petId: 1, quantity: 1, complete: false });
  });

  it.each<[object, boolean]>([
    [{ quantity: 1 }, true],
    [{ quantity: 10_000 }, true],
    [{ quantity: 0 }, false],
    [{ quantity: 10_001 }, false],
    [{ quantity: 1.5 }, false],
    [{ shipDate: '2027-01-01T00:00:00Z' }, true],
    [{ shipDate: '2027-01-01t00:00:00.123456789z' }, true],
    [{ shipDate: '2027-01-01T00:00:00+14:00' }, true],
    [{ shipDate: '2027-01-01T00:00:00' }, false],
    [{ shipDate: '2027-02-29T00:00:00Z' }, false],
    [{ shipDate: `2027-01-01T00:00:00.${'1'.repeat(43)}Z` }, true],
    [{ shipDate: `2027-01-01T00:00:00.${'1'.repeat(44)}Z` }, false],
    [{ shipDate: null }, false],
    [{ complete: 'true' }, false],
    [{ colour: 'red' }, false],
  ])('with %j is valid: %s', (fields, isValid) => {
    expect(of(fields) !== rejected).toBe(isValid);
  });

  it('accepts null as the ship date in a patch', () => {
    expect(parse(OrderPatch, { shipDate: null })).toEqual({ shipDate: null });
  });
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
  ])('%s is %d milliseconds after the epoch, rounded up', (text, milliseconds) => {
    expect(millisecondsOf(text)).toBe(milliseconds);
  });
});

describe('a quantity', () => {
  it.each<[unknown, boolean]>([
    [0, true],
    [1_000_000_000, true],
    [-1, false],
    [1_000_000_001, false],
    [0.5, false],
  ])('of %j is valid: %s', (quantity, isValid) => {
    expect(parse(InventoryUpdate, { quantity }) !== rejected).toBe(isValid);
  });
});

describe('the status of a pet', () => {
  it('is available by default in a new pet, and absent by default in a replacement', () => {
    const body = { name: 'Tom', categoryId: 1 };
    expect([parse(NewPet, body), parse(PetReplacement, body)]).toEqual([{ ...body, status: 'available' }, body]);
  });

  it('is available, pending or sold', () => {
    expect(parse(PetPatch, { status: 'lost' })).toBe(rejected);
  });
});

describe('a query', () => {
  it.each<[object, unknown]>([
    [{ status: ['sold', 'pending', 'sold'] }, { status: ['sold', 'pending'] }],
    [{ id: ['2,1', '2'] }, { id: [2, 1] }],
    [{ id: [[...ids(100), '1'].join()] }, { id: ids(100).map(Number) }],
    [{ id: [ids(101).join()] }, rejected],
    [{ id: ['1'], limit: ['2'] }, rejected],
    [{ id: ['1'], cursor: ['x'] }, rejected],
    [{ limit: ['100'] }, { limit: 100 }],
    [{ limit: ['101'] }, rejected],
    [{ limit: ['0'] }, rejected],
    [{ limit: ['05'] }, rejected],
    [{ limit: ['1', '2'] }, rejected],
    [{ colour: ['red'] }, rejected],
  ])('of pets, %j, is parsed or rejected as expected', (query, expected) => {
    expect(ofPets(query)).toEqual(expected);
  });

  it('of orders filters by complete=true or complete=false', () => {
    expect(['true', 'false', 'yes'].map(complete => ofOrders({ complete: [complete] }))).toEqual([
      { complete: true },
      { complete: false },
      rejected,
    ]);
  });
});

describe('If-Match', () => {
  it.each<[string[], unknown]>([
    [['*'], '*'],
    [['"a"'], ['"a"']],
    [['"a", W/"b" ,"c"'], ['"a"', 'W/"b"', '"c"']],
    [
      ['"a"', '"b"'],
      ['"a"', '"b"'],
    ],
    [['"a,b"'], ['"a,b"']],
    [[' ,, "a" ,, "b",'], ['"a"', '"b"']],
    [['W/"a"'], ['W/"a"']],
    [['"!#~\x80\xff"'], ['"!#~\x80\xff"']],
    [['"a b"'], rejected],
    [['"a\x7f"'], rejected],
    [['w/"a"'], rejected],
    [[','], rejected],
    [['"a", *'], rejected],
    [['"a" "b"'], rejected],
    [['a'], rejected],
    [[''], rejected],
    [['*, "a"'], rejected],
  ])('%j is parsed as %s', (lines, expected) => {
    expect(header('If-Match', ...lines)).toEqual(expected);
  });
});

describe('Idempotency-Key', () => {
  it.each<[string[], unknown]>([
    [['k'], 'k'],
    [['"k"'], 'k'],
    [['"a\\"b\\\\c"'], 'a"b\\c'],
    [['k'.repeat(255)], 'k'.repeat(255)],
    [['k'.repeat(256)], rejected],
    [[`"${'k'.repeat(255)}"`], 'k'.repeat(255)],
    [[`"${'k'.repeat(256)}"`], rejected],
    [[`"${'\\\\'.repeat(255)}"`], '\\'.repeat(255)],
    [['"k'], rejected],
    [['"a\\b"'], rejected],
    [['é'], rejected],
    [['""'], rejected],
    [['a', 'b'], rejected],
  ])('%j is parsed as %s', (lines, expected) => {
    expect(header('Idempotency-Key', ...lines)).toEqual(expected);
  });
});

describe('the message of schema', () => {
  const name = (what: string) => `expected a string of ${what} characters in well-formed Unicode`;
  it.each<[z.ZodMiniType, unknown, string[]]>([
    [NewPet, 'Tom', ['expected an object']],
    [NewPet, {}, ['name: required', 'categoryId: required']],
    [
      NewPet,
      { name: 1, categoryId: 1.5, status: 'lost' },
      [
        `name: ${name('1 to 100')}, without control characters`,
        'categoryId: expected an integer',
        'status: expected one of available, pending, sold',
      ],
    ],
    [NewCategory, { name: 'Cats', description: 1 }, [`description: ${name('at most 1000')}`]],
    [
      NewOrder,
      { petId: 1, quantity: 0, shipDate: 'now', complete: 1 },
      [
        'quantity: expected an integer from 1 to 10000',
        'shipDate: expected an RFC 3339 date-time with an offset or Z, and no leap second',
        'complete: expected true or false',
      ],
    ],
    [InventoryUpdate, { quantity: -1 }, ['quantity: expected an integer from 0 to 1000000000']],
    [IdText, '0', [': expected an id: 1 to 19 digits, the first not 0']],
    [listPets.request.query, { limit: ['1', '2'] }, ['limit: given more than once']],
    [listPets.request.query, { limit: ['x'] }, ['limit: expected an integer from 1 to 100']],
    [listPets.request.query, { id: [ids(101).join()] }, ['id: expected at most 100 distinct ids']],
    [requestHeaderSchemas['If-Match'], ['a'], [': expected * or a list of entity tags']],
    [
      requestHeaderSchemas['Idempotency-Key'],
      [''],
      [': expected one key of 1 to 255 printable ASCII characters, quoted or bare'],
    ],
  ])('%# has what was expected, for %j', (schema, value, messages) => {
    const { error } = schema.safeParse(value);
    const text = (issue: z.core.$ZodIssue) =>
      [issue.path.join('.'), issue.message].filter(part => part !== '').join(': ');
    expect(error?.issues.map(text)).toEqual(messages.map(message => message.replace(/^: /, '')));
  });
});
