import fc from 'fast-check';
import { type OperationId, operations } from '../../lib/operations/index.ts';
import {
  type HostileRequest,
  hostileHeader,
  knownFields,
  legalHeaderValue,
  type RawResponse,
} from '../support/hostile.ts';

/** What a caller knows from responses: the latest ids, entity tags and next pages. */
export class Known {
  readonly #ids = new Map<string, string[]>();
  readonly #tags: string[] = [];
  readonly #pages: string[] = [];

  /** @param kind the path parameter: `petId`, … */
  id(kind: string, index: number): string {
    return this.#latest(this.#ids.get(kind) ?? [], index) ?? '4095';
  }

  tag(index: number): string {
    return this.#latest(this.#tags, index) ?? '"x"';
  }

  page(index: number): string | undefined {
    return this.#latest(this.#pages, index);
  }

  learn({ request, status: code, headers }: RawResponse) {
    const { location, etag, link } = headers;
    const isGone = code === 404 || (code === 204 && request.method === 'DELETE');
    const named = /(\d+)$/.exec(request.path)?.[1];
    if (isGone && named)
      for (const ids of this.#ids.values()) if (ids.includes(named)) ids.splice(ids.indexOf(named), 1);
    const [, path = '', id] = /(\/[a-z/]+)\/(\d+)$/.exec(String(location ?? '')) ?? [];
    if (id) this.#keep(this.#of(kindOf[path]!), id);
    if (etag) this.#keep(this.#tags, String(etag));
    const next = /<https?:\/\/[^/]+(\S+)>; rel="next"/.exec(String(link ?? ''))?.[1];
    if (next) this.#keep(this.#pages, next);
  }

  #of(kind: string) {
    if (!this.#ids.has(kind)) this.#ids.set(kind, []);
    return this.#ids.get(kind)!;
  }

  #keep(list: string[], value: string) {
    list.push(value);
    if (list.length > 30) list.shift();
  }

  #latest(list: readonly string[], index: number): string | undefined {
    return list.at(-1 - (index % Math.max(list.length, 1)));
  }
}

const kindOf: Readonly<Record<string, string>> = {
  '/pets/categories': 'categoryId',
  '/pets': 'petId',
  '/store/orders': 'orderId',
};

const name = fc.constantFrom('Tom', 'Kit', 'Cats', '猫', '😀'.repeat(100), 'a"b');
const status = fc.constantFrom('available', 'pending', 'sold');
const shipDate = fc.constantFrom('2027-01-01T00:00:00Z', '2028-02-29t12:00:00.123+01:00');
const which = fc.nat(29);
const optional = (required: string[], fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { requiredKeys: required as never });

/** Valid bodies. A number in place of an id is replaced by a known id. */
const bodies: Partial<Record<OperationId, fc.Arbitrary<object>>> = {
  createPet: optional(['name', 'categoryId'], { name, categoryId: which, status }),
  replacePet: optional(['name', 'categoryId'], { name, categoryId: which, status }),
  updatePet: optional([], { name, categoryId: which, status }),
  createCategory: optional(['name'], { name, description: fc.string({ maxLength: 50 }) }),
  replaceCategory: optional(['name'], { name, description: fc.string({ maxLength: 50 }) }),
  setInventory: fc.record({ quantity: fc.oneof(fc.nat(5), fc.constant(1_000_000_000)) }),
  placeOrder: optional(['petId'], {
    petId: which,
    quantity: fc.integer({ min: 1, max: 3 }),
    shipDate,
    complete: fc.boolean(),
  }),
  updateOrder: optional([], { shipDate: fc.oneof(shipDate, fc.constant(null)), complete: fc.boolean() }),
};

const query = fc.oneof(
  fc.constant((_: Known) => ''),
  fc.tuple(status, which).map(
    ([value, index]) =>
      (known: Known) =>
        `?status=${value}&categoryId=${known.id('categoryId', index)}`,
  ),
  fc.tuple(which, which).map(
    ([a, b]) =>
      (known: Known) =>
        `?id=${known.id('petId', a)},${known.id('petId', b)}`,
  ),
  fc
    .constantFrom('?limit=1', '?limit=100', '?limit=3&complete=false', '?complete=true', '?status=sold&status=pending')
    .map(text => (_: Known) => text),
);

const header: fc.Arbitrary<readonly [string, string | number]> = fc.oneof(
  fc.tuple(fc.constantFrom('If-Match', 'If-None-Match'), fc.oneof(fc.constant('*'), which)),
  fc.tuple(
    fc.constant('Idempotency-Key'),
    fc.nat(200).map(key => `key-${key}`),
  ),
  hostileHeader.map(([field, value]) => [field, legalHeaderValue(value)] as const),
);

type Header = readonly [string, string | number];
const noHeaders: fc.Arbitrary<Header[]> = fc.constant([]);

/** A plausible request: it uses known resources, and sometimes has an invalid field or header. */
export const plausibleRequest: fc.Arbitrary<(known: Known) => HostileRequest> = fc
  .constantFrom(...Object.values(operations))
  .chain(({ id, method, path }) =>
    fc.record({
      method: fc.constant(method as string),
      path: fc.constant(path as string),
      index: which,
      usesNextPage: fc.boolean(),
      query,
      body: (bodies[id] as fc.Arbitrary<object> | undefined) ?? fc.constant(undefined),
      invalid: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: knownFields }),
      headers: fc.oneof(
        { weight: 2, arbitrary: noHeaders },
        { weight: 1, arbitrary: fc.array(header, { maxLength: 2 }) },
      ),
    }),
  )
  .map(
    ({ method, path, index, usesNextPage, query: search, body, invalid, headers }) =>
      (known: Known): HostileRequest => {
        const named = path.replace(/{(\w+)}/, (_, kind) => (kind === 'file' ? 'page.css' : known.id(kind, index)));
        const isList = method === 'GET' && /s$|inventory$/.test(path);
        const next = isList && usesNextPage ? known.page(index) : undefined;
        const fields = Object.entries(body ?? {}).map(([field, value]) => {
          const isId = field === 'petId' || field === 'categoryId';
          return [field, isId ? Number(known.id(field, value)) : value];
        });
        return {
          method,
          path: next ?? named + (isList ? search(known) : ''),
          headers: headers.map(([field, value]) => [field, typeof value === 'number' ? known.tag(value) : value]),
          body: body && JSON.stringify({ ...Object.fromEntries(fields), ...invalid }),
        };
      },
  );
