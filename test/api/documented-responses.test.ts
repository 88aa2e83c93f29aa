import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { functionNames } from '../../cdk/build/bundle/function-names.ts';
import { type Assembly, synthesize } from '../../cdk/build/synthesize.ts';
import { resourcesOf } from '../../cdk/build/template.ts';
import { limitedAlike } from '../../cdk/config/limits.ts';
import { usesTable } from '../../cdk/config/permissions.ts';
import { settingsOf } from '../../cdk/config/settings.ts';
import { type Operation, type OperationId, operationIds, operations } from '../../lib/operations/index.ts';
import { requestHeadersOf } from '../../lib/operations/operation.ts';
import { expectError } from '../support/expect-error.ts';
import {
  type Answer,
  type Petstore,
  type Request,
  sharedBundles,
  startPetstore,
  usePetstore,
} from '../support/petstore.ts';
import { stockedPet } from '../support/shop.ts';

/** Each kind of answer that follows from an operation's shape, for each operation: generated, so a new one enrols itself. */

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
): Promise<Answer> => {
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
  const petstore = usePetstore();

  it.each(all.filter(({ request }) => request.query !== 'any'))(
    '$id answers 400 to a parameter that it does not know',
    async operation => {
      const answer = await call(petstore, operation, {}, undefined, `${operation.path}?colour=red`);
      expectError(answer, 400, 'invalid_request', 'query.colour: unknown parameter');
    },
  );

  it.each(all.filter(({ request }) => request.body))(
    '$id answers 413 and 415 to bodies that it does not take',
    async operation => {
      expectError(await call(petstore, operation, { body: 'x'.repeat(16_385) }), 413, 'payload_too_large');
      expectError(
        await call(petstore, operation, { headers: { 'Content-Type': 'text/plain' } }),
        415,
        'unsupported_media_type',
      );
    },
  );

  it.each(all.filter(operation => requestHeadersOf(operation).includes('If-None-Match')))(
    '$id answers 304, and 400 to tags that are none',
    async operation => {
      const things = await createThings(petstore);
      const path = operation.id === 'listPets' ? `/pets?id=${things.petId}` : operation.path;
      const answer = await call(petstore, operation, { headers: { 'If-None-Match': '*' } }, things, path);
      expect([answer.status, answer.body]).toEqual([304, '']);
      expect((await call(petstore, operation, {}, things, path)).status).toBe(200);
      expectError(
        await call(petstore, operation, { headers: { 'If-None-Match': 'x' } }, things, path),
        400,
        'invalid_request',
      );
    },
  );

  it.each(all.filter(operation => requestHeadersOf(operation).includes('If-Match')))(
    '$id answers 412',
    async operation => {
      const things = await createThings(petstore);
      expectError(
        await call(petstore, operation, { headers: { 'If-Match': '"x"' } }, things),
        412,
        'precondition_failed',
      );
    },
  );

  it.each(all.filter(operation => requestHeadersOf(operation).includes('Idempotency-Key')))(
    '$id answers 422 to a key that was used',
    async operation => {
      const { petId, categoryId } = await createThings(petstore);
      const headers = { 'Idempotency-Key': `used-${operation.id}` };
      const body = {
        ...bodies[operation.id as OperationId],
        ...('petId' in bodies[operation.id as OperationId]! && { petId }),
      };
      const valid = 'categoryId' in body ? { ...body, categoryId } : body;
      expect((await call(petstore, operation, { headers, body: valid })).status).toBe(201);
      const other = 'petId' in valid ? { ...valid, quantity: 2 } : { ...valid, name: 'Other' };
      expectError(await call(petstore, operation, { headers, body: other }), 422, 'idempotency_key_reused');
    },
  );
});

/** The same stack, with other code in its functions. */
const withCode = async (code: string): Promise<Assembly> => {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-code-'));
  folders.push(folder);
  await writeFile(join(folder, 'index.mjs'), code);
  return synthesize({ stage: 'local', bundles: { ...sharedBundles(), folderOf: () => folder } });
};

const answeredBy = async (
  assembly: Assembly | undefined,
  spoil: (petstore: Petstore) => void,
  status: number,
  code: string,
  wanted = all,
) => {
  const petstore = await startPetstore(assembly ? { assembly } : {});
  spoil(petstore);
  for (const operation of wanted) expectError(await call(petstore, operation), status, code);
  await petstore.stop();
  return petstore;
};

const nothing = () => undefined;
const { limits } = settingsOf('local');

describe('when things break, each operation', () => {
  it('answers 429 beyond the throttle', async () => {
    const assembly = await synthesize({
      stage: 'local',
      settings: { limits: limitedAlike({ rate: 0, burst: 0, timeout: 5 }) },
      bundles: sharedBundles(),
    });
    await answeredBy(assembly, nothing, 429, 'too_many_requests');
  });

  it('answers 429 for the files of the page beyond their own throttle', async () => {
    const assembly = await synthesize({
      stage: 'local',
      settings: { limits: { ...limits, getDocsFile: { ...limits.getDocsFile, rate: 0, burst: 1 } } },
      bundles: sharedBundles(),
    });
    const petstore = await startPetstore({ assembly });
    expect((await petstore.anonymous('GET', '/docs/page.js')).status).toBe(200);
    expectError(await petstore.anonymous('GET', '/docs/page.js'), 429, 'too_many_requests');
    expect((await petstore.anonymous('GET', '/docs')).status).toBe(200);
    await petstore.stop();
  });

  it('answers a bare 500 to what it did not expect, and logs it whole', async () => {
    const withTable = all.filter(({ id }) => usesTable(id as OperationId));
    const denyAll = (petstore: Petstore) => {
      petstore.proxy.denial = () => 'everything';
    };
    const petstore = await answeredBy(undefined, denyAll, 500, 'internal_error', withTable);
    expect(petstore.logs.join('')).toContain('AccessDeniedException');

    const withoutFiles = await mkdtemp(join(tmpdir(), 'petstore-nofiles-'));
    folders.push(withoutFiles);
    const { folderOf, metafile } = sharedBundles();
    for (const id of functionNames) await cp(join(folderOf(id), 'index.mjs'), join(withoutFiles, id, 'index.mjs'));
    const assembly = await synthesize({
      stage: 'local',
      bundles: { folderOf: id => join(withoutFiles, id), metafile },
    });
    const others = all.filter(({ id }) => !usesTable(id as OperationId));
    expect((await answeredBy(assembly, nothing, 500, 'internal_error', others)).logs.join('')).toContain('ENOENT');
  });

  it('answers 502 when its function crashes', async () => {
    const petstore = await answeredBy(
      await withCode('throw new Error("broken at import")'),
      nothing,
      502,
      'bad_gateway',
    );
    expect(String(petstore.failures[0])).toContain('broken at import');
  });

  it('answers 502 when its function answers no proxy response', async () => {
    await answeredBy(
      await withCode('export const handler = async () => ({ statusCode: 200, extra: true })'),
      nothing,
      502,
      'bad_gateway',
    );
  });

  it('answers 504 when its function takes longer than the gateway waits', async () => {
    const { template, assets } = await withCode('export const handler = () => new Promise(() => undefined)');
    const hurried = structuredClone(template);
    for (const [, { Integration }] of resourcesOf(hurried, 'AWS::ApiGateway::Method')) Integration.TimeoutInMillis = 50;
    await answeredBy({ template: hurried, assets }, nothing, 504, 'timeout');
  });

  it('answers 503 when DynamoDB refuses for too long', async () => {
    const throttle = (petstore: Petstore) => {
      petstore.proxy.faultFor = () => 'throttle';
    };
    const petstore = await startPetstore();
    const busy = all.filter(({ id }) => usesTable(id as OperationId));
    // Cold starts of all functions at once would take from their time-outs.
    await Promise.all(busy.map(operation => call(petstore, operation)));
    throttle(petstore);
    const answers = await Promise.all(
      busy.map(async operation => {
        const answer = await call(petstore, operation);
        // With so many at once a refusal may take longer than a function waits for it; alone it does not.
        return answer.body.message.includes('outcome is unknown') ? call(petstore, operation) : answer;
      }),
    );
    await petstore.stop();
    for (const answer of answers) {
      expectError(answer, 503, 'try_again', /nothing was written/);
      expect(answer.headers.get('Retry-After')).toBe('1');
    }
  });
});
