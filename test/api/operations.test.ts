import { randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usesTable } from '../../cdk/config/permissions.ts';
import { type Assembly, resourcesOf } from '../../cdk/synthesis/template.ts';
import { maxBodyBytes } from '../../lib/max-body-bytes.ts';
import { allOperations, type RegisteredOperation } from '../../lib/operations/index.ts';
import { requestHeadersOf, successOf } from '../../lib/operations/operation.ts';
import type { RequestHeader } from '../../lib/schemas/request-headers.ts';
import { scopes } from '../../lib/scopes.ts';
import type { Result } from '../support/aws-json.ts';
import type { Fault } from '../support/aws-proxy.ts';
import { expectError } from '../support/expect-error.ts';
import {
  type ApiResponse,
  type Petstore,
  sharedAssembly,
  startPetstore,
  usePetstore,
} from '../support/petstore.ts';
import { type ClientRequest, requestOf, send, type World, world } from '../support/requests.ts';
import { signToken } from '../support/sign-token.ts';

/** The outcomes that follow from the data of an operation, also of a new one. */

const folder = () => mkdtemp(join(tmpdir(), 'petstore-code-'));

/** The functions lack the files that belong next to their code. */
const withoutFiles = async (): Promise<Assembly> => {
  const { template, assets } = sharedAssembly();
  const copies = new Map<string, string>();
  for (const [asset, code] of assets) {
    const copy = await folder();
    await copyFile(join(code, 'index.mjs'), join(copy, 'index.mjs')).catch(() => undefined);
    copies.set(asset, copy);
  }
  return { template, assets: copies };
};

const faultyFunction = `
  const faults = {
    crash: () => { throw new Error('crashed'); },
    malformed: () => ({ statusCode: 200, extra: true }),
    hang: () => new Promise(resolve => setTimeout(resolve, 200)),
  };
  export const handler = async ({ headers }) => faults[new Headers(headers).get('X-Fault')]();`;

/** All methods invoke one faulty function. The throttle permits two requests to each method. */
const withFaultyFunction = async (): Promise<Assembly> => {
  const template = structuredClone(sharedAssembly().template);
  let uri: object | undefined;
  for (const [, { Integration }] of resourcesOf(template, 'AWS::ApiGateway::Method'))
    if (Integration.Uri) uri = Integration.Uri = uri ?? Integration.Uri;
  for (const [, { MethodSettings }] of resourcesOf(template, 'AWS::ApiGateway::Stage'))
    for (const setting of MethodSettings)
      Object.assign(setting, { ThrottlingRateLimit: 0, ThrottlingBurstLimit: 2 });
  const code = await folder();
  await writeFile(join(code, 'index.mjs'), faultyFunction);
  return {
    template,
    assets: new Map([...sharedAssembly().assets.keys()].map(asset => [asset, code])),
  };
};

const tableName = `petstore-${randomUUID()}`;
const tokensValidFrom = '2026-11-01T12:00:00Z';
const faultyAssembly = await withFaultyFunction();

const petstore = usePetstore({ tableName });
/** Makes one attempt to call DynamoDB, and rejects tokens that were issued before `tokensValidFrom`. */
const strict = usePetstore({
  tableName,
  environment: { RETRY_BUDGET_MS: '1', TOKENS_VALID_FROM: tokensValidFrom },
});
const faulty = usePetstore({ assembly: faultyAssembly });

/** Not started with usePetstore, which would report their failures. */
const [defective, slow] = [{}, {}] as [Petstore, Petstore];
/** Requests that fail or read share these resources. */
const known = {} as World;
beforeAll(async () => {
  Object.assign(defective, await startPetstore({ assembly: await withoutFiles() }));
  const timeouts = { function: 25, gateway: 0.05 };
  Object.assign(slow, await startPetstore({ assembly: faultyAssembly, timeouts }));
  Object.assign(known, await world(petstore));
});
afterAll(() => Promise.all([defective.stop(), slow.stop()]));

type Changes = Partial<ClientRequest> & { readonly query?: string };

const call = (
  operation: RegisteredOperation,
  { query = '', ...changes }: Changes = {},
  at = petstore,
  used = known,
) => {
  const request = { ...requestOf(operation, used), ...changes };
  return send(at, { ...request, path: request.path + query });
};

const callWithFault = (operation: RegisteredOperation, fault: Fault, ofCall: string) => {
  strict.proxy.faultFor = ({ operation: name }) => (name.includes(ofCall) ? fault : undefined);
  return call(operation, {}, strict);
};

const resultOf = ({ status, body, headers }: ApiResponse) =>
  [status, body, ...['ETag', 'Location'].map(name => headers.get(name))] as const;
const isReplayed = ({ headers }: ApiResponse) => headers.get('Idempotent-Replayed') === 'true';

/** Those that DynamoDB has executed. */
const written = () =>
  petstore.proxy.responses.filter(
    ({ call: { operation }, status }) => operation === 'TransactWriteItems' && status === 200,
  ).length;

const isWrite = ({ method }: RegisteredOperation) => method !== 'GET';
const hasBody = ({ request }: RegisteredOperation) => request.body !== undefined;
const supports = (header: RequestHeader) => (operation: RegisteredOperation) =>
  requestHeadersOf(operation).includes(header);

/** The operations that can return an error, a request that causes it, and the expected response. */
interface Row {
  readonly name: string;
  readonly of: (operation: RegisteredOperation) => boolean;
  readonly send: (operation: RegisteredOperation) => Promise<ApiResponse>;
  readonly expected: readonly [status: number, code: string, message?: string | RegExp];
}

const bare500: Row['expected'] = [500, 'internal_error', /^An internal error occurred/];
const rows: readonly Row[] = [
  {
    name: '400 for an unknown query parameter',
    of: ({ request }) => request.query !== 'any',
    send: operation => call(operation, { query: '?color=red' }),
    expected: [
      400,
      'invalid_request',
      /^query\.color: unknown parameter \(known: (none|\w+(, \w+)*)\)$/,
    ],
  },
  {
    name: '401 for a token that was issued before the setting tokensValidFrom',
    of: ({ access }) => access !== 'public',
    send: async operation => {
      const issuedAt = Date.parse(tokensValidFrom) / 1000 - 1;
      const staff = strict.withToken(
        await signToken(strict.tokenKey, { client: 'staff', scopes, issuedAt }),
      );
      return call(operation, { as: 'staff' }, { ...strict, staff });
    },
    expected: [
      401,
      'unauthenticated',
      `The access token was issued before ${tokensValidFrom}; get a new one.`,
    ],
  },
  {
    name: '413 for a large body',
    of: hasBody,
    send: operation => call(operation, { body: 'x'.repeat(maxBodyBytes + 1) }),
    expected: [413, 'payload_too_large'],
  },
  {
    name: '415 for a body of text/plain',
    of: hasBody,
    send: operation => call(operation, { headers: { 'Content-Type': 'text/plain' } }),
    expected: [415, 'unsupported_media_type'],
  },
  {
    name: 'a bare 500 when a file is missing',
    of: ({ id }) => !usesTable(id),
    send: operation => call(operation, {}, defective),
    expected: bare500,
  },
  {
    name: 'a bare 500 when it may not call DynamoDB',
    of: ({ id }) => usesTable(id),
    send: async operation => {
      const { denial } = petstore.proxy;
      petstore.proxy.denial = () => 'everything';
      const response = await call(operation);
      Object.assign(petstore.proxy, { denial, denials: [] });
      return response;
    },
    expected: bare500,
  },
  {
    name: '503 try_again when DynamoDB throttles',
    of: ({ id }) => usesTable(id),
    send: operation => callWithFault(operation, 'throttle', ''),
    expected: [503, 'try_again', /nothing was written/],
  },
  {
    name: '503 outcome_unknown when DynamoDB does not respond to its write',
    of: isWrite,
    send: operation => callWithFault(operation, 'error', 'TransactWriteItems'),
    expected: [503, 'outcome_unknown', /may or may not have happened/],
  },
];

describe.each(allOperations)('$id returns', operation => {
  it.each(rows.filter(({ of }) => of(operation)))('$name', async row => {
    expectError(await row.send(operation), ...row.expected);
  });

  it('502 when its function crashes or returns no response, 504 when it is slow, and 429 beyond its burst', async () => {
    const callFaulty = (fault: string, at = faulty) =>
      call(operation, { headers: { 'X-Fault': fault } }, at);
    expectError(await callFaulty('crash'), 502, 'bad_gateway');
    expectError(await callFaulty('malformed'), 502, 'bad_gateway');
    expectError(await callFaulty('hang', slow), 504, 'timeout');
    expectError(await callFaulty('crash'), 429, 'too_many_requests');
    expect(faulty.failures.splice(0).map(String)).toEqual([
      expect.stringContaining('crashed'),
      expect.stringContaining('malformed proxy response'),
    ]);
  });
});

it.each(allOperations.filter(({ path }) => path.includes('{')))(
  '$id returns 404 for unknown ids',
  async operation => {
    const ids = Object.keys(known).map(name => [name, name === 'file' ? 'x.js' : 4095]);
    const unknown: World = Object.fromEntries(ids);
    const response = await call(operation, {}, petstore, unknown);
    expectError(response, 404, operation.errors!.find(name => name.endsWith('not_found'))!);
  },
);

const reads = allOperations.filter(({ method }) => method === 'GET');
it.each(reads.filter(supports('If-None-Match')))(
  '$id returns 304 for its ETag',
  async operation => {
    const query = operation.singleBy ? `?${operation.singleBy}=${known.petId}` : '';
    const tag = (await call(operation, { query })).headers.get('ETag')!;
    const { status, body, headers } = await call(operation, {
      query,
      headers: { 'If-None-Match': tag },
    });
    expect([status, body, headers.get('ETag')]).toEqual([304, '', tag]);
  },
);

describe.each(allOperations.filter(isWrite))('$id', operation => {
  it('is executed once with a key, which has no other request of this operation', async () => {
    const used = await world(petstore);
    const headers = { 'Idempotency-Key': 'the same for all operations' };
    const callWithKey = (changes: Changes = {}) =>
      call(operation, { ...changes, headers }, petstore, used);
    const first = await callWithKey();
    const { path, otherBody: body } = requestOf(operation, await world(petstore));
    const before = written();
    const retried = await callWithKey();
    expect(first.status).toBe(successOf(operation).status);
    expect(resultOf(retried)).toEqual(resultOf(first));
    expect([first, retried].map(isReplayed)).toEqual([false, true]);
    expectError(await callWithKey({ path, body }), 422, 'idempotency_key_reused');
    expect(written()).toBe(before);
  });

  it('takes effect once when its first attempt arrives after the others', async () => {
    const used = await world(petstore);
    let executeFirst: (() => Promise<Result>) | undefined;
    const cutLate: Fault = (_, execute) => {
      executeFirst = execute;
      return 'close';
    };
    const faults = [cutLate, 'conditionFailed'] as const;
    let attempts = 0;
    petstore.proxy.faultFor = ({ operation: name }) =>
      name === 'TransactWriteItems' ? faults[attempts++] : undefined;
    expect((await call(operation, {}, petstore, used)).status).toBe(successOf(operation).status);
    // A later check, which changed nothing, has used the token of the first attempt, so DynamoDB rejects that attempt now.
    const { body } = await executeFirst!();
    expect(body.__type).toMatch(/#IdempotentParameterMismatch/);
  });
});
