import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import timers from 'node:timers/promises';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { resourcesOf } from '../../cdk/build/template.ts';
import { openQuestions } from '../../cdk/commands/verify/checks/open-questions.ts';
import { cleanUp, findLeftovers } from '../../cdk/commands/verify/clean-up.ts';
import { mark, nothingCreated } from '../../cdk/commands/verify/created.ts';
import { acceptsOldTls } from '../../cdk/commands/verify/old-tls.ts';
import { operationRequests } from '../../cdk/commands/verify/operation-requests.ts';
import { type Result, runOpenQuestion } from '../../cdk/commands/verify/run-check.ts';
import { createSend, type Send } from '../../cdk/commands/verify/send.ts';
import { type VerifyOptions, verify } from '../../cdk/commands/verify/verify.ts';
import { localIssuer } from '../../cdk/local/auth/local-auth.ts';
import { toBody } from '../../lib/errors.ts';
import { operationIds } from '../../lib/operations/index.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { type Petstore, sharedAssembly, startPetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';
import { type Rewrite, type RewritingProxy, startRewritingProxy } from '../support/rewriting-proxy.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';

const credentials = { client: 'staff', secret: 'local' };
const script = 'cdk/commands/verify/index.ts';
const asStaff = ['--client', 'staff', '--secret', 'local'];

/** Without the pauses for the index of a real table. */
const resultsOf = async (url: string, options: Partial<VerifyOptions> = {}) => {
  const results: Result[] = [];
  const table = await verify({ url, credentials, pause: 0, ...options }, result => results.push(result));
  return {
    results,
    table,
    names: results.map(({ name }) => name),
    failed: results.filter(({ outcome }) => outcome === 'FAILED').map(({ name, text }) => `${name}: ${text}`),
  };
};

const found = 'removes what earlier runs left: 1 categories';
const removed = 'removes what this run created';

let petstore: Petstore;
/** A proxy of the petstore. Without a rewrite it changes nothing. */
let front: RewritingProxy;

const created = async (): Promise<{ id: number }[]> => {
  const { body } = await petstore.staff('GET', '/pets/categories?limit=100');
  return body.filter(({ name }: { name: string }) => name.startsWith(mark));
};

/** Everything in the store except what a run created, and except complete orders. */
const othersOf = async ({ anonymous, staff }: Petstore) => {
  const marked = new Set((await created()).map(({ id }) => id));
  const listOf = async (path: string) => (await staff('GET', path)).body as { id: number; [name: string]: unknown }[];
  const pets = (await listOf('/pets?limit=100')).filter(({ categoryId }) => !marked.has(categoryId as number));
  const ids = new Set(pets.map(({ id }) => id));
  return {
    categories: ((await anonymous('GET', '/pets/categories?limit=100')).body as { id: number }[]).filter(
      ({ id }) => !marked.has(id),
    ),
    pets,
    inventory: (await listOf('/store/inventory?limit=100')).filter(({ petId }) => ids.has(petId as number)),
    orders: (await listOf('/store/orders?complete=false&limit=100')).filter(({ petId }) => ids.has(petId as number)),
  };
};

let others: Awaited<ReturnType<typeof othersOf>>;

beforeAll(async () => {
  petstore = await startPetstore();
  front = await startRewritingProxy(petstore.url);
  const { staff, shop, rival } = petstore;
  await createCategory(staff, 'Empty');
  // Names that differ from the mark only a little.
  await createCategory(staff, mark.trim().toUpperCase());
  await createCategory(staff, `not ${mark}`);
  const { id: petId, categoryId } = await stockedPet(staff, 9);
  await createPet(staff, categoryId);
  for (const client of [staff, shop, rival])
    expect((await client('POST', '/store/orders', { body: { petId, quantity: 2 } })).status).toBe(201);
  others = await othersOf(petstore);
  expect(Object.values(others).map(({ length }) => length)).toEqual([4, 2, 2, 3]);
});

afterEach(() => {
  front.rewrite = {};
});

afterAll(async () => {
  front.stop();
  // After runs that succeeded, failed or were stopped.
  expect(await othersOf(petstore), 'what others have in the store').toEqual(others);
  expect([petstore.failures, petstore.proxy.denials]).toEqual([[], []]);
  await petstore.stop();
});

const expiredToken = ({ tokenKey }: Petstore): Promise<string> =>
  new SignJWT({ token_use: 'access', scope: 'petstore/orders', sub: 'staff', client_id: 'staff' })
    .setProtectedHeader({ alg: 'RS256', kid: tokenKey.publicJwk.kid! })
    .setIssuer(localIssuer)
    .setIssuedAt('25 hours ago')
    .setExpirationTime('1 hour ago')
    .sign(tokenKey.privateKey);

describe('npm run verify, with a correct server', () => {
  it('passes, reports open questions and latencies, and leaves no items', async () => {
    const args = ['--url', petstore.url, ...asStaff, '--cold', '2', '--warm', '1'];
    const whole = await runInProcess(script, [...args, '--expired-token', await expiredToken(petstore)]);
    expect([whole.code, whole.output]).toEqual([0, expect.stringContaining('0 failed, 0 skipped')]);
    expect(whole.output).toMatch(/^local +X-Request-Id of a gateway response: a gateway response takes/m);
    expect(whole.output).toMatch(/^ok +401, an expired token: GET \/store\/orders$/m);
    expect(whole.output).toMatch(/^cancelOrder +\d+ +\d+ +\d+ +\d+$/m);
    const lists = ['/pets/categories', '/pets', '/store/orders'].map(path =>
      petstore.staff('GET', `${path}?limit=100`),
    );
    const { categories, pets, orders } = others;
    expect((await Promise.all(lists)).map(({ body }) => body)).toEqual([categories, pets, orders]);
  });

  it('completes an order with --complete-order', async () => {
    const only = ['complete', 'left after it'];
    const { failed, names } = await resultsOf(petstore.url, { completeOrder: true, only });
    expect(failed).toEqual([]);
    expect(names).toContain('409: cancelOrder of a complete order');
    expect(await created()).toEqual([]);
    expect((await petstore.staff('GET', '/store/orders?complete=true')).body).toHaveLength(1);
  });

  describe('as the client verify, without orders.manage', () => {
    const asVerify = { credentials: { client: 'verify', secret: 'local' } };

    it('passes, and skips only the checks of updateOrder', async () => {
      const { results, failed, table } = await resultsOf(petstore.url, { ...asVerify, samples: { cold: 1, warm: 0 } });
      expect(failed).toEqual([]);
      const skipped = results.filter(({ outcome }) => outcome === 'skipped');
      const manage = 'needs a client with the scope orders.manage';
      expect(skipped.filter(({ text }) => text === manage).map(({ name }) => name)).toEqual([
        'updateOrder with its ETag',
        '412: updateOrder with the previous ETag',
      ]);
      expect(skipped).toHaveLength(3);
      expect([table!.includes('cancelOrder'), table!.includes('updateOrder')]).toEqual([true, false]);
      expect(await created()).toEqual([]);
    });

    it('writes nothing with --complete-order', async () => {
      const writes = () =>
        petstore.proxy.responses.filter(({ call }) => call.operation === 'TransactWriteItems').length;
      const before = writes();
      const run = resultsOf(petstore.url, { ...asVerify, completeOrder: true });
      await expect(run).rejects.toThrow('--complete-order needs a client with the scope orders.manage: --client ID');
      expect(writes()).toBe(before);
    });
  });

  it('measures every operation', () => {
    expect(operationRequests.map(({ id }) => id).sort()).toEqual(operationIds.toSorted());
  });

  it('writes nothing with --read-only', async () => {
    const before = petstore.proxy.responses.length;
    const { failed } = await resultsOf(petstore.url, { readOnly: true, samples: { cold: 1, warm: 1 } });
    expect(failed).toEqual([]);
    expect(
      petstore.proxy.responses.slice(before).filter(({ call }) => /Write|Put|Update|Delete/.test(call.operation)),
    ).toEqual([]);
  });

  it('skips the checks that need another token when --token is given, and reports them', async () => {
    const { results, failed, names } = await resultsOf(petstore.url, {
      credentials: { token: await petstore.token('staff') },
      only: ['401, an expired', '403: ', 'deletePet'],
    });
    expect([failed, names]).toEqual([[], expect.arrayContaining(['deletePet', removed])]);
    const [expired, ...narrowed] = results.filter(({ outcome }) => outcome === 'skipped');
    expect(expired).toMatchObject({
      name: expect.stringMatching(/^401, an expired/),
      text: expect.stringMatching(/^needs --expired-token/),
    });
    expect(narrowed.length).toBeGreaterThan(0);
    for (const result of narrowed)
      expect(result).toMatchObject({ name: expect.stringMatching(/^403/), text: 'needs --client and --secret' });
  });

  it('reports missing options, and a stage that does not respond', async () => {
    const nothing = await runInProcess(script, ['--url', petstore.url]);
    const nowhere = await runInProcess(script, ['--url', 'http://127.0.0.1:1', ...asStaff]);
    expect([nothing.code, nothing.output]).toEqual([
      1,
      expect.stringContaining('Which client? --client ID, and PETSTORE_SECRET or --secret SECRET'),
    ]);
    expect([nowhere.code, nowhere.output]).toEqual([1, expect.stringMatching(/fetch failed|ECONNREFUSED/)]);
    for (const [option, count] of [
      ['--cold', '100'],
      ['--warm', '-1'],
    ] as const)
      expect(
        await runInProcess(script, ['--url', petstore.url, ...asStaff, '--only', 'none', `${option}=${count}`]),
      ).toMatchObject({
        code: 1,
        err: expect.stringContaining(`${option} ${count} is not a number from 0 to 99.`),
      });
    const wrong = await runInProcess(script, ['--url', petstore.url, '--client', 'staff', '--secret', 'wrong']);
    expect([wrong.code, wrong.output]).toEqual([
      1,
      expect.stringContaining('issued no token for the client "staff": 400 invalid_client'),
    ]);
  });
});

describe('npm run verify, with a stage behind a proxy whose getPet has ended', () => {
  let behind: Petstore;
  let url: string;
  const ends: (() => void)[] = [];

  beforeAll(async () => {
    // Another host name, with TLS, and a path.
    const path = '/shop';
    const inner = await startRewritingProxy('');
    inner.rewrite = {
      request: request => {
        request.path = request.path.replace(path, '');
        request.headers.host = new URL(inner.target).host;
        return undefined;
      },
    };
    const outer = await startTlsProxy(inner.url);
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, readFileSync(outer.certificate, 'utf8')]);
    // As synthesis gives it to the functions: test/api/public-url.test.ts, test/api/life-cycle.test.ts.
    const sunset = { DEPRECATED_ON: '2025-01-01', SUNSET_ON: '2025-06-30', ENFORCE_SUNSET: 'true' };
    const environment = { PUBLIC_URL: outer.url + path, ...sunset };
    behind = await startPetstore({ environment });
    inner.target = behind.url;
    // The output ApiUrl of the stage.
    url = `${outer.url}${path}/`;
    ends.push(outer.stop, inner.stop, () => setDefaultCACertificates(trusted));
  });
  afterAll(async () => {
    for (const end of ends) end();
    expect([behind.failures, behind.proxy.denials]).toEqual([[], []]);
    await behind.stop();
  });

  it('passes at the output ApiUrl, and accepts 410', async () => {
    const names = [
      'the document equals the committed one',
      'the page and its Content',
      'the root redirects to the page',
    ];
    const ofPets = ['getPet, with the headers', 'a first page', 'the next page', 'from the deprecated getPet'];
    const ofTheGateway = [
      'TLS 1.1 is rejected',
      'preflight',
      '401, ',
      '404: GET',
      '405: ',
      'compress',
      '304: the document',
    ];
    const only = [...names, ...ofPets, ...ofTheGateway];
    const { failed, results } = await resultsOf(url, { only });
    expect(failed).toEqual([]);
    const ok = results.filter(({ outcome }) => outcome === 'ok').map(({ name }) => name);
    for (const name of only) expect(ok).toContainEqual(expect.stringContaining(name));
    expect(results.filter(({ outcome }) => outcome === 'skipped')).toHaveLength(1);
    expect((await behind.staff('GET', '/pets/categories')).body).toEqual([]);
    expect((await behind.anonymous('GET', '/pets/1')).status).toBe(410);
  });

  it('accepts 410 with --read-only, too', async () => {
    const { failed, names } = await resultsOf(url, { readOnly: true, only: ['getPet'] });
    expect([failed, names]).toEqual([[], ['404: no such pet, from the deprecated getPet']]);
  });
});

describe('npm run verify, with a stage whose getPet returns 410', () => {
  const options = { only: ['getPet, with the headers', 'latency'], samples: { cold: 1, warm: 0 } };
  const sunsetAt = (sunset: string): Rewrite => ({
    response: (response, { method, path }) => {
      if (method !== 'GET' || !/^\/pets\/\d+$/.test(path)) return;
      Object.assign(response, { status: 410, body: JSON.stringify(toBody('gone')) });
      response.headers.sunset = sunset;
    },
  });

  it('passes after the sunset, and measures it', async () => {
    front.rewrite = sunsetAt('Mon, 30 Jun 2025 23:59:59 GMT');
    const { failed, names, table } = await resultsOf(front.url, options);
    expect([failed, names[0]]).toEqual([[], 'getPet, with the headers of a deprecated operation']);
    expect(table).toMatch(/^getPet +\d+ +\d+ +– +–$/m);
  });

  it.each(['Wed, 31 Dec 2999 23:59:59 GMT', 'soon'])('fails with the sunset %s', async sunset => {
    front.rewrite = sunsetAt(sunset);
    const { failed, table } = await resultsOf(front.url, options);
    expect([failed, table]).toEqual([
      [
        expect.stringMatching(/^getPet, with the headers of a deprecated operation: .*status 410, not 200/),
        expect.stringMatching(/^latency: getPet: 410/),
      ],
      undefined,
    ]);
  });
});

describe('npm run verify, with a store that has items of others', () => {
  const only = ['cancelOrder'];

  it('removes what it created after a signal to stop, and starts no more checks', async () => {
    const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    front.rewrite = {
      request: async ({ method, path }) => {
        if (method !== 'GET' || !path.startsWith('/store/inventory/')) return undefined;
        arrived.resolve();
        await released.promise;
        return undefined;
      },
    };
    const stopped = run(script, ['--url', front.url, ...asStaff, '--only', 'cancelOrder']);
    await arrived.promise;
    expect(await created()).toHaveLength(1);
    stopped.child.kill('SIGTERM');
    await expect.poll(stopped.output).toContain('Stopping. The run removes what it created first.');
    released.resolve();
    expect([await stopped.exit, stopped.output()]).toEqual([
      1,
      expect.stringMatching(/^ok +removes what this run created/m),
    ]);
    expect(stopped.output()).not.toMatch(/^ok +cancelOrder$/m);
    expect(await created()).toEqual([]);
    expect(await othersOf(petstore)).toEqual(others);
  });

  /** A request, after whose response the run gets a signal: while it creates, and while it removes. */
  const moments = {
    'the category is created': 'POST /pets/categories 201',
    'the first pet is created': 'POST /pets 201',
    'the order is placed': 'POST /store/orders 201',
    'the clean-up has begun': 'DELETE /pets/{id} 409',
  };

  it.each(
    Object.entries(moments).flatMap(([when, moment]) =>
      (['SIGINT', 'SIGKILL'] as const).map(signal => [signal, when, moment] as const),
    ),
  )('removes only what it created after %s when %s', async (signal, _when, moment) => {
    let child: ChildProcess | undefined;
    let sent = false;
    front.rewrite = {
      response: ({ status }, { method, path }) => {
        if (sent || `${method} ${path.replace(/\d{9,}/, '{id}')} ${status}` !== moment) return;
        sent = true;
        child!.kill(signal);
      },
    };
    // The check deletePet of a pet with an open order is the clean-up's request as well.
    const only = moment.startsWith('DELETE') ? ['409: deletePet'] : ['cancelOrder'];
    const stopped = run(script, ['--url', front.url, ...asStaff, ...only.flatMap(name => ['--only', name])]);
    child = stopped.child;
    const code = await stopped.exit;
    expect([sent, code]).toEqual([true, signal === 'SIGKILL' ? null : 1]);
    expect(await created(), stopped.output()).toHaveLength(signal === 'SIGKILL' ? 1 : 0);
    expect(await othersOf(petstore)).toEqual(others);
    if (signal !== 'SIGKILL') return;

    const { names, failed } = await resultsOf(petstore.url, { only: ['createCategory'] });
    expect([failed, names]).toEqual([[], expect.arrayContaining([found, removed])]);
    expect(await created()).toEqual([]);
    expect(await othersOf(petstore)).toEqual(others);
  });

  it('removes what a killed run left', async () => {
    // After a category, pets and an open order, no request reaches the stage any more, as after a kill.
    let ordered = false;
    front.rewrite = {
      request: () => (ordered ? 'cut' : undefined),
      response: ({ status }, { path }) => {
        ordered ||= path === '/store/orders' && status === 201;
      },
    };
    const lost = await resultsOf(front.url, { only });
    expect(lost.failed).toContainEqual(expect.stringMatching(/^finds what this run created: fetch failed/));
    expect(lost.failed).toContainEqual(expect.stringMatching(/^removes what this run created: /));
    expect(await created()).toHaveLength(1);
    const open = async () => (await petstore.staff('GET', '/store/orders?complete=false')).body.length;
    expect(await open()).toBe(others.orders.length + 1);

    const { names, failed } = await resultsOf(petstore.url, { only });
    expect([failed, names]).toEqual([[], expect.arrayContaining([found, 'cancelOrder', removed])]);
    expect(await created()).toEqual([]);
    expect(await open()).toBe(others.orders.length);
    expect(await othersOf(petstore)).toEqual(others);
  });

  it('removes a pet that the list of its category does not include yet', async () => {
    let isDeleted = false;
    front.rewrite = {
      request: ({ method, path }) => {
        if (path.startsWith('/pets?categoryId=')) return { status: 200, headers: {}, body: '[]' };
        if (isDeleted || method !== 'DELETE' || !/^\/pets\/\d+$/.test(path)) return undefined;
        isDeleted = true;
        return { status: 500, headers: {}, body: 'broken' };
      },
    };
    const { failed } = await resultsOf(front.url, { only: ['latency'], samples: { cold: 1, warm: 0 } });
    expect(failed).toEqual(['latency: deletePet: 500 broken']);
    expect(await created()).toEqual([]);
  });

  it('removes only the pets of its own category, also when a server lists all pets', async () => {
    const { id } = await createCategory(petstore.staff, `${mark}left`);
    await createPet(petstore.staff, id);
    front.rewrite = {
      request: request => {
        request.path = request.path.replace(/categoryId=\d+&/, '');
        return undefined;
      },
    };
    const { names, failed } = await resultsOf(front.url, { only: ['createCategory'] });
    expect([failed, names]).toEqual([[], expect.arrayContaining([found])]);
    expect(await created()).toEqual([]);
    expect(await othersOf(petstore)).toEqual(others);
  });

  it('removes no category whose name, when read again, lacks the mark or cannot be read', async () => {
    const { id } = await createCategory(petstore.staff, `${mark}left`);
    const send: Send = createSend({ base: front.url, tokens: new Map([['client', await petstore.token('staff')]]) });
    const clean = (...ids: number[]) => cleanUp(send, { ...nothingCreated(''), categories: new Set(ids) }, 0);
    const ids = others.categories.map(category => category.id);
    expect(await clean(...ids)).toEqual([`categories without the mark ${ids.join(', ')}`]);
    expect(await othersOf(petstore)).toEqual(others);
    front.rewrite = {
      response: (response, { method }) => {
        if (method === 'GET') response.status = 500;
      },
    };
    expect(await clean(id)).toEqual([`categories ${id}`]);
    expect(await created()).toHaveLength(1);
    front.rewrite = {};
    expect(await clean(id)).toEqual([]);
    expect(await created()).toEqual([]);
  });
});

describe('npm run verify --only', () => {
  it('runs the given checks (upper or lower case) and those that they need, and prints no others', async () => {
    const { names, failed } = await resultsOf(petstore.url, {
      only: ['UPDATEORDER with its etag', 'compression: gzip'],
    });
    expect([failed, names]).toEqual([[], ['compression: gzip', 'updateOrder with its ETag', removed]]);
    expect(await created()).toEqual([]);
  });

  it('runs the earlier checks of the same list that a check needs', async () => {
    const only = [
      'the page and its Content-Security-Policy',
      '304: the document',
      'the cursor of another list',
      'of the deleted pet',
    ];
    const { results } = await resultsOf(petstore.url, { only });
    expect(results.map(({ outcome, name }) => `${outcome} ${name}`)).toEqual([
      'ok the page and its Content-Security-Policy',
      'ok 304: the document is unchanged (Accept-Encoding: gzip)',
      'ok 304: the document is unchanged (Accept-Encoding: identity)',
      'ok 400: the cursor of another list',
      'ok 404: the stock of the deleted pet',
      `ok ${removed}`,
    ]);
  });

  it('sends only the requests of checks that need no other check', async () => {
    const sent: string[] = [];
    front.rewrite = {
      request: ({ method, path }) => {
        sent.push(`${method} ${path}`);
        return undefined;
      },
    };
    const only = ['404: GET /store', 'compression: gzip', 'listCategories'];
    const token = await petstore.token('staff');
    const { results, table } = await resultsOf(front.url, {
      credentials: { token },
      only,
      samples: { cold: 1, warm: 0 },
    });
    expect([results, table]).toEqual([only.map(name => ({ outcome: 'ok', name })), undefined]);
    expect(sent).toEqual(['GET /store', 'GET /openapi.json', 'GET /pets/categories?limit=1']);
  });

  it('prints a failed check that another check needs', async () => {
    front.rewrite = {
      request: ({ method, path }) =>
        method === 'POST' && path === '/pets' ? { status: 500, headers: {}, body: 'broken' } : undefined,
    };
    const { results, failed } = await resultsOf(front.url, { only: ['cancelOrder again'] });
    const [first] = failed;
    expect(first).toBe('createPet, number 1: POST /pets status 500, not 201: broken');
    const text = 'no order: an earlier check failed';
    expect(results).toContainEqual({ outcome: 'skipped', name: '404: cancelOrder again', text });
    expect(results.filter(({ outcome }) => outcome === 'skipped')).toHaveLength(1);
  });

  it('prints the names of all checks and sends nothing when no check has a given name', async () => {
    const nowhere = ['--url', 'http://127.0.0.1:1', ...asStaff, '--only', 'cancelOrder', '--only', 'cancelorders'];
    const wrong = await runInProcess(script, nowhere);
    expect(wrong.code).toBe(1);
    expect(wrong.output).toMatch(/^No check of this run has "cancelorders" in its name. The checks are:$/m);
    for (const name of ['404: GET /nothing', 'cancelOrder', 'a body above 10 MB', 'latency'])
      expect(wrong.output.split('\n')).toContain(`  ${name}`);
    expect(wrong.output).not.toMatch(/429|fetch failed/);
  });
});

interface Defect {
  readonly what: string;
  readonly rewrite: Rewrite;
  readonly only: readonly string[];
  /** Exactly these checks fail. */
  readonly failed: readonly RegExp[];
  /** The clean-up fails as well. */
  readonly staysBehind?: boolean;
}

const without =
  (name: string, status: number, at: string): NonNullable<Rewrite['response']> =>
  (response, { path }) => {
    if (response.status === status && path === at) delete response.headers[name];
  };

/** Removes a header of requests with this method and path. */
const withoutHeader = (name: string, method: string, at: RegExp): Rewrite => ({
  request: request => {
    if (request.method === method && at.test(request.path)) delete request.headers[name];
    return undefined;
  },
});

const unauthorized: Rewrite = {
  response: response => {
    if (response.status === 401) response.status = 403;
  },
};

const left = /^removes what this run created: .*categories \d+/;

const defects: readonly Defect[] = [
  {
    what: 'a gateway response with another status',
    rewrite: unauthorized,
    only: ['401, no token: GET /store/orders', '404: GET /nothing'],
    failed: [
      /^401, no token: GET \/store\/orders: .*status 403, not 401/,
      /^401, no token: GET \/store\/orders\/{orderId}: .*status 403, not 401/,
    ],
  },
  {
    what: 'a 404 without its CORS header',
    rewrite: { response: without('access-control-allow-origin', 404, '/nothing') },
    only: ['404: GET /'],
    failed: [/^404: GET \/nothing: .*Access-Control-Allow-Origin is missing/],
  },
  {
    what: 'a replaced pet with its previous name',
    rewrite: {
      ...withoutHeader('accept-encoding', 'PUT', /^\/pets\/\d+$/),
      response: (response, { method, path }) => {
        if (method === 'PUT' && /^\/pets\/\d+$/.test(path))
          response.body = String(response.body).replace('"Replaced"', '"Former"');
      },
    },
    only: ['replacePet'],
    failed: [/^replacePet: .*name/],
  },
  {
    what: 'a new order that is marked as a replay',
    rewrite: {
      response: (response, { method, path }) => {
        if (method === 'POST' && path === '/store/orders' && response.status === 201)
          response.headers['idempotent-replayed'] = 'true';
      },
    },
    only: ['placeOrder'],
    failed: [/^placeOrder: .*Idempotent-Replayed is present/],
  },
  {
    what: 'pages with more items than their limit',
    rewrite: {
      ...withoutHeader('accept-encoding', 'GET', /./),
      response: (response, { path }) => {
        if (!path.endsWith('?limit=1')) return;
        const items = JSON.parse(String(response.body));
        response.body = JSON.stringify([...items, ...items]);
      },
    },
    only: ['listCategories', 'listInventory', 'listOrders', '404: GET /nothing'],
    failed: [/^listCategories: .*more than the limit/, /^listInventory: .*more than/, /^listOrders: .*more than/],
  },
  {
    what: 'no compression',
    rewrite: withoutHeader('accept-encoding', 'GET', /^\/openapi.json$/),
    only: ['compression: gzip', 'no compression when', 'no compression of'],
    failed: [/^compression: gzip: .*Content-Encoding is missing/],
  },
  {
    // Then the function responds with 401, and AWS renames this header of its response.
    what: 'a method without its authorizer',
    rewrite: {
      request: request => {
        if (request.method === 'DELETE') delete request.headers.authorization;
        return undefined;
      },
      response: ({ status, headers }, { method }) => {
        if (method !== 'DELETE' || status !== 401) return;
        headers['x-amzn-remapped-www-authenticate'] = headers['www-authenticate'];
        delete headers['www-authenticate'];
      },
    },
    only: ['401, no token: DELETE /pets/{petId}', '401, no token: POST', 'createCategory'],
    failed: [/^401, no token: DELETE \/pets\/{petId}: .*WWW-Authenticate is missing/, left],
    staysBehind: true,
  },
  {
    what: 'a 405 without Allow',
    rewrite: { response: without('allow', 405, '/pets') },
    only: ['405: DELETE /pets'],
    failed: [/^405: DELETE \/pets: .*Allow is missing/],
  },
  {
    what: 'a preflight that allows too little',
    rewrite: {
      response: ({ status, headers }, { path }) => {
        if (status === 204 && path === '/pets') headers['access-control-allow-headers'] = 'Authorization';
      },
    },
    only: ['preflight of /pets'],
    failed: [/^preflight of \/pets: .*Access-Control-Allow-headers is not Authorization,Content-Type/],
  },
  {
    what: 'a document that differs',
    rewrite: {
      ...withoutHeader('accept-encoding', 'GET', /^\/openapi.json$/),
      response: (response, { path }) => {
        if (path === '/openapi.json') response.body = String(response.body).replace('"listPets"', '"findPets"');
      },
    },
    only: ['the document equals the committed one', 'the page and its Content-Security-Policy'],
    failed: [/^the document equals the committed one: .*it differs at \/paths\/\/pets\/get\/operationId/],
  },
  {
    what: 'an ETag that does not match',
    rewrite: withoutHeader('if-none-match', 'GET', /^\/openapi.json$/),
    only: ['304: ', '200: the document does not match'],
    failed: [
      /^304: the document is unchanged \(Accept-Encoding: gzip\): .*status 200, not 304/,
      /^304: the document is unchanged \(Accept-Encoding: identity\): .*status 200, not 304/,
    ],
  },
  {
    what: 'a scope that is not checked',
    rewrite: {
      request: async request => {
        if (request.method === 'DELETE' && /^\/pets\/\d+$/.test(request.path))
          request.headers.authorization = `Bearer ${await petstore.token('staff')}`;
        return undefined;
      },
    },
    only: ['with only the scope orders'],
    failed: [/^403: deletePet with only the scope orders: .*status 404, not 403/],
  },
  {
    what: 'a replay that places a second order',
    rewrite: withoutHeader('idempotency-key', 'POST', /^\/store\/orders$/),
    only: ['placeOrder again'],
    failed: [/^placeOrder again with the same key replays the response: .*Idempotent-Replayed is missing/],
  },
  {
    what: 'a setInventory that is executed twice',
    rewrite: withoutHeader('idempotency-key', 'PUT', /^\/store\/inventory\//),
    only: ['setInventory again'],
    failed: [/^setInventory again with the same key replays the response: .*Idempotent-Replayed is missing/],
  },
  {
    what: 'a page with a wrong link',
    rewrite: {
      response: ({ headers }, { path }) => {
        if (path.startsWith('/pets?') && headers.link)
          headers.link = String(headers.link).replace(/cursor=[^>]+/, 'cursor=a');
      },
    },
    only: ['a first page', 'the next page'],
    failed: [/^the next page, by that link: .*status 400, not 200/],
  },
  {
    what: 'a next page without its pets',
    rewrite: {
      response: (response, { path }) => {
        if (path.startsWith('/pets?') && path.includes('cursor=')) response.body = '[]';
      },
      ...withoutHeader('accept-encoding', 'GET', /^\/none$/),
    },
    only: ['a first page', 'the next page'],
    failed: [/^the next page, by that link: .*the pages have the pets \d+,\d+, not \d+,\d+,\d+/],
  },
  {
    what: 'a link to another origin',
    rewrite: {
      response: ({ headers }, { path }) => {
        if (path.startsWith('/pets?') && headers.link)
          headers.link = String(headers.link).replace(/^<http:\/\/[^/]+/, '<http://localhost:1');
      },
    },
    only: ['a first page'],
    failed: [
      /^a first page, and the link to the next: .*the link has another origin or path: http:\/\/localhost:1\/pets/,
    ],
  },
  {
    what: 'a quantity that an order does not change',
    rewrite: {
      response: (response, { method, path }) => {
        if (method === 'GET' && path.startsWith('/store/inventory/'))
          response.body = String(response.body).replace(/"quantity":\d+/, '"quantity":10');
      },
    },
    only: ['getInventory: 7 units'],
    failed: [/^getInventory: 7 units left after the order and its replay: .*quantity is not 7/],
  },
  {
    what: 'a cancelOrder that does nothing',
    rewrite: {
      request: request => {
        if (request.method === 'DELETE' && !request.path.includes('/9000'))
          request.path = request.path.replace(/^\/store\/orders\/\d+$/, '/store/orders/1');
        return undefined;
      },
      response: (response, { method, path }) => {
        if (method !== 'DELETE' || path !== '/store/orders/1') return;
        delete response.headers['content-length'];
        Object.assign(response, { status: 204, body: '' });
      },
    },
    only: ['404: the cancelled order', '409: '],
    failed: [/^404: the cancelled order: .*status 200, not 404/, left],
    staysBehind: true,
  },
  {
    what: 'a page without the policy for its tokens',
    rewrite: {
      response: ({ headers }, { path }) => {
        if (path === '/docs') headers['content-security-policy'] = 'default-src *';
      },
    },
    only: ['the page and its Content-Security-Policy', 'the document equals the committed one'],
    failed: [/^the page and its Content-Security-Policy: .*the policy lacks default-src 'none'/],
  },
];

describe('npm run verify, with a server that has one defect', () => {
  it('passes without a defect', async () => {
    const { failed } = await resultsOf(front.url, { only: defects.flatMap(({ only }) => only) });
    expect(failed).toEqual([]);
  });

  for (const { what, rewrite, only, failed, staysBehind: leftOver = false } of defects)
    it(`names ${what}`, async () => {
      front.rewrite = rewrite;
      const broken = await resultsOf(front.url, { only });
      expect(broken.failed).toEqual(failed.map(line => expect.stringMatching(line)));
      expect(broken.results.filter(({ outcome }) => outcome === 'ok').length).toBeGreaterThan(0);
      // It removes what it created after a failed check too, or reports what it could not remove.
      expect(await created()).toHaveLength(leftOver ? 1 : 0);
      if (!leftOver) return;
      const { failed: still, names } = await resultsOf(petstore.url, { only: ['createCategory'] });
      expect([still, names]).toEqual([[], expect.arrayContaining([found])]);
      expect(await created()).toEqual([]);
    });

  it('fails every check of an error when the errors have another code', async () => {
    const isOfError = ({ outcome, name }: Result) => outcome === 'ok' && /^4\d\d[:,] (?!HEAD)/.test(name);
    const expected = (await resultsOf(petstore.url)).results.filter(isOfError).map(({ name }) => name);
    expect(expected.length).toBeGreaterThan(30);
    front.rewrite = {
      request: ({ headers }) => {
        delete headers['accept-encoding'];
        return undefined;
      },
      response: response => {
        if (response.status < 400) return;
        response.body = String(response.body).replace(/"code":"\w+"/, '"code":"another"');
      },
    };
    const { failed } = await resultsOf(front.url);
    expect(expected.filter(name => !failed.some(line => line.startsWith(`${name}: `)))).toEqual([]);
    expect(await created()).toEqual([]);
  });

  it('exits with 1, and prints the failed checks and their number', async () => {
    front.rewrite = unauthorized;
    const failing = await runInProcess(script, ['--url', front.url, ...asStaff, '--cold', '0', '--warm', '0']);
    expect(failing.code).toBe(1);
    const lines = failing.output.split('\n');
    const of = (word: string) => lines.filter(line => line.startsWith(word)).map(line => line.slice(10));
    expect(of('FAILED').join('\n')).toMatch(/^401, no token: GET \/store\/orders: .*status 403, not 401/m);
    expect(of('FAILED').filter(line => !line.startsWith('401, '))).toEqual([
      expect.stringMatching(/^X-Request-Id of a gateway response: none of the correct responses/),
    ]);
    expect(of('ok')).toEqual(expect.arrayContaining(['404: GET /nothing', 'cancelOrder', removed]));
    expect(failing.output).toContain(
      `\n${of('ok').length} ok, ${of('local').length} local, ${of('FAILED').length} failed, 1 skipped\n`,
    );
    expect(await created()).toEqual([]);
    expect(await othersOf(petstore)).toEqual(others);
  });

  it('retries a check seven times for a lagging index, and then fails', async () => {
    const { setTimeout: sleep } = timers;
    let [pauses, lag] = [0, 7];
    const counted = (milliseconds: number, ...rest: [undefined?, object?]) => {
      if (milliseconds !== 1000) return sleep(milliseconds, ...rest);
      pauses += 1;
      return Promise.resolve();
    };
    Object.assign(timers, { setTimeout: counted });
    syncBuiltinESMExports();
    onTestFinished(() => {
      Object.assign(timers, { setTimeout: sleep });
      syncBuiltinESMExports();
    });
    front.rewrite = {
      ...withoutHeader('accept-encoding', 'GET', /^\/pets$/),
      response: (response, { path }) => {
        if (path.startsWith('/pets?categoryId=') && path.endsWith('limit=2') && lag-- > 0) response.body = '[]';
      },
    };
    const options = { url: front.url, credentials, only: ['a first page'] };
    const results: Result[] = [];
    await verify(options, result => results.push(result));
    expect([pauses, results[0]]).toEqual([7, { outcome: 'ok', name: 'a first page, and the link to the next' }]);
    [pauses, lag, results.length] = [0, 8, 0];
    await verify(options, result => results.push(result));
    expect([pauses, results[0]]).toMatchObject([
      7,
      { outcome: 'FAILED', text: expect.stringContaining('the page has 0 pets') },
    ]);
  });

  it('detects a server that accepts TLS 1.1', async () => {
    for (const [minVersion, taken] of [
      ['TLSv1', true],
      ['TLSv1.2', false],
    ] as const) {
      // Ciphers that need no certificate.
      const options = { minVersion, maxVersion: 'TLSv1.2', ciphers: 'AECDH-AES128-SHA:@SECLEVEL=0' } as const;
      const server = createServer(options).on('tlsClientError', () => undefined);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      expect(await acceptsOldTls(`https://localhost:${port}`), minVersion).toBe(taken);
      server.close();
      await expect(acceptsOldTls(`https://localhost:${port}`)).rejects.toThrow('ECONNREFUSED');
    }
  });

  it('finds what earlier runs left on every page of the categories', async () => {
    const send = (async ({ path }: { path: string }) => {
      const isLast = path.endsWith('cursor=x');
      const headers = new Headers(isLast ? {} : { Link: '</pets/categories?cursor=x>; rel="next"' });
      return { status: 200, headers, body: [{ id: isLast ? 2 : 1, name: `${mark}run` }] };
    }) as unknown as Send;
    expect([...(await findLeftovers(send)).categories]).toEqual([1, 2]);
  });

  it('detects a closed connection, and throws when nothing listens', async () => {
    const question = openQuestions.find(({ name }) => name === 'a body above 10 MB')!;
    const server = createTcpServer(socket => socket.once('data', () => socket.resetAndDestroy())).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const send = createSend({ base, tokens: new Map() });
    const results: Result[] = [];
    await runOpenQuestion(question, send, result => results.push(result));
    expect(results).toMatchObject([{ outcome: 'observed', text: expect.stringContaining('the connection is closed') }]);
    server.close();
    await once(server, 'close');
    await expect(runOpenQuestion(question, send, () => undefined)).rejects.toThrow('fetch failed');
  });

  it('causes a 429 with --provoke-429, and checks it', async () => {
    const { template, assets } = sharedAssembly();
    const slow = structuredClone(template);
    for (const [, { MethodSettings }] of resourcesOf(slow, 'AWS::ApiGateway::Stage'))
      Object.assign(
        MethodSettings.find(({ ResourcePath }: { ResourcePath: string }) => ResourcePath === '/*'),
        // One request every ten seconds: the bucket does not refill during the check.
        { ThrottlingRateLimit: 0.1, ThrottlingBurstLimit: 20 },
      );
    const throttled = await startPetstore({ assembly: { template: slow, assets } });
    const args = ['--url', throttled.url, ...asStaff, '--provoke-429', '--read-only', '--only', '429', '--only', 'ANY'];
    const provoked = await runInProcess(script, args);
    expect([provoked.code, provoked.output]).toEqual([0, expect.stringContaining(' 0 failed')]);
    expect(provoked.output).toMatch(/^ok +429: its shape and headers$/m);
    expect(provoked.output).toMatch(/^local +the throttle of an ANY method: one bucket/m);
    await throttled.stop();
  });
});
