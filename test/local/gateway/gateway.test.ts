import { deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, it, vi } from 'vitest';
import { compress, decompress, preferredCoding } from '../../../cdk/local/gateway/compression.ts';
import { createGateway, maxPayload } from '../../../cdk/local/gateway/gateway.ts';
import { createThrottle } from '../../../cdk/local/gateway/throttle.ts';
import { readApi } from '../../../cdk/synthesis/api.ts';
import { scopes } from '../../../lib/scopes.ts';
import { sharedAssembly } from '../../support/petstore.ts';

const api = { ...readApi(sharedAssembly()), minimumCompressionSize: 0 };
// biome-ignore lint/suspicious/noExplicitAny: the event
const invoke = vi.fn(async (_: any): Promise<object> => ({}));
const authorize = vi.fn(async () => undefined);
const onResponse = vi.fn();
afterEach(() => {
  vi.clearAllMocks().restoreAllMocks();
  gateway = create();
});

const functionOf = () => ({ invoke });
const create = (resources = api.resources) =>
  createGateway({
    api: { ...api, resources },
    authorize,
    functionOf,
    report: () => undefined,
    onResponse,
  });
let gateway = create();
const send = (
  headers: Record<string, string> = {},
  body = Buffer.alloc(0),
  path = '/pets',
  query = '',
) => {
  const request = { method: 'GET', path, query, body, host: 'localhost', sourceIp: '127.0.0.1' };
  return gateway({ ...request, headers: Object.entries(headers) });
};
const statusOf = async (...request: Parameters<typeof send>) => (await send(...request)).status;

it('the gateway accepts a body of 10 MB and headers of 10,240 bytes, and no more', async () => {
  const bodies = [0, 1].map(more => statusOf({}, Buffer.alloc(maxPayload + more, 'x')));
  const headers = [0, 1].map(more =>
    statusOf({ a: 'é'.repeat(100), b: 'x'.repeat(10_040 + more) }),
  );
  expect(await Promise.all([...bodies, ...headers])).toEqual([200, 413, 200, 431]);
});

it('the gateway removes the Content-Encoding of a body that it decompressed', async () => {
  await send({ 'content-encoding': 'gzip', a: 'b' }, gzipSync('{"name":"Cats"}'));
  const [{ body, headers }] = invoke.mock.calls[0]!;
  expect([body, headers.a, headers['content-encoding']]).toEqual([
    '{"name":"Cats"}',
    'b',
    undefined,
  ]);
});

it('the gateway authorizes with the last Authorization header', async () => {
  const status = await statusOf(
    { authorization: 'one', Authorization: 'two' },
    undefined,
    '/store/inventory',
  );
  expect([status, authorize.mock.calls]).toEqual([
    401,
    [['two', scopes.map(scope => `petstore/${scope}`)]],
  ]);
});

it('the gateway throttles a request before it authorizes it', async () => {
  const resources = api.resources.map(({ methods, ...resource }) => ({
    ...resource,
    methods: new Map(
      Array.from(methods, ([verb, of]) => [verb, { ...of, throttle: { rate: 1, burst: 0 } }]),
    ),
  }));
  gateway = create(resources);
  expect([await statusOf({}, undefined, '/store/inventory'), authorize.mock.calls]).toEqual([
    429,
    [],
  ]);
});

it('the gateway passes each response to the request log, before compression', async () => {
  invoke.mockResolvedValueOnce({ statusCode: 201, body: 'x' });
  const { headers } = await send({ 'Accept-Encoding': 'gzip' }, undefined, '/pets', 'a=1');
  const response = {
    method: 'GET',
    target: '/pets?a=1',
    status: 201,
    body: 'x',
    milliseconds: expect.any(Number),
  };
  expect(onResponse.mock.calls).toEqual([[response]]);
  expect(headers.map(([name]) => name)).toEqual([
    'Content-Type',
    'Content-Encoding',
    'x-amzn-RequestId',
  ]);
});

it('the gateway clears the timer of the integration timeout when the function responds', async () => {
  const set = vi.spyOn(globalThis, 'setTimeout').mockReturnValue(4_711 as never);
  const clear = vi.spyOn(globalThis, 'clearTimeout');
  await send();
  expect([set.mock.calls.length, clear.mock.calls]).toEqual([1, [[4_711]]]);
});

it.each([
  [
    { rate: 2, burst: 3 },
    [0, 0, 0, 0, 500, 500, ...Array(4).fill(60_000)],
    [0, 0, 0, 500, ...Array(3).fill(60_000)],
  ],
  [
    { rate: 0.5, burst: 1 },
    Array.from({ length: 41 }, (_, tenth) => tenth * 100),
    [0, 2_000, 4_000],
  ],
])('a throttle of %j allows of requests at %j those at %j', (throttle, times, allowed) => {
  let now = 0;
  const isAllowed = createThrottle(throttle, () => now);
  const isAllowedAt = (time: number) => {
    now = time;
    return isAllowed();
  };
  expect(times.filter(isAllowedAt)).toEqual(allowed);
});

it.each([
  ['GZIP', 'gzip'],
  ['gzip;q=0.5, deflate;q=0.9', 'deflate'],
  ['deflate; q=1.0, gzip ;q=1.0, br', 'gzip'],
  ['br;q=1, gzip;q=0.8', undefined],
  ['gzip;q=0', undefined],
  ['*', undefined],
  ['gzip;q=much', undefined],
])('of Accept-Encoding %j the coding is %s', (acceptEncoding, coding) => {
  expect(preferredCoding(acceptEncoding)).toBe(coding);
});

// test/api/gateway.test.ts and, for both codings, test/stage/requests.test.ts test that the body is the same.
it('a response is compressed from the minimum size on, unless it is encoded', () => {
  const result = { status: 200, headers: [['ETag', '"a"']], body: '€'.repeat(342) } as const;
  const encoded = { ...result, headers: [['content-encoding', 'br'] as const] };
  const headers = [...result.headers, ['Content-Encoding', 'gzip']];
  expect(compress(result, 'gzip', 1_026)).toEqual({
    ...result,
    headers,
    body: gzipSync(result.body),
  });
  const unchanged = [
    compress(result, 'gzip', 1_027),
    compress(result, 'identity', 1),
    compress(encoded, 'gzip', 1),
  ];
  expect(unchanged).toEqual([result, result, encoded]);
});

const text = Buffer.from('{"name":"Cats"}'.repeat(20));
// Gzip, no coding and an unknown one: test/api/gateway.test.ts.
it.each<[string, Buffer, string, Buffer | undefined]>([
  ['deflate', deflateSync(text), ' Deflate', text],
  ['below the minimum size', Buffer.from('{}'), 'gzip', Buffer.from('{}')],
  ['empty', Buffer.alloc(0), 'br', Buffer.alloc(0)],
  ['in another coding than it says', text, 'gzip', undefined],
  ['larger than the maximum', gzipSync(`${text} `), 'gzip', undefined],
])('a request body is decompressed: %s', (_, body, coding, expected) => {
  expect(decompress(body, coding, { minimum: 10, maximum: 300 })).toEqual(expected);
});
