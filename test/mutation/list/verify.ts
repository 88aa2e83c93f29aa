import { mutantsOf } from '../mutant.ts';

/** cdk/commands/verify: what a verification removes, and what it runs for the checks that are named. */
export const verifyMutants = [
  ...mutantsOf('cdk/commands/verify/clean-up.ts', 'commands/verify: npm run verify, with a store', [
    ['keeps trying to remove a complete order', "if ((await remove('/store/orders', id, orders)) === 409) orders.delete(id);", "await remove('/store/orders', id, orders);", 'commands/verify: completes an order'],
    ['reads only the first page of leftovers', '    next = nextPageOf(headers);', '    next = undefined;', 'commands/verify: finds what earlier runs left on every page'],
    ['treats every category as its own', 'if (name.startsWith(mark)) found', 'if (name) found'],
    ['treats no category as its own', 'if (name.startsWith(mark)) found', 'if (false) found'],
    ['does not read a category again', 'if (!String(body?.name).startsWith(mark)) {', 'if (false) {'],
    ['removes a category that it cannot read', '      if (status !== 200) continue;\n', ''],
    ['removes pets of other categories', 'if (pet.categoryId === id) pets', 'if (pet) pets'],
    ['cancels orders of other pets', 'if (order.petId === id) orders', 'if (order) orders'],
  ]),
  ...mutantsOf('cdk/commands/verify/plan.ts', 'commands/verify: npm run verify --only', [
    ['runs no checks that the given ones need', '(step.leaves && index < last)', 'false'],
    ['runs all earlier checks', '&& step.needsEarlier);', ');'],
    ['distinguishes upper and lower case', 'includes(text.toLowerCase())', 'includes(text)'],
    ['accepts unknown names beside a known one', 'if (unknown.length > 0)', 'if (unknown.length === only.length && only.length > 0)'],
  ]),
  ...mutantsOf('cdk/commands/verify/verify.ts', 'commands/verify: npm run verify --only', [
    ['prints passed checks that only others need', "if (isNamed || result.outcome === 'FAILED') onResult(result);", 'onResult(result);'],
    ['does not print failed checks that only others need', "if (isNamed || result.outcome === 'FAILED') onResult(result);", 'if (isNamed) onResult(result);'],
    ['cleans up after a read-only run', 'if (writes) await removeOwn();', 'await removeOwn();'],
    ['makes one more attempt for an index', 'attempts = 8', 'attempts = 9', 'commands/verify: retries a check seven'],
    ['does not send an open question', 'openQuestions.map(question', 'openQuestions.slice(1).map(question', 'commands/verify/wrong-responses'],
  ]),
  ...mutantsOf('cdk/commands/verify/check.ts', 'commands/verify: npm run verify, with a correct server', [['sends a token by default', "request.token ?? 'none'", "request.token ?? 'client'", 'commands/verify: skips the checks that']], {
    'sends a token by default': 'it decides only whether a check is skipped for want of its token, and every run has the token "client"',
  }),
  ...mutantsOf('cdk/commands/verify/compare.ts', 'commands/verify/compare', [
    ['requires a header that must be absent', 'if (wanted === null) return value === null', 'if (wanted === null) return value !== null'],
    ['accepts any value of a header', 'wanted.test(value) ? undefined', 'true ? undefined'],
    ['does not compare the status', 'status !== undefined && response.status !== status', 'false'],
    ['accepts any body as an error', 'const isError = body?.code === code', 'const isError = true || body?.code === code'],
    ['accepts any message of the gateway', "isError && by === 'gateway' && body.message !== message", 'false'],
    ['accepts 410 before the sunset', "Date.parse(headers.get('Sunset') ?? '') < Date.now()", 'true', 'commands/verify: fails with the sunset'],
    ['does not compare common headers', "...(by !== 'AWS' && common),", ''],
    ['prints a long response in full', 'text.length > 160', 'text.length > 1e9'],
    ['does not require Sunset', 'Sunset: /GMT$/, ', '', 'commands/verify/wrong-responses'],
  ]),
  ...mutantsOf('cdk/commands/verify/created.ts', 'commands/verify: npm run verify --only', [['runs a check without a required id', 'if (note === undefined) throw', 'if (false) throw']]),
  ...mutantsOf('cdk/commands/verify/index.ts', 'commands/verify', [
    ['exits with 0 after a failed check', 'outcomes.FAILED > 0 || stop.signal.aborted ? 1 : 0', '0'],
    ['accepts 100 samples', '/^\\d{1,2}$/', '/^\\d+$/', 'commands/verify: reports missing options'],
    ['ends at once after a signal', '    stop.abort();\n', '    process.exit(1);\n', 'commands/verify: npm run verify, with a store'],
  ]),
  ...mutantsOf('cdk/commands/verify/latency.ts', 'commands/verify', [
    ['measures an operation that fails', 'response.status !== expected.get(id) && !isGone(response)', 'false'],
    ['uses the second largest value as p99', 'Math.ceil(share * values.length) - 1', 'Math.ceil(share * values.length) - 2', 'commands/verify/compare'],
    ['uses a value above the median as p50', 'Math.ceil(share * values.length) - 1', 'Math.floor(share * values.length)', 'commands/verify/compare'],
    ['measures no warm requests', 'samples.slice(cold)) sequential', 'samples.slice(0, 0)) sequential', 'commands/verify: passes, reports'],
  ]),
  ...mutantsOf('cdk/commands/verify/old-tls.ts', 'commands/verify: detects a server', [
    ['connects with TLS 1.2', "maxVersion: 'TLSv1.1'", "maxVersion: 'TLSv1.2'"],
    ['fails for a rejected handshake', "rejections.test(error.code ?? '') ? resolve(false) : reject(error)", 'reject(error)'],
    ['treats every error as a rejected handshake', "rejections.test(error.code ?? '') ? resolve(false) : reject(error)", 'resolve(false)'],
  ]),
  ...mutantsOf('cdk/commands/verify/operation-requests.ts', 'commands/verify: npm run verify, with a correct server', [
    ['does not record a created pet', '      pets.add(body.id);\n', '', 'commands/verify: removes a pet that the list'],
    ['measures operations with the run’s own items on a read-only run', '/^list|Docs|OpenApi/.test(id)', '/^list|^get/.test(id)', 'commands/verify: writes nothing'],
    ['does not measure deletePet', "  { id: 'deletePet', request: sample => ({ method: 'DELETE', path: pet(sample), ...client }) },\n", '', 'commands/verify: measures every operation'],
  ]),
  ...mutantsOf('cdk/commands/verify/run-check.ts', 'commands/verify', [
    ['does not retry for an index', 'eventually && attempt < attempts', 'false && attempt < attempts', 'commands/verify: retries a check'],
    ['retries every check', 'eventually && attempt < attempts', 'attempt < attempts', 'commands/verify/compare'],
    ['does not record what a failed check created', 'if (response.status < 300 && response.body) keep?.(response, created);', 'if (differences.length === 0 && response.body) keep?.(response, created);', 'commands/verify/compare'],
    ['reports a difference as ok', "differences.length > 0 ? { outcome: 'FAILED', name, text }", "false ? { outcome: 'FAILED', name, text }", 'commands/verify: with a server that has one defect'],
    ['reports an unreachable stage as observed', 'cut === undefined || isUnreachable(error)', 'cut === undefined', 'commands/verify: detects a closed connection'],
    ['does not accept a connection that closes while a body is sent', "'EPIPE', ", '', 'commands/verify/wrong-responses'],
  ]),
  ...mutantsOf('cdk/commands/verify/send.ts', 'commands/verify', [
    ['sends requests after a stop', "if (sender.signal?.aborted) throw new Error('stopped');", '', 'commands/verify/send'],
    ['does not retry a 503', '(response.status !== 429 && response.status !== 503)', 'response.status !== 429', 'commands/verify/send'],
    ['ignores Retry-After', "Number(response.headers.get('Retry-After') ?? 1)", '1', 'commands/verify/send'],
    ['retries forever', ' || attempts <= 1) return response;', ') return response;', 'commands/verify/send'],
  ]),
  ...mutantsOf('cdk/commands/verify/throttle.ts', 'commands/verify: causes a 429', [
    ['sends one round of requests', 'const floods = 5;', 'const floods = 0;'],
    ['accepts a 429 without its headers', "differences.length > 0 ? 'FAILED' : 'ok'", "'ok'", 'commands/verify/compare: a 429'],
    ['accepts a 429 of a function', "error: 'too_many_requests', by: 'gateway'", "error: 'too_many_requests', by: 'AWS'", 'commands/verify/compare: a 429'],
  ]),
  ...mutantsOf('cdk/commands/verify/tokens.ts', 'commands/verify', [
    ['requests tokens with all scopes', '...(scope && { scope: `${resourceServer}/${scope}` }),', '', 'commands/verify: npm run verify, with a correct server'],
    ['returns an empty token', 'if (body.access_token) return body.access_token;', "return body.access_token ?? '';", 'commands/verify: reports missing options'],
  ]),
  ...mutantsOf('cdk/commands/verify/checks/caching.ts', 'commands/verify: with a server that has one defect', [
    ['does not compare the coding', "expect: { status: 200, headers: { 'Content-Encoding': coding } },", 'expect: { status: 200 },'],
    ['accepts a 200 for a 304', '        status: 304,\n        headers: { ETag: /./ },', '        headers: { ETag: /./ },'],
    ['accepts a compressed response that the client does not accept', "headers: { 'Content-Encoding': null, ETag: /^(?:W", 'headers: { ETag: /^(?:W', 'commands/verify/wrong-responses'],
  ]),
  ...mutantsOf(
    'cdk/commands/verify/checks/catalog.ts',
    'commands/verify: with a server that has one defect',
    [
      ['does not compare a replaced pet', "expect: { status: 200, also: has({ name: 'Replaced' }) }", 'expect: { status: 200 }', 'commands/verify: with a server that has one defect'],
      ['creates a category without the mark', 'body: { name: mark + run },\n    headers', 'body: { name: run },\n    headers', 'commands/verify: npm run verify, with a store'],
      ['does not record the category', '    categories.add(body.id);\n', '', 'commands/verify'],
      ['does not compare a field', 'return wrong && ', 'return undefined && '],
      ['retries a request with another ETag', "name: '412: replaceCategory with another ETag',", "name: '412: replaceCategory with another ETag', eventually: true,", 'commands/verify/compare'],
    ],
    {
      'does not record the category': 'the run also finds its categories by their mark',
      'retries a request with another ETag': 'a check that succeeds at once has one attempt',
    },
  ),
  ...mutantsOf('cdk/commands/verify/checks/documentation.ts', 'commands/verify: with a server that has one defect', [
    ['treats every document as equal', 'return a === b ? undefined', 'return true ? undefined'],
    ['does not compare the policy', 'const missing = wanted.find(directive => !policy.includes(directive));', 'const missing = undefined;'],
    ['accepts a policy that the page cannot use', 'connect.includes("\'self\'") && connect', 'connect', 'commands/verify/wrong-responses'],
    ['accepts a page in a frame', '"frame-ancestors \'none\'", ', '', 'commands/verify/wrong-responses'],
  ]),
  ...mutantsOf('cdk/commands/verify/checks/errors.ts', 'commands/verify: npm run verify, with a correct server', [
    ['accepts any 404 for an unknown category', "    expect: { error: 'category_not_found' },\n", '    expect: { status: 404 },\n', 'commands/verify: fails every check of an error'],
    ['expects another error for truncated JSON', "body: '{\"name\":' },\n    expect: { error: 'invalid_request' }", "body: '{\"name\":' },\n    expect: { error: 'payload_too_large' }"],
  ]),
  ...mutantsOf('cdk/commands/verify/checks/open-questions.ts', 'commands/verify', [
    ['does not compare the request ids', "headers.get('X-Request-Id') === headers.get('x-amzn-RequestId') ? undefined : 'it is another value'", 'headers ? undefined : undefined', 'commands/verify/compare'],
    ['expects a weak ETag', 'headers: { ETag: /^"/ }', 'headers: { ETag: /^W/ }', 'commands/verify/compare'],
    ['accepts a 500 of AWS', 'status >= 400 && status < 500', 'status >= 400 && status <= 500', 'commands/verify/wrong-responses'],
  ]),
  ...mutantsOf('cdk/commands/verify/checks/orders.ts', 'commands/verify: with a server that has one defect', [
    ['accepts a replay as a new order', ", 'Idempotent-Replayed': null }", ' }'],
    ['does not compare the quantity', 'expect: { status: 200, also: has({ quantity }) },', 'expect: { status: 200 },', 'commands/verify: with a server that has one defect'],
    ['accepts a complete order without a ship date', 'body?.complete === true && body.shipDate ?', 'body?.complete === true ?', 'commands/verify/wrong-responses'],
    ['does not check the quantity after a complete order', "  quantityCheck(9, 'left after it'),\n", '', 'commands/verify/wrong-responses'],
    ['does not compare a replay', "headers: { 'Idempotent-Replayed': 'true' },\n      also: has({ id: Number(noted(created, 'order')) }),", ''],
  ]),
  ...mutantsOf('cdk/commands/verify/checks/pages.ts', 'commands/verify: with a server that has one defect', [
    ['accepts a page above its limit', '(ids(body).length <= 1 ? undefined', '(true ? undefined'],
    ['does not compare the second page', 'return all.join() === wanted.join() ? undefined', 'return true ? undefined', 'commands/verify: with a server that has one defect'],
    ['accepts a link of another origin', 'next.startsWith(`${base}/pets?`) ? undefined', 'true ? undefined', 'commands/verify: with a server that has one defect'],
    ['accepts a list of orders that may be cached', "path: '/store/orders?limit=1', token: 'client' },\n    expect: { status: 200, headers: { 'Cache-Control': 'no-store' }", "path: '/store/orders?limit=1', token: 'client' },\n    expect: { status: 200, headers: {}", 'commands/verify/wrong-responses'],
  ]),
  ...mutantsOf('cdk/commands/verify/checks/routes.ts', 'commands/verify: with a server that has one defect', [
    ['does not compare Allow', "headers: { Allow: new RegExp(`^${[...methods, 'OPTIONS'].join(', ?')}$`), 'X-Request-Id': /./ },", "headers: { 'X-Request-Id': /./ },"],
    ['accepts any preflight response', 'return wrong.length > 0 ?', 'return false ?'],
    ['sends no request to an unknown path below /docs', "'/store', '/docs/a/b'", "'/store'", 'commands/verify/wrong-responses'],
    ['expects a token for public operations', "access !== 'public');\n\nconst own", "access !== 'inventory');\n\nconst own", 'commands/verify: npm run verify, with a correct server'],
  ]),
  ...mutantsOf('cdk/commands/verify/checks/scopes.ts', 'commands/verify: with a server that has one defect', [
    ['checks no operation', ".filter(({ access }) => access !== 'public' && access !== scope)", '.filter(() => false)'],
    ['uses a token with orders.manage', "token: 'orders', body: { petId: 0, complete: true }", "token: 'client', body: { petId: 0, complete: true }", 'commands/verify: npm run verify, with a correct server'],
  ]),
];
