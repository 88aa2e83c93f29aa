import { allowedRequestHeaders } from '../../../../lib/http/common-headers.ts';
import { allOperations, type RegisteredOperation, servedPaths } from '../../../../lib/operations/index.ts';
import type { Check } from '../check.ts';

/** Well-formed, and an id of nothing: it was never assigned (lib/schemas/id.ts). What should be refused can so do no harm. */
export const nobodysId = '9000000000000000000';

export const filled = (path: string): string => path.replaceAll(/{\w+}/g, nobodysId);

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
  ask: {
    method: 'OPTIONS',
    path: filled(path),
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
      ask: { method: verb, path: filled(path) },
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
    ask: { method, path },
    expect: { error: 'not_found', by: 'gateway' },
  })),
);

const forged =
  `${btoa('{"alg":"RS256","typ":"JWT","kid":"nobody"}')}.${btoa('{"token_use":"access","scope":"petstore/orders petstore/catalog"}')}.${'A'.repeat(342)}`.replaceAll(
    '=',
    '',
  );

const refused = (kind: string, { method, path }: RegisteredOperation, headers: Record<string, string> = {}): Check => ({
  name: `401, ${kind}: ${method} ${path}`,
  ask: { method, path: filled(path), headers },
  // Of a function's answer AWS renames WWW-Authenticate: that it is there shows that the gateway's authoriser refused.
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
  ...guarded.map(operation => refused('no token', operation)),
  ...guarded.map(operation => refused('a forged token', operation, { Authorization: kinds['a forged token'] })),
  ...Object.entries(kinds).map(([kind, value]) => refused(kind, own, { Authorization: value })),
  {
    ...refused('an expired token', own),
    ask: { method: own.method, path: own.path, as: 'expired' },
    source:
      'EXPIRED_TOKEN is a gateway response of its own, 403 by default (developer guide, "gateway response types")',
  },
];

/** Every route and every method that is none. */
export const routes: readonly Check[] = [
  ...preflights,
  ...wrongMethods,
  ...unknownPaths,
  {
    name: '404: an unknown path with a token',
    ask: { method: 'GET', path: '/nothing', as: 'client' },
    expect: { error: 'not_found', by: 'gateway' },
    source: 'without its own resource, API Gateway reads the header as a signature and answers 403 (recorded)',
  },
  ...withoutToken,
];
