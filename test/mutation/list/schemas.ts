import { mutantsOf } from '../mutant.ts';

/** lib/schemas and the queries of operations: what is taken, and what is refused. */
export const ofTheSchemas = [
  ...mutantsOf('lib/schemas/text.ts', 'lib/schemas', [
    ['lone surrogates are text', 'text.isWellFormed() && ', ''],
    ['units of UTF-16 are counted', '[...text].length', 'text.length'],
    ['a text may be longer', ' && length <= max', ''],
    ['a name may be empty', 'length >= min && ', ''],
    ['a name has control characters', ' && !forbidden?.test(text)', ''],
    ['white space around a name counts', 'z.trim(), ', ''],
    ['all lines of a text are one', 'forbidden: /\\p{Cc}/u,', 'forbidden: /\\p{Cs}/u,'],
  ]),
  ...mutantsOf('lib/schemas/id.ts', 'lib/schemas', [
    ['ids beyond 2^53 are others', 'value >= 1 && value <= maxId ? value : nothing', 'value'],
    ['an id may begin with 0', '/^[1-9][0-9]{0,18}$/', '/^[0-9]{1,19}$/'],
    ['an id has any length', '{0,18}$/', '*$/'],
    ['half an id is an id', 'z.refine(Number.isInteger, integerMessage), ', ''],
  ]),
  ...mutantsOf('lib/schemas/order.ts', 'lib/schemas', [
    ['an order of nothing is one', 'z.minimum(1, quantityMessage)', 'z.minimum(0, quantityMessage)'],
    ['an order has no end', ', z.maximum(maxOrderQuantity, quantityMessage)', ''],
    ['an order is of two by default', 'z._default(Quantity, 1)', 'z._default(Quantity, 2)'],
    ['an order is complete by default', 'z._default(Complete, false)', 'z._default(Complete, true)'],
    ['a date needs no offset', 'offset: true, ', 'local: true, offset: true, '],
    ['a date of lower case is none', 'z.toUpperCase(), ', ''],
    ['digits of a fraction do not count', "`${Date.parse(dateTime.replace(/\\.\\d+/, ''))}.${fraction}`", '`${Date.parse(dateTime)}`'],
    ['zeros of a fraction count', "?.replace(/0+$/, '')", ''],
    ['no patch removes a date', 'z.optional(z.nullable(ShipDate))', 'z.optional(ShipDate)'],
  ]),
  ...mutantsOf('lib/schemas/inventory.ts', 'lib/schemas', [
    ['a stock may be below nothing', 'z.minimum(0, message), ', ''],
    ['a stock has no end', ', z.maximum(maxStock, message)', ''],
  ]),
  ...mutantsOf('lib/schemas/pet.ts', 'lib/schemas', [
    ['a new pet has no status', "z._default(PetStatus, 'available')", "z._default(PetStatus, 'pending')"],
    ['replacing makes a pet available', '  ...NewPet.shape,\n  status: z.optional(PetStatus),', '  ...NewPet.shape,'],
    ['there is another status', "['available', 'pending', 'sold'] as const", "['available', 'pending', 'sold', 'lost'] as const"],
  ]),
  ...mutantsOf('lib/schemas/object.ts', 'lib/schemas', [['unknown fields are taken', 'z.strictObject(shape', 'z.object(shape']]),
  ...mutantsOf('lib/schemas/query.ts', 'lib/schemas', [
    ['the first of several is taken', "values.check(z.maxLength(1, { error: 'given more than once' }))", 'values'],
    ['a status given twice is two', '[...new Set(list)] as z.output<S>[]', 'list as z.output<S>[]'],
    ['an id given twice is two', '(ids: number[]) => [...new Set(ids)]', '(ids: number[]) => ids'],
    ['any number of ids', '.check(z.maxLength(maxIds, expected(`at most ${maxIds} distinct ids`)))', ''],
    ['ids come one by one', "list.flatMap(value => value.split(','))", 'list'],
    ['a page has no largest size', '.check(z.maximum(maxLimit, limitMessage))', ''],
    ['a page of nothing is one', '/^[1-9][0-9]{0,2}$/', '/^[0-9]{1,3}$/'],
  ]),
  ...mutantsOf('lib/schemas/request-headers.ts', 'lib/schemas', [
    ['a weak tag is none', '/^(?:W\\/)?"', '/^"'],
    ['* is a tag', "if (rest === '*') return '*';", ''],
    ['tags need no comma', "      if (!rest.startsWith(',')) break;\n", ''],
    ['no tag will do', "if (rest === '' && tags.length > 0) return tags;", "if (rest === '') return tags;"],
    ['a quoted key is another', "quoted ? quoted[1]!.replaceAll(/\\\\([\"\\\\])/g, '$1') : line", 'line'],
    ['an escape in a key counts', ".replaceAll(/\\\\([\"\\\\])/g, '$1')", ''],
    ['the first of several keys is taken', 'lines.length === 1 && ', ''],
    ['half a quoted key is a key', '!malformed && ', ''],
    ['a key has any length', '{1,255}$/', '+$/'],
    ['a key has any characters', '/^[\\x20-\\x7e]{1,255}$/', '/^[^]{1,255}$/'],
  ]),
  ...mutantsOf('lib/operations/listPets.ts', 'lib/schemas', [['named pets have pages', 'id === undefined || (limit === undefined && cursor === undefined)', 'true']]),
  ...mutantsOf('lib/operations/listOrders.ts', 'lib/schemas', [
    ['every filter is for what is complete', "text => text === 'true'", '() => true'],
    ['complete may be anything', '/^(?:true|false)$/', '/./'],
  ]),
];
