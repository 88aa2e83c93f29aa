import { afterEach, beforeAll, expect, it } from 'vitest';
import { mark } from '../stage/clean-up.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import {
  type ForwardedRequest,
  type ForwardedResponse,
  startForwarder,
} from '../support/forwarder.ts';
import { usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';

/** Runs test/stage by a command, as operators do. `npm test` also runs it directly, on another stage. */

/** A proxy serves the stage below this path. Its deprecated operation getPet has ended. */
const path = '/shop';
const front = await startForwarder('');
const sunset = { DEPRECATED_ON: '2025-01-01', SUNSET_ON: '2025-06-30', ENFORCE_SUNSET: 'true' };
const petstore = usePetstore({ environment: { PUBLIC_URL: front.url + path, ...sunset } });
/** `change` is applied to requests (method, path, headers) and responses (also the status) that match `at`. */
type Defect = readonly [
  at: RegExp,
  change: (changed: ForwardedRequest & ForwardedResponse) => void,
];
let defects: readonly Defect[] = [];
const applyDefects = (text: string, changed: ForwardedRequest | ForwardedResponse): undefined => {
  for (const [at, change] of defects) if (at.test(text)) change(changed as never);
};

beforeAll(async () => {
  front.target = petstore.url;
  front.hooks = {
    request: request => {
      request.path = request.path.replace(path, '');
      request.headers.host = new URL(front.target).host;
      return applyDefects(textOf(request), request);
    },
    response: (response, request) =>
      applyDefects(`${textOf(request)} → ${response.status}`, response),
  };
  // `npm run verify` must not delete these, although they resemble `mark`.
  for (const name of ['Cats', mark.trim().toUpperCase(), `not ${mark}`])
    await createPet(petstore.staff, (await createCategory(petstore.staff, name)).id);
  return front.stop;
});
const namesOf = async (list: string) =>
  (await petstore.staff('GET', list)).body.map(({ name }: { name: string }) => name);
afterEach(async () => {
  defects = [];
  expect([await namesOf('/pets'), (await namesOf('/pets/categories')).length]).toEqual([
    ['Tom', 'Tom', 'Tom'],
    3,
  ]);
  expect(await petstore.staff('GET', '/store/orders?complete=false')).toMatchObject({ body: [] });
});

const start = (...options: string[]) => run('test/stage/index.ts', options);
const atFront = (client: string) => [
  '--url',
  `${front.url}${path}/`,
  '--secret',
  'local',
  '--client',
  client,
];
const verify = async (...options: string[]) => {
  const { exit, output } = start(...options);
  const code = await exit;
  const failed: string[] = output().match(/(?<=^FAILED +)\S.*$/gm) ?? [];
  return { code, failed, totals: output().trimEnd().split('\n').at(-1)!, output: output() };
};

const textOf = ({ method, path, headers }: ForwardedRequest) =>
  [method, path, headers['accept-encoding'], headers['if-none-match'] && 'if-none-match']
    .filter(Boolean)
    .join(' ');

const replace = (found: string, by: string) => (response: ForwardedResponse) =>
  void Object.assign(response, { body: `${response.body}`.replace(found, by) });
/** Without a value, removes the header. */
const header =
  (name: string, value?: string) => (changed: ForwardedResponse | ForwardedRequest) => {
    delete changed.headers[name];
    if (value) changed.headers[name] = value;
  };
const setStatus = (status: number) => (response: ForwardedResponse) =>
  void Object.assign(response, { status });

const otherHost = '<http://x/shop/pets>; rel="next"';
const notCompressed: Defect = [/^GET \/openapi.json gzip$/, header('accept-encoding')];

/** A test of test/stage → a defect that makes it fail, one of each kind. */
const kinds: Readonly<Record<string, Defect>> = {
  'returns 404 for /nothing, with a token too': [
    /^GET \/nothing .*→ 404/,
    header('access-control-allow-origin'),
  ],
  'returns 405 for PATCH': [/^PATCH \/pets .*→ 405/, header('allow')],
  'has a preflight response': [
    /^OPTIONS \/pets\/categories .*→ 204/,
    header('access-control-allow-headers'),
  ],
  // On AWS, the authorizer is missing: then the function responds, and AWS renames the header.
  'deletePet returns 401 without a valid token': [
    /^DELETE \/pets\/9\d+ .*→ 401/,
    header('www-authenticate'),
  ],
  'replacePet returns 403': [/^PUT \/pets\/9\d+ .*→ 403/, setStatus(404)],
  'payload_too_large: a large body': [
    /^POST \/pets .*→ 413/,
    replace('payload_too_large', 'too_large'),
  ],
  'invalid_request: two problems': [/^GET \/pets\?limit=0&color/, replace('color', 'colour')],
  'category_not_found: an unknown category': [
    /^GET \/pets\/categories\/9\d+ .*→ 404/,
    header('x-request-id'),
  ],
  'with deflate changes no body': [/^GET \/openapi.json deflate$/, header('accept-encoding')],
  'with gzip changes no body': notCompressed,
  'the ETag of a compressed response': notCompressed,
  'the length of a compressed response': notCompressed,
  'changes no 304': [/^GET \/openapi.json .*if-none-match$/, header('if-none-match')],
  'the document is the one of this version': [
    /^GET \/openapi.json identity → 200/,
    replace('"summary":"', '$&A '),
  ],
  'the file page.css of the page': [
    /^GET \/docs\/page.css .*→/,
    header('content-type', 'text/html'),
  ],
  'the root redirects to the page': [/^GET \/ .*→ 302/, header('location', '/docs')],
  '/store/orders is a list': [
    /^GET \/store\/orders\?limit=1 .*→ 200/,
    header('cache-control', 'no-cache'),
  ],
  '/pets/categories is a list': [
    /^GET \/pets\/categories\?limit=1 .*→ 200/,
    replace('"name"', '"color":"red","name"'),
  ],
  'has pets, in pages with links': [
    /^GET \/pets\?categoryId=\d+&limit=2 .*→ 200/,
    header('link', otherHost),
  ],
  'has an order that takes and returns units': [
    /^POST \/store\/orders /,
    header('idempotency-key'),
  ],
  'two slashes at the beginning': [/^GET \/\/pets.*→ 200/, setStatus(500)],
};

it('finds each kind of defect and no other, and removes what runs created', async () => {
  const own = petstore.withToken(await petstore.token('verify'));
  const left = await createPet(own, (await createCategory(own, `${mark}of a killed run`)).id);
  expect((await own('POST', '/store/orders', { body: { petId: left.id } })).status).toBe(201);
  defects = Object.values(kinds);
  const { code, failed, totals, output } = await verify(...atFront('verify'));
  const names = failed.map(line => line.split(' [')[0]!.split(' > ').at(-1)!);
  expect([code, names.sort()], output).toEqual([1, Object.keys(kinds).sort()]);
  expect(totals).toMatch(/^1\d\d ok, 14 local, \d\d FAILED, 0 skipped$/);
  expect(output).toMatch(
    /^local {5}X-HTTP-Method-Override \[GET .*\]: it changes the method \(cdk\/local/m,
  );
  expect(Math.max(...output.split('\n').map(({ length }) => length))).toBeLessThan(400);
  expect(failed).toContain(
    "/pets > returns 405 for PATCH [PATCH /pets]: expected undefined to deeply equal [ 'GET', 'POST', 'OPTIONS' ]",
  );
});

it('lists what the client monitor cannot test, and a write in a read-only run', async () => {
  defects = [[/^POST \/store\/orders .*→ 403/, setStatus(201)]];
  const { code, failed, totals, output } = await verify(...atFront('monitor'), '--read-only');
  const succeeded =
    '[POST /store/orders]: POST /store/orders succeeded with 201, although the run is read-only';
  expect([code, failed], output).toEqual([1, Array(2).fill(expect.stringContaining(succeeded))]);
  expect(totals).toMatch(/^1\d\d ok, 15 local, 2 FAILED, 26 skipped$/);
  expect(output).toMatch(
    /^skipped {3}\/store\/inventory is a list: the client does not have the scope inventory.read$/m,
  );
});

it('removes what it created after a signal to stop', async () => {
  const stopped = start(...atFront('staff'), '-t', 'category with THREE pets');
  await expect.poll(() => namesOf('/pets'), { interval: 5 }).toContain('One');
  stopped.child.kill('SIGTERM');
  expect([await stopped.exit, stopped.output()]).toEqual([
    1,
    expect.stringMatching(/^FAILED {4}the run was stopped/m),
  ]);
});

it('fails if no test has a name, or no token is issued', async () => {
  const { code, failed } = await verify(...atFront('staff'), '--read-only', '-t', 'no such name');
  expect([code, failed]).toEqual([1, ['no test has "no such name" in its name']]);
  const denied = await verify('--local', petstore.url, '--secret', 'wrong', '--read-only');
  expect([denied.code, denied.output]).toEqual([
    1,
    expect.stringContaining('no token for the client "monitor": 400'),
  ]);
  const unknown = await verify(...atFront('staff'), '--as', 'staging');
  expect([unknown.code, unknown.output]).toEqual([
    1,
    expect.stringContaining('has no stage "staging"'),
  ]);
});
