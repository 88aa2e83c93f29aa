import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Assembly } from '../../cdk/build/synthesize.ts';
import { type Resource, resourcesOf } from '../../cdk/build/template.ts';
import { usesTable } from '../../cdk/config/permissions.ts';
import { type Operation, type OperationId, operationIds, operations } from '../../lib/operations/index.ts';
import { requestHeadersOf } from '../../lib/operations/operation.ts';
import { expectError } from '../support/expect-error.ts';
import { stockedPet } from '../support/fixtures.ts';
import {
  type ApiResponse,
  type Petstore,
  type PetstoreOptions,
  type Request,
  sharedAssembly,
  startPetstore,
  usePetstore,
} from '../support/petstore.ts';
import { prepareWrite, writeIds } from '../support/writes.ts';

/** Each kind of response that follows from an operation's data, for each operation: a new operation is included. */

const tableName = `petstore-${randomUUID()}`;
const petstore = usePetstore({ tableName });
/** Retries for a short time. */
const shortBudget = usePetstore({ tableName, environment: { RETRY_BUDGET_MS: '300' } });
const all = operationIds.map(id => operations[id] as Operation);
const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const bodies: Partial<Record<OperationId, object>> = {
  createPet: { name: 'Tom', categoryId: 4095 },
  replacePet: { name: 'Tom', categoryId: 4095 },
  createCategory: { name: 'Cats' },
  replaceCategory: { name: 'Cats' },
  setInventory: { quantity: 3 },
  placeOrder: { petId: 4095 },
};

interface Things {
  readonly petId: number;
  readonly categoryId: number;
  readonly orderId: number;
}

const call = (
  petstore: Petstore,
  operation: Operation,
  request: Request = {},
  things?: Things,
  path: string = operation.path,
): Promise<ApiResponse> => {
  const filled = path
    .replace('{petId}', String(things?.petId ?? 1))
    .replace('{categoryId}', String(things?.categoryId ?? 1))
    .replace('{orderId}', String(things?.orderId ?? 1))
    .replace('{file}', 'page.js');
  const body = operation.request.body ? { body: bodies[operation.id as OperationId] ?? {} } : {};
  return petstore.staff(operation.method, filled, { ...body, ...request });
};

const createThings = async (petstore: Petstore): Promise<Things> => {
  const { id: petId, categoryId } = await stockedPet(petstore.staff, 5);
  const { body: order } = await petstore.staff('POST', '/store/orders', { body: { petId } });
  return { petId, categoryId, orderId: order.id };
};

describe('each operation', () => {
  it.each(all.filter(({ request }) => request.query !== 'any'))(
    '$id returns 400 for an unknown query parameter',
    async operation => {
      const response = await call(petstore, operation, {}, undefined, `${operation.path}?colour=red`);
      expectError(response, 400, 'invalid_request', 'query.colour: unknown parameter');
    },
  );

  it.each(all.filter(({ request }) => request.body))(
    '$id returns 413 for a large body, and 415 for text/plain',
    async operation => {
      expectError(await call(petstore, operation, { body: 'x'.repeat(16_385) }), 413, 'payload_too_large');
      expectError(
        await call(petstore, operation, { headers: { 'Content-Type': 'text/plain' } }),
        415,
        'unsupported_media_type',
      );
    },
  );

  const reads = all.filter(({ method }) => method === 'GET');
  it.each(reads.filter(operation => requestHeadersOf(operation).includes('If-None-Match')))(
    '$id returns 304, and 400 for an If-None-Match without entity tags',
    async operation => {
      const things = await createThings(petstore);
      const path = operation.id === 'listPets' ? `/pets?id=${things.petId}` : operation.path;
      const response = await call(petstore, operation, { headers: { 'If-None-Match': '*' } }, things, path);
      expect([response.status, response.body]).toEqual([304, '']);
      expect((await call(petstore, operation, {}, things, path)).status).toBe(200);
      expectError(
        await call(petstore, operation, { headers: { 'If-None-Match': 'x' } }, things, path),
        400,
        'invalid_request',
      );
    },
  );

  it.each(all.filter(operation => requestHeadersOf(operation).includes('If-Match')))(
    '$id returns 412 for another tag in If-Match, and for If-None-Match: *',
    async operation => {
      const things = await createThings(petstore);
      for (const headers of [{ 'If-Match': '"x"' }, { 'If-None-Match': '*' }] as Record<string, string>[])
        expectError(await call(petstore, operation, { headers }, things), 412, 'precondition_failed');
    },
  );
});

/** The same stack with changed properties of the resources of a type. */
const changed = (type: string, change: (properties: Resource['Properties']) => void): Assembly => {
  const { template, assets } = sharedAssembly();
  const changing = structuredClone(template);
  for (const [, properties] of resourcesOf(changing, type)) change(properties);
  return { template: changing, assets };
};

/** A folder with this code. */
const folderWith = async (code: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-code-'));
  folders.push(folder);
  await writeFile(join(folder, 'index.mjs'), code);
  return folder;
};

/** The same stack, in which each method invokes one function with other code. */
const withCode = async (code: string): Promise<Assembly> => {
  let uri: object | undefined;
  const { template, assets } = changed('AWS::ApiGateway::Method', ({ Integration }) => {
    if (Integration.Uri) uri = Integration.Uri = uri ?? Integration.Uri;
  });
  const folder = await folderWith(code);
  return { template, assets: new Map([...assets.keys()].map(key => [key, folder])) };
};

const expectEach = async (petstore: Petstore, status: number, code: string, wanted = all) => {
  for (const operation of wanted) expectError(await call(petstore, operation), status, code);
};

const expectEachWith = async (options: PetstoreOptions, status: number, code: string, wanted = all) => {
  const petstore = await startPetstore(options);
  await expectEach(petstore, status, code, wanted);
  await petstore.stop();
  return petstore;
};

const withTable = all.filter(({ id }) => usesTable(id as OperationId));

describe('an operation', () => {
  it('returns 429 when its throttle is exceeded', async () => {
    const assembly = changed('AWS::ApiGateway::Stage', ({ MethodSettings }) => {
      for (const setting of MethodSettings) Object.assign(setting, { ThrottlingRateLimit: 0, ThrottlingBurstLimit: 0 });
    });
    await expectEachWith({ assembly }, 429, 'too_many_requests');
  });

  it('returns 429 for the files of the page when their own throttle is exceeded', async () => {
    const assembly = changed('AWS::ApiGateway::Stage', ({ MethodSettings }) => {
      const ofFiles = MethodSettings.find(({ ResourcePath }: { ResourcePath: string }) =>
        ResourcePath.endsWith('{file}'),
      );
      Object.assign(ofFiles, { ThrottlingRateLimit: 0, ThrottlingBurstLimit: 1 });
    });
    const petstore = await startPetstore({ assembly });
    expect((await petstore.anonymous('GET', '/docs/page.js')).status).toBe(200);
    expectError(await petstore.anonymous('GET', '/docs/page.js'), 429, 'too_many_requests');
    expect((await petstore.anonymous('GET', '/docs')).status).toBe(200);
    await petstore.stop();
  });

  it('returns a bare 500 for an unexpected error, and logs the error in full', async () => {
    const { denial } = petstore.proxy;
    petstore.proxy.denial = () => 'everything';
    await expectEach(petstore, 500, 'internal_error', withTable);
    Object.assign(petstore.proxy, { denial, denials: [] });
    expect(petstore.logs.join('')).toContain('AccessDeniedException');

    // Without the files beside the code.
    const { template, assets } = sharedAssembly();
    const codeAlone = new Map<string, string>();
    for (const [, { Code }] of resourcesOf(template, 'AWS::Lambda::Function')) {
      const code = await readFile(join(assets.get(Code.S3Key)!, 'index.mjs'), 'utf8');
      codeAlone.set(Code.S3Key, await folderWith(code));
    }
    const others = all.filter(operation => !withTable.includes(operation));
    const { logs } = await expectEachWith({ assembly: { template, assets: codeAlone } }, 500, 'internal_error', others);
    expect(logs.join('')).toContain('ENOENT');
  });

  it('returns 502 when its function crashes', async () => {
    const assembly = await withCode('throw new Error("broken at import")');
    const { failures } = await expectEachWith({ assembly }, 502, 'bad_gateway');
    expect(String(failures[0])).toContain('broken at import');
  });

  it('returns 502 when its function does not return a proxy response', async () => {
    const assembly = await withCode('export const handler = async () => ({ statusCode: 200, extra: true })');
    await expectEachWith({ assembly }, 502, 'bad_gateway');
  });

  it('returns 504 when its function takes longer than the timeout of the gateway', async () => {
    const assembly = await withCode('export const handler = () => new Promise(() => undefined)');
    await expectEachWith({ assembly, timeouts: { function: 25, gateway: 0.05 } }, 504, 'timeout');
  });

  it('returns 503 try_again when DynamoDB throttles longer than the retry budget', async () => {
    petstore.proxy.faultFor = () => 'throttle';
    const responses = await Promise.all(withTable.map(operation => call(petstore, operation)));
    petstore.proxy.faultFor = () => undefined;
    for (const response of responses) {
      expectError(response, 503, 'try_again', /nothing was written/);
      expect(response.headers.get('Retry-After')).toBe('1');
    }
  });

  it.each(writeIds)('%s returns 503 outcome_unknown when DynamoDB does not respond to its write', async id => {
    const [client, ...request] = await prepareWrite[id](petstore);
    shortBudget.proxy.faultFor = ({ operation }) => (operation === 'TransactWriteItems' ? 'error' : undefined);
    const response = await shortBudget[client](...request);
    shortBudget.proxy.faultFor = () => undefined;
    expectError(response, 503, 'outcome_unknown', /may or may not have happened/);
    expect(response.headers.get('Retry-After')).toBe('1');
  });
});
