import { describe, expect, inject, it } from 'vitest';
import { contentsOf } from '../reference/invariants.ts';
import { expectError } from '../support/expect-error.ts';
import { createCategory, stockedPet } from '../support/fixtures.ts';
import { type ApiResponse, type Request, usePetstore } from '../support/petstore.ts';
import { type Prepared, placeOrder, prepareWrite, type WriteId, writeIds } from '../support/writes.ts';

/** An Idempotency-Key on every operation that writes. */

const petstore = usePetstore();
let count = 0;
const newKey = () => `write-${count++}`;

const send = ([client, method, path, request]: Prepared, headers: Record<string, string> = {}) =>
  petstore[client](method, path, { ...request, headers: { ...request?.headers, ...headers } });
const sendWithKey = (prepared: Prepared, key: string) => send(prepared, { 'Idempotency-Key': key });

const contents = () => contentsOf(inject('endpoint'), petstore.tableName);

const isReplay = ({ headers }: ApiResponse) => headers.get('Idempotent-Replayed') === 'true';
const essence = ({ status, body, headers }: ApiResponse) => ({
  ...{ status, body, etag: headers.get('ETag'), location: headers.get('Location') },
});

const expectReplay = (retry: ApiResponse, first: ApiResponse) => {
  expect(essence(retry)).toEqual(essence(first));
  expect([isReplay(first), isReplay(retry)]).toEqual([false, true]);
};

/** Asserts that a request succeeded, and was not replayed. */
const expectExecuted = (response: ApiResponse) => {
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  expect(isReplay(response)).toBe(false);
  return response;
};

const remove = async (path: string) => expect((await petstore.staff('DELETE', path)).status).toBe(204);

describe.each(writeIds)('%s with an Idempotency-Key', id => {
  it('is executed once: a retry returns the first response', async () => {
    const request = await prepareWrite[id](petstore);
    const key = newKey();
    const first = expectExecuted(await sendWithKey(request, key));
    const before = await contents();
    expectReplay(await sendWithKey(request, key), first);
    expect(await contents()).toEqual(before);
  });

  it('returns 422 when the same key has another body or precondition', async () => {
    const [client, method, path, request] = await prepareWrite[id](petstore);
    const key = newKey();
    expectExecuted(await sendWithKey([client, method, path, request], key));
    const others = { name: 'Other', quantity: 2, shipDate: '2028-01-01T00:00:00Z' };
    const field =
      id === 'setInventory' || id === 'placeOrder' ? 'quantity' : id === 'updateOrder' ? 'shipDate' : 'name';
    const other: Request = request?.body
      ? { body: { ...request.body, [field]: others[field] } }
      : { headers: { 'If-Match': '*' } };
    expectError(await sendWithKey([client, method, path, other], key), 422, 'idempotency_key_reused');
  });

  it('is executed once when it is sent in parallel', async () => {
    const request = await prepareWrite[id](petstore);
    const key = newKey();
    const responses = await Promise.all(Array.from({ length: 4 }, () => sendWithKey(request, key)));
    expect(new Set(responses.map(response => JSON.stringify(essence(response)))).size).toBe(1);
    expect(responses[0]!.status).toBeLessThan(300);
    expect(responses.filter(response => !isReplay(response)).length).toBe(1);
  });

  it('returns 400 for a key that is empty, too long or not ASCII', async () => {
    const request = await prepareWrite[id](petstore);
    for (const key of ['', 'k'.repeat(256), 'é', '"a', '""'])
      expectError(
        await sendWithKey(request, key),
        400,
        'invalid_request',
        /^header\.Idempotency-Key: expected one key/,
      );
  });
});

const changes = writeIds.filter(id => !/^(create|place)/.test(id));

describe.each(changes)('%s with an Idempotency-Key', id => {
  it('is replayed when the ETag of its If-Match has changed, or the resource is deleted', async () => {
    const [client, method, path, request] = await prepareWrite[id](petstore);
    const etag = (await petstore.staff('GET', path)).headers.get('ETag')!;
    const conditional: Prepared = [client, method, path, { ...request, headers: { 'If-Match': etag } }];
    const key = newKey();
    const first = expectExecuted(await sendWithKey(conditional, key));
    const [status, code] = method === 'DELETE' ? [404, /_not_found$/] : [412, /^precondition_failed$/];
    const other = await sendWithKey(conditional, newKey());
    expect([other.status, other.body.code]).toEqual([status, expect.stringMatching(code)]);
    expectReplay(await sendWithKey(conditional, key), first);
  });

  it('returns 422 and changes nothing when the same key has another path or precondition', async () => {
    const [request, other] = [await prepareWrite[id](petstore), await prepareWrite[id](petstore)];
    const key = newKey();
    expectExecuted(await sendWithKey(request, key));
    const before = await contents();
    const [client, method, path, body] = request;
    const reused: Prepared[] = [
      [client, method, other[2], body],
      [client, method, path, { ...body, headers: { 'If-Match': '*' } }],
      [client, method, path, { ...body, headers: { 'If-None-Match': '"x"' } }],
    ];
    for (const again of reused) expectError(await sendWithKey(again, key), 422, 'idempotency_key_reused');
    expect(await contents()).toEqual(before);
  });

  it('does not record an error: the same key can be used after a 404 or 412', async () => {
    const request = await prepareWrite[id](petstore);
    const key = newKey();
    const [client, method, path, sent] = request;
    const missing: Prepared = [client, method, path.replace(/\d+$/, '4095'), sent];
    const stale: Prepared = [client, method, path, { ...sent, headers: { 'If-Match': '"stale"' } }];
    expect((await sendWithKey(missing, key)).status).toBe(404);
    expectError(await sendWithKey(stale, key), 412, 'precondition_failed');
    expectExecuted(await sendWithKey(request, key));
  });
});

/** Changes with a body, of resources that can be removed afterwards. */
const removable: [WriteId, () => Promise<Prepared>][] = [
  ...(['replacePet', 'updatePet', 'replaceCategory', 'setInventory'] as const).map(
    (id): [WriteId, () => Promise<Prepared>] => [id, () => prepareWrite[id](petstore)],
  ),
  [
    'updateOrder',
    async () => {
      const { id } = await placeOrder(petstore);
      return ['staff', 'PATCH', `/store/orders/${id}`, { body: { shipDate: '2027-01-01T00:00:00Z' } }];
    },
  ],
];

describe.each(removable)('%s with an Idempotency-Key', (_, prepare) => {
  it('is replayed when its resource has been deleted', async () => {
    const request = await prepare();
    const key = newKey();
    const first = expectExecuted(await sendWithKey(request, key));
    await remove(request[2].replace('/store/inventory', '/pets'));
    expect((await sendWithKey(request, newKey())).status).toBe(404);
    expectReplay(await sendWithKey(request, key), first);
  });

  it('returns 422, not 404, for another body when its resource has been deleted', async () => {
    const [client, method, path, sent] = await prepare();
    const key = newKey();
    expectExecuted(await sendWithKey([client, method, path, sent], key));
    await remove(path.replace('/store/inventory', '/pets'));
    const bodies: Record<string, object> = { quantity: { quantity: 8 }, shipDate: { shipDate: null } };
    const field = Object.keys(bodies).find(name => name in (sent!.body as object));
    const body = field ? bodies[field] : { ...(sent!.body as object), name: 'Other' };
    expectError(await sendWithKey([client, method, path, { body }], key), 422, 'idempotency_key_reused');
  });
});

describe('a request with a recorded key is replayed', () => {
  it('instead of 409 pet_not_available, for an order of a pet that is sold out now', async () => {
    const { id: petId } = await stockedPet(petstore.staff, 1);
    const order: Prepared = ['shop', 'POST', '/store/orders', { body: { petId } }];
    const key = newKey();
    const first = expectExecuted(await sendWithKey(order, key));
    expectError(await send(order), 409, 'pet_not_available');
    expectReplay(await sendWithKey(order, key), first);
  });

  it('instead of 409 out_of_stock, for a status change of a pet whose last unit is ordered now', async () => {
    const { id: petId } = await stockedPet(petstore.staff, 1);
    const path = `/pets/${petId}`;
    await petstore.staff('PATCH', path, { body: { status: 'pending' } });
    const release: Prepared = ['staff', 'PATCH', path, { body: { status: 'available' } }];
    const key = newKey();
    const first = expectExecuted(await sendWithKey(release, key));
    await petstore.shop('POST', '/store/orders', { body: { petId } });
    expectError(await send(release), 409, 'out_of_stock');
    expectReplay(await sendWithKey(release, key), first);
  });

  it('instead of 422 category_not_found, for a move to a category that is deleted now', async () => {
    const { id: categoryId } = await createCategory(petstore.staff);
    const pet = await stockedPet(petstore.staff, 1);
    const move: Prepared = ['staff', 'PATCH', `/pets/${pet.id}`, { body: { categoryId } }];
    const key = newKey();
    const first = expectExecuted(await sendWithKey(move, key));
    await petstore.staff('PATCH', `/pets/${pet.id}`, { body: { categoryId: pet.categoryId } });
    await remove(`/pets/categories/${categoryId}`);
    expectError(await send(move), 422, 'category_not_found');
    expectReplay(await sendWithKey(move, key), first);
  });

  it('instead of 409 order_complete, for the ship date of an order that is complete now', async () => {
    const path = `/store/orders/${(await placeOrder(petstore)).id}`;
    const ship: Prepared = ['staff', 'PATCH', path, { body: { shipDate: '2027-01-01T00:00:00Z' } }];
    const key = newKey();
    const first = expectExecuted(await sendWithKey(ship, key));
    await petstore.staff('PATCH', path, { body: { complete: true, shipDate: '2027-02-02T00:00:00Z' } });
    expectError(await send(ship), 409, 'order_complete');
    expectReplay(await sendWithKey(ship, key), first);
  });
});

describe('a request that changes nothing', () => {
  it.each<[string, () => Promise<Prepared>, other: Request]>([
    [
      'updatePet',
      async () => ['staff', 'PATCH', `/pets/${(await stockedPet(petstore.staff, 2)).id}`, { body: {} }],
      { body: { name: 'Since' } },
    ],
    [
      'updateOrder',
      async () => ['staff', 'PATCH', `/store/orders/${(await placeOrder(petstore)).id}`, { body: {} }],
      { body: { shipDate: '2027-01-01T00:00:00Z' } },
    ],
  ])('%s is recorded: a late retry returns the first response after a later change', async (_, prepare, other) => {
    const request = await prepare();
    const key = newKey();
    const first = expectExecuted(await sendWithKey(request, key));
    const [, , path] = request;
    expectExecuted(await petstore.staff('PATCH', path, other));
    expectReplay(await sendWithKey(request, key), first);
  });

  it('replacePet with a key does not undo a change that was made before its retry', async () => {
    const pet = await stockedPet(petstore.staff, 2);
    const path = `/pets/${pet.id}`;
    const same: Prepared = ['staff', 'PUT', path, { body: { name: pet.name, categoryId: pet.categoryId } }];
    const key = newKey();
    const first = expectExecuted(await sendWithKey(same, key));
    expectExecuted(await petstore.staff('PATCH', path, { body: { name: 'Renamed' } }));
    expectReplay(await sendWithKey(same, key), first);
    expect((await petstore.anonymous('GET', path)).body.name).toBe('Renamed');
  });
});

describe('a setInventory request with a key that is retried late', () => {
  it('does not make units available again that were sold before the retry', async () => {
    const { id } = await stockedPet(petstore.staff, 9);
    const path = `/store/inventory/${id}`;
    const count: Prepared = ['staff', 'PUT', path, { body: { quantity: 5 } }];
    const key = newKey();
    const first = expectExecuted(await sendWithKey(count, key));
    await petstore.shop('POST', '/store/orders', { body: { petId: id, quantity: 4 } });
    expectReplay(await sendWithKey(count, key), first);
    expect((await petstore.staff('GET', path)).body.quantity).toBe(1);
  });
});

describe('one Idempotency-Key', () => {
  it('can be used once for each operation', async () => {
    const key = newKey();
    for (const id of writeIds) expectExecuted(await sendWithKey(await prepareWrite[id](petstore), key));
  });

  it('can be used once by each owner', async () => {
    const { id: petId } = await stockedPet(petstore.staff, 9);
    const key = newKey();
    for (const owner of ['shop', 'rival'] as const) {
      const { id } = (await petstore[owner]('POST', '/store/orders', { body: { petId } })).body;
      const headers = { 'Idempotency-Key': key };
      expectExecuted(await petstore[owner]('DELETE', `/store/orders/${id}`, { headers }));
    }
  });

  it('is ignored on a GET, also when it is invalid', async () => {
    for (const key of ['', 'é', 'k'.repeat(256), 'valid'])
      expect((await petstore.anonymous('GET', '/pets', { headers: { 'Idempotency-Key': key } })).status).toBe(200);
  });
});
