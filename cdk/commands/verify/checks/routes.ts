import { allowedRequestHeaders } from '../../../../lib/http/common-headers.ts';
import { allOperations, type RegisteredOperation, servedPaths } from '../../../../lib/operations/index.ts';
import type { Check } from '../check.ts';

/** A valid id that is never assigned (lib/schemas/id.ts), so that a request that should fail can do no harm. */
export const unassignedId = '9000000000000000000';

export const withIds = (path: string): string => path.replaceAll(/{\w+}/g, unassignedId);

const verbs = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

const paths = [...new Set(allOperations.flatMap(servedPaths))].map(path => ({
  path,
  methods: allOperations.filter(operation => servedPaths(operation).includes(path)).map(({ method }) => method),
}));

const asSet = (list: string | null) =>
  (list ?? '')
    .split(',')
    .map(item => item.trim().toLowerCase())
    .sort()
    .join();

const preflights: Check[] = paths.map(({ path, methods }) => ({
  name: `preflight of ${path}`,
  request: {
    method: 'OPTIONS',
    path: withIds(path),
    headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': methods[0]! },
  },
  expect: {
    status: 204,
    by: 'gateway',
    headers: { 'X-Request-Id': /./, 'Access-Control-Max-Age': /^\d+$/ },
    also: ({ headers }) => {
      const lists = { methods, headers: allowedRequestHeaders };
      const wrong = Object.entries(lists).filter(
        ([name, list]) => asSet(headers.get(`Access-Control-Allow-${name}`)) !== asSet(list.join()),
      );
      return wrong.length > 0 ? `Access-Control-Allow-${wrong[0]![0]} is not ${wrong[0]![1].join(',')}` : undefined;
    },
  },
}));

const wrongMethods: Check[] = paths.flatMap(({ path, methods }) =>
  verbs
    .filter(verb => !methods.some(method => method === verb))
    .map(verb => ({
      name: `405: ${verb} ${path}`,
      request: { method: verb, path: withIds(path) },
      expect: {
        error: 'method_not_allowed',
        by: 'gateway',
        // Integration responses may map context variables (developer guide, "method response header mapping").
        headers: { Allow: new RegExp(`^${[...methods, 'OPTIONS'].join(', ?')}$`), 'X-Request-Id': /./ },
      },
    })),
);

const unknownPaths: Check[] = ['/nothing', '/nothing/deeper/down', '/store', '/docs/a/b'].flatMap(path =>
  (['GET', 'POST'] as const).map(method => ({
    name: `404: ${method} ${path}`,
    request: { method, path },
    expect: { error: 'not_found', by: 'gateway' },
  })),
);

const forged =
  `${btoa('{"alg":"RS256","typ":"JWT","kid":"nobody"}')}.${btoa('{"token_use":"access","scope":"petstore/orders petstore/catalog"}')}.${'A'.repeat(342)}`.replaceAll(
    '=',
    '',
  );

const unauthenticated = (
  kind: string,
  { method, path }: RegisteredOperation,
  headers: Record<string, string> = {},
): Check => ({
  name: `401, ${kind}: ${method} ${path}`,
  request: { method, path: withIds(path), headers },
  // AWS renames this header in the response of a function, so its presence proves that the authorizer responded.
  expect: { error: 'unauthenticated', by: 'gateway' },
});

const kinds = {
  'a forged token': `Bearer ${forged}`,
  'not a token': 'Bearer nonsense',
  'another scheme': `Basic ${btoa('staff:secret')}`,
  'an empty token': 'Bearer ',
};

const guarded = allOperations.filter(({ access }) => access !== 'public');

const own = guarded.find(({ id }) => id === 'listOrders')!;

const withoutToken: Check[] = [
  ...guarded.map(operation => unauthenticated('no token', operation)),
  ...guarded.map(operation => unauthenticated('a forged token', operation, { Authorization: kinds['a forged token'] })),
  ...Object.entries(kinds).map(([kind, value]) => unauthenticated(kind, own, { Authorization: value })),
  {
    ...unauthenticated('an expired token', own),
    request: { method: own.method, path: own.path, token: 'expired' },
    source:
      'EXPIRED_TOKEN is a gateway response of its own, 403 by default (developer guide, "gateway response types")',
  },
];

/** Every route, and every method without one. */
export const routes: readonly Check[] = [
  ...preflights,
  ...wrongMethods,
  ...unknownPaths,
  {
    name: '404: an unknown path with a token',
    request: { method: 'GET', path: '/nothing', token: 'client' },
    expect: { error: 'not_found', by: 'gateway' },
    source: 'without its own resource, API Gateway reads the header as a signature and responds with 403 (recorded)',
  },
  ...withoutToken,
];
