import { mutantsOf } from '../mutant.ts';

/** cdk/commands/verify: what a verification removes, and what it runs for the checks that are named. */
export const ofVerify = [
  ...mutantsOf('cdk/commands/verify/clean-up.ts', 'commands/verify: npm run verify, with a store', [
    ['takes every category for its own', 'if (name.startsWith(mark)) found', 'if (name) found'],
    ['takes no category for its own', 'if (name.startsWith(mark)) found', 'if (false) found'],
    ['does not read a category again', 'if (!String(body?.name).startsWith(mark)) {', 'if (false) {'],
    ['removes a category that it cannot read', '      if (status !== 200) continue;\n', ''],
    ['removes pets of other categories', 'if (pet.categoryId === id) pets', 'if (pet) pets'],
    ['cancels orders of other pets', 'if (order.petId === id) orders', 'if (order) orders'],
  ]),
  ...mutantsOf('cdk/commands/verify/plan.ts', 'commands/verify: npm run verify --only', [
    ['prepares nothing', '(step.leaves && index < last)', 'false'],
    ['prepares what nothing needs', '&& step.needsEarlier);', ');'],
    ['a name has a case', 'includes(text.toLowerCase())', 'includes(text)'],
    ['one name that is right is enough', 'if (unknown.length > 0)', 'if (unknown.length === only.length && only.length > 0)'],
  ]),
  ...mutantsOf('cdk/commands/verify/verify.ts', 'commands/verify: npm run verify --only', [
    ['shows what only prepares', "if (isNamed || result.outcome === 'FAILED') onResult(result);", 'onResult(result);'],
    ['hides what fails to prepare', "if (isNamed || result.outcome === 'FAILED') onResult(result);", 'if (isNamed) onResult(result);'],
    ['removes where it wrote nothing', 'if (writes) await removeOwn();', 'await removeOwn();'],
    ['gives an index more time', 'attempts = 8', 'attempts = 9', 'commands/verify: retries a check seven'],
  ]),
  ...mutantsOf('cdk/commands/verify/check.ts', 'commands/verify: npm run verify, with a correct server', [['a request without a token has one', "request.token ?? 'none'", "request.token ?? 'client'", 'commands/verify: skips the checks that']], {
    'a request without a token has one': 'it decides only whether a check is skipped for want of its token, and every run has the token "client"',
  }),
  ...mutantsOf('cdk/commands/verify/compare.ts', 'commands/verify/compare', [
    ['an absent header is present', 'if (wanted === null) return value === null', 'if (wanted === null) return value !== null'],
    ['any value of a header is right', 'wanted.test(value) ? undefined', 'true ? undefined'],
    ['a status is not compared', 'status !== undefined && response.status !== status', 'false'],
    ['any body is an Error', 'const isError = body?.code === code', 'const isError = true || body?.code === code'],
    ['any message of the gateway is right', "isError && by === 'gateway' && body.message !== message", 'false'],
    ['an operation has ended before its sunset', "Date.parse(headers.get('Sunset') ?? '') < Date.now()", 'true', 'commands/verify: fails with the sunset'],
    ['common headers are not compared', "...(by !== 'AWS' && common),", ''],
    ['a long response is printed whole', 'text.length > 160', 'text.length > 1e9'],
  ]),
  ...mutantsOf('cdk/commands/verify/created.ts', 'commands/verify: npm run verify --only', [['a check runs without its note', 'if (note === undefined) throw', 'if (false) throw']]),
  ...mutantsOf('cdk/commands/verify/index.ts', 'commands/verify', [
    ['a failed check exits with 0', 'outcomes.FAILED > 0 || stop.signal.aborted ? 1 : 0', '0'],
    ['100 samples are accepted', '/^\\d{1,2}$/', '/^\\d+$/', 'commands/verify: reports missing options'],
    ['a signal ends the process at once', '    stop.abort();\n', '    process.exit(1);\n', 'commands/verify: npm run verify, with a store'],
  ]),
  ...mutantsOf('cdk/commands/verify/latency.ts', 'commands/verify', [
    ['an operation that fails is measured', 'response.status !== expected.get(id) && !isGone(response)', 'false'],
    ['p99 is the second largest', 'Math.ceil(share * values.length) - 1', 'Math.ceil(share * values.length) - 2', 'commands/verify/compare'],
    ['p50 is above the middle', 'Math.ceil(share * values.length) - 1', 'Math.floor(share * values.length)', 'commands/verify/compare'],
    ['warm requests are cold', 'samples.slice(cold)) sequential', 'samples.slice(0, 0)) sequential', 'commands/verify: passes, reports'],
  ]),
  ...mutantsOf('cdk/commands/verify/old-tls.ts', 'commands/verify: detects a server', [
    ['it would connect with TLS 1.2', "maxVersion: 'TLSv1.1'", "maxVersion: 'TLSv1.2'"],
    ['a rejected handshake is a failure', "rejections.test(error.code ?? '') ? resolve(false) : reject(error)", 'reject(error)'],
    ['every error is a rejected handshake', "rejections.test(error.code ?? '') ? resolve(false) : reject(error)", 'resolve(false)'],
  ]),
  ...mutantsOf('cdk/commands/verify/operation-requests.ts', 'commands/verify: npm run verify, with a correct server', [
    ['a pet is not removed', '      pets.add(body.id);\n', '', 'commands/verify: removes a pet that the list'],
    ['reads only also reads pets of the run', '/^list|Docs|OpenApi/.test(id)', '/^list|^get/.test(id)', 'commands/verify: writes nothing'],
    ['an operation is not measured', "  { id: 'deletePet', request: sample => ({ method: 'DELETE', path: pet(sample), ...client }) },\n", '', 'commands/verify: measures every operation'],
  ]),
  ...mutantsOf('cdk/commands/verify/run-check.ts', 'commands/verify', [
    ['a check waits for no index', 'eventually && attempt < attempts', 'false && attempt < attempts', 'commands/verify: retries a check'],
    ['every check waits', 'eventually && attempt < attempts', 'attempt < attempts', 'commands/verify/compare'],
    ['what a failed check created stays', 'if (response.status < 300 && response.body) keep?.(response, created);', 'if (differences.length === 0 && response.body) keep?.(response, created);', 'commands/verify/compare'],
    ['a difference is ok', "differences.length > 0 ? { outcome: 'FAILED', name, text }", "false ? { outcome: 'FAILED', name, text }", 'commands/verify: with a server that has one defect'],
    ['a stage that nobody reaches is observed', 'cut === undefined || isUnreachable(error)', 'cut === undefined', 'commands/verify: detects a closed connection'],
  ]),
  ...mutantsOf('cdk/commands/verify/send.ts', 'commands/verify', [
    ['a stopped run sends on', "if (sender.signal?.aborted) throw new Error('stopped');", '', 'commands/verify/send'],
    ['a 503 is not retried', '(response.status !== 429 && response.status !== 503)', 'response.status !== 429', 'commands/verify/send'],
    ['Retry-After is ignored', "Number(response.headers.get('Retry-After') ?? 1)", '1', 'commands/verify/send'],
    ['it retries for ever', ' || attempts <= 1) return response;', ') return response;', 'commands/verify/send'],
  ]),
  ...mutantsOf('cdk/commands/verify/throttle.ts', 'commands/verify: causes a 429', [
    ['one round of requests is enough', 'const floods = 5;', 'const floods = 0;'],
    ['a 429 without its headers is right', "differences.length > 0 ? 'FAILED' : 'ok'", "'ok'", 'commands/verify/compare: a 429'],
    ['a 429 of a function is right', "error: 'too_many_requests', by: 'gateway'", "error: 'too_many_requests', by: 'AWS'", 'commands/verify/compare: a 429'],
  ]),
  ...mutantsOf('cdk/commands/verify/tokens.ts', 'commands/verify', [
    ['tokens of one scope have all', '...(scope && { scope: `${resourceServer}/${scope}` }),', '', 'commands/verify: npm run verify, with a correct server'],
    ['a token that is not issued is empty', 'if (body.access_token) return body.access_token;', "return body.access_token ?? '';", 'commands/verify: reports missing options'],
  ]),
  ...mutantsOf('cdk/commands/verify/checks/caching.ts', 'commands/verify: with a server that has one defect', [
    ['a coding is not compared', "expect: { status: 200, headers: { 'Content-Encoding': coding } },", 'expect: { status: 200 },'],
    ['a 304 may be a 200', '        status: 304,\n        headers: { ETag: /./ },', '        headers: { ETag: /./ },'],
  ]),
  ...mutantsOf(
    'cdk/commands/verify/checks/catalog.ts',
    'commands/verify: with a server that has one defect',
    [
      ['a category has no mark', 'body: { name: mark + run },\n    headers', 'body: { name: run },\n    headers', 'commands/verify: npm run verify, with a store'],
      ['the category is not removed', '    categories.add(body.id);\n', '', 'commands/verify'],
      ['a field of a response is not compared', 'return wrong && ', 'return undefined && '],
      ['a wrong ETag is accepted', "name: '412: replaceCategory with another ETag',", "name: '412: replaceCategory with another ETag', eventually: true,", 'commands/verify/compare'],
    ],
    {
      'the category is not removed': 'the run also finds its categories by their mark',
      'a wrong ETag is accepted': 'a check that succeeds at once has one attempt',
    },
  ),
  ...mutantsOf('cdk/commands/verify/checks/documentation.ts', 'commands/verify: with a server that has one defect', [
    ['every document is equal', 'return a === b ? undefined', 'return true ? undefined'],
    ['the policy is not compared', 'const missing = wanted.find(directive => !policy.includes(directive));', 'const missing = undefined;'],
  ]),
  ...mutantsOf('cdk/commands/verify/checks/errors.ts', 'commands/verify: npm run verify, with a correct server', [['truncated JSON is another error', "body: '{\"name\":' },\n    expect: { error: 'invalid_request' }", "body: '{\"name\":' },\n    expect: { error: 'payload_too_large' }"]]),
  ...mutantsOf('cdk/commands/verify/checks/open-questions.ts', 'commands/verify', [
    ['the request id is not compared', "headers.get('X-Request-Id') === headers.get('x-amzn-RequestId') ? undefined : 'it is another value'", 'headers ? undefined : undefined', 'commands/verify/compare'],
    ['the ETag is weak', 'headers: { ETag: /^"/ }', 'headers: { ETag: /^W/ }', 'commands/verify/compare'],
  ]),
  ...mutantsOf(
    'cdk/commands/verify/checks/orders.ts',
    'commands/verify: with a server that has one defect',
    [
      ['the quantity is not compared', 'expect: { status: 200, also: has({ quantity }) },', 'expect: { status: 200 },', 'commands/verify: with a server that has one defect'],
      ['a replay is not compared', "headers: { 'Idempotent-Replayed': 'true' },\n      also: has({ id: Number(noted(created, 'order')) }),", ''],
      ['the completed order is removed', '    keep: ({ body }, { orders: created }) => created.delete(body.id),\n', '', 'commands/verify: completes an order'],
    ],
    { 'the completed order is removed': 'cancelOrder of a complete order is 409, and the clean-up then leaves the order' },
  ),
  ...mutantsOf('cdk/commands/verify/checks/pages.ts', 'commands/verify: with a server that has one defect', [
    ['the second page is not compared', 'return all.join() === wanted.join() ? undefined', 'return true ? undefined', 'commands/verify: with a server that has one defect'],
    ['the link may have another origin', 'next.startsWith(`${base}/pets?`) ? undefined', 'true ? undefined', 'commands/verify: with a server that has one defect'],
  ]),
  ...mutantsOf('cdk/commands/verify/checks/routes.ts', 'commands/verify: with a server that has one defect', [
    ['Allow is not compared', "headers: { Allow: new RegExp(`^${[...methods, 'OPTIONS'].join(', ?')}$`), 'X-Request-Id': /./ },", "headers: { 'X-Request-Id': /./ },"],
    ['a preflight allows anything', 'return wrong.length > 0 ?', 'return false ?'],
    ['public operations need a token', "access !== 'public');\n\nconst own", "access !== 'inventory');\n\nconst own", 'commands/verify: npm run verify, with a correct server'],
  ]),
  ...mutantsOf('cdk/commands/verify/checks/scopes.ts', 'commands/verify: with a server that has one defect', [
    ['no operation is checked', ".filter(({ access }) => access !== 'public' && access !== scope)", '.filter(() => false)'],
    ['orders.manage is orders', "token: 'orders', body: { petId: 0, complete: true }", "token: 'client', body: { petId: 0, complete: true }", 'commands/verify: npm run verify, with a correct server'],
  ]),
];
