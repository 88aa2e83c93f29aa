import { once } from 'node:events';
import { cpSync, renameSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, request } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { SignJWT } from 'jose';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Assembly, synthesize } from '../../cdk/build/synthesize.ts';
import { resourcesOf } from '../../cdk/build/template.ts';
import { catalogue } from '../../cdk/commands/verify/checks/catalogue.ts';
import { questions } from '../../cdk/commands/verify/checks/questions.ts';
import { createSend } from '../../cdk/commands/verify/exchange.ts';
import { mark, nothingMade } from '../../cdk/commands/verify/made.ts';
import { takesOldTls } from '../../cdk/commands/verify/old-tls.ts';
import { type Result, runCheck, runQuestion } from '../../cdk/commands/verify/run-check.ts';
import { turns } from '../../cdk/commands/verify/turns.ts';
import { type VerifyOptions, verify } from '../../cdk/commands/verify/verify.ts';
import { localIssuer } from '../../cdk/local/auth/local-tokens.ts';
import { operationIds } from '../../lib/operations/index.ts';
import { type Petstore, sharedAssembly, sharedBundles, startPetstore } from '../support/petstore.ts';
import { newFolder, run } from '../support/processes.ts';
import { startTlsProxy } from '../support/tls-proxy.ts';

const credentials = { client: 'staff', secret: 'local' };

const resultsOf = async (url: string, options: Partial<VerifyOptions> = {}) => {
  const results: Result[] = [];
  const table = await verify({ url, credentials, ...options }, result => results.push(result));
  return { results, table, failed: results.filter(({ outcome }) => outcome === 'FAILED') };
};

const verified = async ({ staff }: Petstore): Promise<string[]> => {
  const { body } = await staff('GET', '/pets/categories?limit=100');
  return body.filter(({ name }: { name: string }) => name.startsWith(mark));
};

const expiredToken = ({ tokenKey }: Petstore): Promise<string> =>
  new SignJWT({ token_use: 'access', scope: 'petstore/orders', sub: 'staff', client_id: 'staff' })
    .setProtectedHeader({ alg: 'RS256', kid: tokenKey.publicJwk.kid! })
    .setIssuer(localIssuer)
    .setIssuedAt('25 hours ago')
    .setExpirationTime('1 hour ago')
    .sign(tokenKey.privateKey);

/** What stands before a stage: another name, by TLS, and a path of its own. */
const startEdge = async (path: string) => {
  let origin = '';
  const inner = createHttpServer((incoming, response) => {
    const { method = 'GET', url = '', headers } = incoming;
    const { host } = new URL(origin);
    const sent = request(origin + url.replace(path, ''), { method, headers: { ...headers, host } }, answer => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    incoming.pipe(sent);
  }).listen(0, '127.0.0.1');
  await once(inner, 'listening');
  const outer = await startTlsProxy(`http://127.0.0.1:${(inner.address() as AddressInfo).port}`);
  onTestFinished(() => {
    outer.stop();
    inner.closeAllConnections();
    inner.close();
  });
  return { url: outer.url + path, certificate: outer.certificate, leadTo: (url: string) => (origin = url) };
};

describe('npm run verify, of a server that is right', () => {
  let petstore: Petstore;
  afterAll(() => petstore?.stop());

  it('finds nothing wrong, settles what is open, measures every operation, and leaves nothing', async () => {
    petstore = await startPetstore();
    const args = ['--url', petstore.url, '--client', 'staff', '--secret', 'local', '--cold', '2', '--warm', '1'];
    const whole = run('cdk/commands/verify/index.ts', [...args, '--expired-token', await expiredToken(petstore)]);
    expect([await whole.exit, whole.output()]).toEqual([0, expect.stringContaining('0 failed, 0 not asked')]);
    expect(whole.output()).toMatch(/^settled +X-Request-Id of a gateway response: a gateway response takes/m);
    expect(whole.output()).toMatch(/^ok +401, an expired token: GET \/store\/orders$/m);
    expect(whole.output()).toMatch(/^cancelOrder +\d+ +\d+ +\d+ +\d+$/m);
    expect(await verified(petstore)).toEqual([]);
    expect((await petstore.staff('GET', '/pets')).body).toEqual([]);
    expect((await petstore.staff('GET', '/store/orders')).body).toEqual([]);
    expect([petstore.failures, petstore.proxy.denials]).toEqual([[], []]);
  });

  it('completes an order where it is asked to', async () => {
    const { failed, results } = await resultsOf(petstore.url, { completeOrder: true });
    expect(failed).toEqual([]);
    expect(results.map(({ name }) => name)).toContain('409: cancelOrder of a complete order');
    expect(await verified(petstore)).toEqual([]);
    expect((await petstore.staff('GET', '/store/orders?complete=true')).body).toHaveLength(1);
  });

  it('measures every operation', () => {
    expect(turns.map(({ id }) => id).sort()).toEqual(operationIds.toSorted());
  });

  it('writes nothing with --read-only', async () => {
    const before = petstore.proxy.answers.length;
    const { failed } = await resultsOf(petstore.url, { readOnly: true, samples: { cold: 1, warm: 1 } });
    expect(failed).toEqual([]);
    expect(
      petstore.proxy.answers.slice(before).filter(({ call }) => /Write|Put|Update|Delete/.test(call.operation)),
    ).toEqual([]);
  });

  it('does with a token what needs no narrower one, and says what it leaves out', async () => {
    const { results, failed } = await resultsOf(petstore.url, {
      credentials: { token: await petstore.token('staff') },
    });
    expect(failed).toEqual([]);
    const [expired, ...narrowed] = results.filter(({ outcome }) => outcome === 'not asked');
    expect(expired).toMatchObject({
      name: expect.stringMatching(/^401, an expired/),
      text: expect.stringMatching(/^needs --expired-token/),
    });
    expect(narrowed.length).toBeGreaterThan(0);
    for (const result of narrowed)
      expect(result).toMatchObject({ name: expect.stringMatching(/^403/), text: 'needs --client and --secret' });
  });

  it('finds nothing wrong with a stage that something stands before, asked where its output Url leads', async () => {
    const edge = await startEdge('/shop');
    const settings = { publicUrl: edge.url };
    const assembly = await synthesize({ stage: 'local', settings, bundles: sharedBundles() });
    const behind = await startPetstore({ assembly });
    edge.leadTo(behind.url);
    const url = String(assembly.template.Outputs!.Url!.Value);
    const args = ['--url', url, '--client', 'staff', '--secret', 'local', '--cold', '1', '--warm', '0'];
    const asked = run('cdk/commands/verify/index.ts', args, { env: { NODE_EXTRA_CA_CERTS: edge.certificate } });
    expect([await asked.exit, asked.output()]).toEqual([0, expect.stringContaining(' 0 failed, 1 not asked')]);
    expect(asked.output()).toMatch(/^ok +the stage leads to its page$/m);
    expect(asked.output()).toMatch(/^ok +TLS 1\.1 is refused$/m);
    expect(await verified(behind)).toEqual([]);
    await behind.stop();
  });

  it('takes 410 for right of an operation that has ended, and of none before its sunset', async () => {
    const lifeCycle = { getPet: { deprecatedOn: '2025-01-01', sunsetOn: '2025-06-30' } };
    const settings = { lifeCycle, enforceSunset: true };
    const assembly = await synthesize({ stage: 'local', settings, bundles: sharedBundles() });
    const ended = await startPetstore({ assembly });
    const samples = { cold: 1, warm: 0 };
    for (const readOnly of [false, true]) {
      const { failed, table } = await resultsOf(ended.url, { readOnly, samples });
      expect([failed, table]).toEqual([[], expect.stringContaining('listPets')]);
    }
    await ended.stop();

    const check = catalogue.find(({ name }) => name.startsWith('getPet'))!;
    const made = nothingMade('');
    made.notes.set('pet', '1');
    const body = { code: 'gone', message: 'Gone.', status: 410 };
    const results: Result[] = [];
    for (const Sunset of ['Wed, 31 Dec 2999 23:59:59 GMT', 'soon'])
      await runCheck(
        check,
        async () => ({
          status: 410,
          headers: new Headers({ Sunset }),
          text: JSON.stringify(body),
          body,
          milliseconds: 1,
        }),
        made,
        result => results.push(result),
      );
    const early = { outcome: 'FAILED', text: expect.stringContaining('answered 410, not 200') };
    expect(results).toMatchObject([early, early]);
  });

  it('removes what it made when it is told to stop', async () => {
    const args = ['--url', petstore.url, '--client', 'staff', '--secret', 'local'];
    const stopped = run('cdk/commands/verify/index.ts', args);
    await expect.poll(stopped.output).toMatch(/^ok +placeOrder$/m);
    stopped.child.kill('SIGTERM');
    expect(await stopped.exit).toBe(1);
    expect(await verified(petstore)).toEqual([]);
  });

  it('finds and removes what a run left that was killed', async () => {
    const args = ['--url', petstore.url, '--client', 'staff', '--secret', 'local'];
    const killed = run('cdk/commands/verify/index.ts', args);
    await expect.poll(killed.output).toMatch(/^ok +placeOrder$/m);
    killed.child.kill('SIGKILL');
    await killed.exit;
    expect(await verified(petstore)).toHaveLength(1);
    const { results, failed } = await resultsOf(petstore.url);
    expect(failed).toEqual([]);
    expect(results.map(({ name }) => name)).toContain('what earlier runs left is removed: 1 categories');
    expect(await verified(petstore)).toEqual([]);
    expect((await petstore.staff('GET', '/store/orders?complete=false')).body).toEqual([]);
  });

  it('says what it needs, and that a stage does not answer', async () => {
    const nothing = run('cdk/commands/verify/index.ts', ['--url', petstore.url]);
    expect([await nothing.exit, nothing.output()]).toEqual([1, expect.stringContaining('A client and its secret')]);
    const nowhere = run('cdk/commands/verify/index.ts', [
      '--url',
      'http://127.0.0.1:1',
      '--client',
      'a',
      '--secret',
      'b',
    ]);
    expect([await nowhere.exit, nowhere.output()]).toEqual([1, expect.stringMatching(/fetch failed|ECONNREFUSED/)]);
  });
});

interface Spoilable extends Assembly {
  readonly assets: Map<string, string>;
}

type Spoil = (assembly: Spoilable) => Promise<void> | void;

const spoiled = async (spoil: Spoil): Promise<Assembly> => {
  const { template, assets } = sharedAssembly();
  const assembly = { template: structuredClone(template), assets: new Map(assets) };
  await spoil(assembly);
  return assembly;
};

const gatewayResponse = ({ template }: Assembly, type: string) =>
  resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').find(([, { ResponseType }]) => ResponseType === type)![1];

const mockAnswers = ({ template }: Assembly, status: string) =>
  resourcesOf(template, 'AWS::ApiGateway::Method')
    .map(([, { Integration }]) => Integration.IntegrationResponses?.[0])
    .filter(response => response?.StatusCode === status);

const described = ({ template }: Assembly, description: string) =>
  resourcesOf(template, 'AWS::Lambda::Function').find(([, { Description }]) => Description === description)!;

/** Puts a handler around the real one of an operation. `real` is in scope, and `event` and `context`. */
const around =
  (description: string, code: string): Spoil =>
  async assembly => {
    const [, { Code }] = described(assembly, description);
    const folder = await newFolder();
    cpSync(assembly.assets.get(Code.S3Key)!, folder, { recursive: true });
    renameSync(join(folder, 'index.mjs'), join(folder, 'real.mjs'));
    writeFileSync(
      join(folder, 'index.mjs'),
      `import { handler as real } from './real.mjs';\nexport const handler = async (event, context) => {\n${code}\n};\n`,
    );
    const key = `spoiled-${Code.S3Key}`;
    Code.S3Key = key;
    assembly.assets.set(key, folder);
  };

interface Broken {
  readonly what: string;
  readonly spoil: Spoil;
  /** What is said of it. */
  readonly named: RegExp;
  /** Whether it is what cleaning up needs. */
  readonly staysBehind?: boolean;
}

const faults: readonly Broken[] = [
  {
    what: 'a gateway response with another status',
    spoil: assembly => {
      gatewayResponse(assembly, 'UNAUTHORIZED').StatusCode = '403';
    },
    named: /^401, no token: GET \/store\/orders: .*answered 403, not 401/m,
  },
  {
    what: 'a 404 without its CORS header',
    spoil: assembly => {
      for (const { ResponseParameters } of mockAnswers(assembly, '404'))
        delete ResponseParameters['method.response.header.Access-Control-Allow-Origin'];
    },
    named: /^404: GET \/nothing: .*Access-Control-Allow-Origin is missing/m,
  },
  {
    what: 'no compression',
    spoil: ({ template }) => {
      for (const [, properties] of resourcesOf(template, 'AWS::ApiGateway::RestApi'))
        delete properties.MinimumCompressionSize;
    },
    named: /^compression: gzip: .*Content-Encoding is missing/m,
  },
  {
    what: 'a method without its authoriser',
    staysBehind: true,
    spoil: ({ template }) => {
      for (const [, properties] of resourcesOf(template, 'AWS::ApiGateway::Method'))
        if (properties.HttpMethod === 'DELETE') properties.AuthorizationType = 'NONE';
    },
    named: /^401, no token: DELETE \/pets\/{petId}: .*WWW-Authenticate is missing/m,
  },
  {
    what: 'a 405 without Allow',
    spoil: assembly => {
      for (const { ResponseParameters } of mockAnswers(assembly, '405'))
        delete ResponseParameters['method.response.header.Allow'];
    },
    named: /^405: DELETE \/pets: .*Allow is missing/m,
  },
  {
    what: 'a preflight that allows too little',
    spoil: assembly => {
      for (const { ResponseParameters } of mockAnswers(assembly, '204'))
        ResponseParameters['method.response.header.Access-Control-Allow-Headers'] = "'Authorization'";
    },
    named: /^preflight of \/pets: .*Access-Control-Allow-headers is not Authorization,Content-Type/m,
  },
  {
    what: 'a document that differs',
    spoil: around(
      'GET /openapi.json',
      'const answer = await real(event, context);\nreturn { ...answer, body: answer.body.replace(\'"listPets"\', \'"findPets"\') };',
    ),
    named: /^the document is the committed one: .*it differs at \/paths\/\/pets\/get\/operationId/m,
  },
  {
    what: 'an ETag that does not match',
    spoil: around(
      'GET /openapi.json',
      `const { 'If-None-Match': one, 'if-none-match': other, ...multiValueHeaders } = event.multiValueHeaders;
       return real({ ...event, multiValueHeaders }, context);`,
    ),
    named: /^304: the document has not changed .*answered 200, not 304/m,
  },
  {
    what: 'a scope that is not checked',
    spoil: around(
      'DELETE /pets/{petId}',
      "const { claims } = event.requestContext.authorizer;\nclaims.scope += ' petstore/catalog';\nreturn real(event, context);",
    ),
    named: /^403: deletePet with the scope orders alone: .*answered 404, not 403/m,
  },
  {
    what: 'a replay that is a second order',
    spoil: around(
      'POST /store/orders',
      "const headers = Object.entries(event.multiValueHeaders).filter(([name]) => name.toLowerCase() !== 'idempotency-key');\nreturn real({ ...event, multiValueHeaders: Object.fromEntries(headers) }, context);",
    ),
    named: /^placeOrder again with the same key is the same order, replayed: .*Idempotency-Replayed is missing/m,
  },
  {
    what: 'a page whose link leads nowhere',
    spoil: around(
      'GET /pets',
      'const answer = await real(event, context);\nif (answer.headers.Link) answer.headers.Link = answer.headers.Link.replace(/cursor=[^>]+/, "cursor=a");\nreturn answer;',
    ),
    named: /^the next page, by that link: .*answered 400, not 200/m,
  },
  {
    what: 'a cancelling that frees nothing',
    staysBehind: true,
    spoil: around(
      'DELETE /store/orders/{orderId}',
      "const answer = await real({ ...event, pathParameters: { orderId: '1' } }, context);\nreturn event.pathParameters.orderId.startsWith('9000') ? answer : { ...answer, statusCode: 204, body: '' };",
    ),
    named: /^404: the cancelled order: .*answered 200, not 404/m,
  },
  {
    what: 'a page without the policy for its tokens',
    spoil: around(
      'GET /docs',
      'const answer = await real(event, context);\nanswer.headers[\'Content-Security-Policy\'] &&= "default-src *";\nreturn answer;',
    ),
    named: /^the page and its policy: .*the policy lacks default-src 'none'/m,
  },
];

describe('npm run verify, of a server with one thing broken', () => {
  for (const { what, spoil, named, staysBehind = false } of faults)
    it(`names ${what}`, async () => {
      const petstore = await startPetstore({ assembly: await spoiled(spoil) });
      try {
        const { failed } = await resultsOf(petstore.url);
        const said = failed.map(({ name, text }) => `${name}: ${text}`).join('\n');
        expect(said).toMatch(named);
        // It cleans up after a failed check too, or says what it could not remove.
        const left = await verified(petstore);
        expect(left.length > 0, said).toBe(/^what this run made is removed: /m.test(said));
        expect(left.length > 0, said).toBe(staysBehind);
      } finally {
        await petstore.stop();
      }
    });

  it('exits with 1, and says which check failed of how many', async () => {
    const [{ spoil, named }] = faults as [Broken];
    const petstore = await startPetstore({ assembly: await spoiled(spoil) });
    const args = ['--url', petstore.url, '--client', 'staff', '--secret', 'local', '--read-only'];
    const failing = run('cdk/commands/verify/index.ts', [...args, '--cold', '0', '--warm', '0']);
    expect([await failing.exit, failing.output()]).toEqual([1, expect.stringMatching(/ [1-9]\d* failed, /)]);
    const said = failing.output().matchAll(/^FAILED +(.*)$/gm);
    expect([...said].map(([, text]) => text).join('\n')).toMatch(named);
    await petstore.stop();
  });

  it('tells a server that takes TLS 1.1 from one that refuses it', async () => {
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
      expect(await takesOldTls(`https://localhost:${port}`), minVersion).toBe(taken);
      server.close();
      await expect(takesOldTls(`https://localhost:${port}`)).rejects.toThrow('ECONNREFUSED');
    }
  });

  it('settles that a connection is cut, and nothing when nobody is there', async () => {
    const question = questions.find(({ name }) => name === 'a body above 10 MB')!;
    const server = createTcpServer(socket => socket.once('data', () => socket.resetAndDestroy())).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const send = createSend({ base, tokens: new Map() });
    const results: Result[] = [];
    await runQuestion(question, send, result => results.push(result));
    expect(results).toMatchObject([{ outcome: 'settled', text: expect.stringContaining('the connection is cut') }]);
    server.close();
    await once(server, 'close');
    await expect(runQuestion(question, send, () => undefined)).rejects.toThrow('fetch failed');
  });

  it('provokes a 429 where it is asked to, and looks at it', async () => {
    const assembly = await spoiled(({ template }) => {
      for (const [, { MethodSettings }] of resourcesOf(template, 'AWS::ApiGateway::Stage'))
        Object.assign(
          MethodSettings.find(({ ResourcePath }: { ResourcePath: string }) => ResourcePath === '/*'),
          // One more every ten seconds: none is there again before the whole bucket has been looked at.
          { ThrottlingRateLimit: 0.1, ThrottlingBurstLimit: 20 },
        );
    });
    const petstore = await startPetstore({ assembly });
    const args = ['--url', petstore.url, '--client', 'staff', '--secret', 'local', '--provoke-429', '--read-only'];
    const provoked = run('cdk/commands/verify/index.ts', [...args, '--cold', '0', '--warm', '0']);
    expect([await provoked.exit, provoked.output()]).toEqual([0, expect.stringContaining(' 0 failed')]);
    expect(provoked.output()).toMatch(/^ok +429: its shape and headers$/m);
    expect(provoked.output()).toMatch(/^settled +the throttle of an ANY method: one bucket/m);
    await petstore.stop();
  });
});
