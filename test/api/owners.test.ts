import { describe, expect, it } from 'vitest';
import { localStage, settingsOf } from '../../cdk/config/settings.ts';
import { allOperations, operations } from '../../lib/operations/index.ts';
import { scopeOfAllOwners, widerScopes } from '../../lib/scopes.ts';
import { newOrder, stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';
import { requestOf, send, world } from '../support/requests.ts';
import { signToken } from '../support/sign-token.ts';

const petstore = usePetstore();
const idOf = (user: number) => `0f9e1b7a-5a54-4ad9-b5a3-00000000000${user}`;
const [anna, ben, clerk] = [idOf(1), idOf(2), idOf(3)];
const signIn = async (client: string, user?: string, scope = 'orders') =>
  petstore.withToken(
    await signToken(petstore.tokenKey, { client, scopes: [scope], ...(user && { user }) }),
  );

const isId = (name: string) => name.endsWith('Id');
const otherThan = (value: unknown) => (typeof value === 'number' ? 1 : !value);
const { shape: filters } = operations.listOrders.request.query;
const owner = {
  lists: true,
  filters: true,
  otherFilters: false,
  get: 200,
  cursor: 200,
  replay: '201 true',
  ifMatch: 412,
  cancel: 204,
};
const staff = { ...owner, cursor: 400, replay: '201 null' };
const nobody = {
  lists: false,
  filters: false,
  otherFilters: false,
  get: 404,
  cursor: 400,
  replay: '201 null',
  ifMatch: 404,
  cancel: 404,
};

it.each<[string, [client: string, user?: string, scope?: string], object]>([
  ['the user through another client', ['mobile', anna], owner],
  ['staff', ['web', clerk, 'orders.manage'], staff],
  ['another user of the client', ['web', ben], nobody],
  ['the client itself', ['web'], nobody],
  ['another client', ['mobile'], nobody],
])('the orders of a user belong to that user alone, as seen by %s', async (_, caller, expected) => {
  const [user, other] = [await signIn('web', anna), await signIn(...caller)];
  const { id: petId } = await stockedPet(petstore.staff, 5);
  // With each reference.
  const { body } = requestOf(operations.placeOrder, { ...(await world(petstore)), petId });
  const request = { body, headers: { 'Idempotency-Key': `for pet ${petId}` } };
  await user('POST', '/store/orders', { body });
  const order = (await user('POST', '/store/orders', request)).body;
  const { id } = order;
  const path = `/store/orders/${id}`;
  const [, next] = /<(.*)>/.exec(
    (await user('GET', '/store/orders?limit=1')).headers.get('Link')!,
  )!;
  const replay = await other('POST', '/store/orders', request);
  const lists = async (filter = '') => {
    const { status, body } = await other('GET', `/store/orders?limit=100${filter}`);
    return status === 200 && body.some((one: { id: number }) => one.id === id);
  };
  const fields = Object.keys(filters).filter(name => order[name] !== undefined);
  expect(fields).toEqual(expect.arrayContaining(Object.keys(filters).filter(isId)));
  const withFilters = (choose: (value: unknown) => unknown) =>
    Promise.all(fields.map(name => lists(`&${name}=${choose(order[name])}`)));
  expect({
    lists: await lists(),
    filters: (await withFilters(value => value)).includes(true),
    otherFilters: (await withFilters(otherThan)).includes(true),
    get: (await other('GET', path)).status,
    cursor: (await other('GET', next!)).status,
    replay: `${replay.status} ${replay.headers.get('Idempotent-Replayed')}`,
    ifMatch: (await other('DELETE', path, { headers: { 'If-Match': '"of-another-order"' } }))
      .status,
    cancel: (await other('DELETE', path)).status,
  }).toEqual(expected);
});

/** Importers, such as Insomnia's, request the scope that the document names for the operation. */
describe('with only the documented scope of an operation', () => {
  const { clients } = settingsOf('local', localStage);
  const [manager, ...others] = Object.entries(clients).sort(
    ([, a], [, b]) => +b.includes(scopeOfAllOwners) - +a.includes(scopeOfAllOwners),
  );
  const rows = others.flatMap(([client, granted]) =>
    allOperations.flatMap(operation => {
      const { access } = operation;
      const allowing = access === 'public' ? [] : [access, ...widerScopes(access)];
      return granted.some(scope => allowing.includes(scope)) ? [{ client, access, operation }] : [];
    }),
  );

  it.each(rows)('$client gets the response of all its scopes from $operation.id', async row => {
    const { client, access, operation } = row;
    const tokens = [petstore.token(client), petstore.token(client, `petstore/${access}`)];
    const [all, only] = (await Promise.all(tokens)).map(petstore.withToken);
    const customer = clients[client]!.includes('orders') ? all! : petstore.shop;
    // A write changes its world, so each token has a world.
    const given = { ...petstore, shop: customer };
    const worlds = await Promise.all([world(given), world(given)]);
    const responses = [all!, only!].map(async (used, index) => {
      const request = requestOf(operation, worlds[index]!);
      const { status, text } = await send({ ...petstore, staff: used, shop: used }, request);
      return [status, text.replaceAll(/\d{15,}/g, 'id')];
    });
    const [expected, response] = await Promise.all(responses);
    expect(response).toEqual(expected);
    expect(expected![0]).not.toBe(403);
  });

  it(`is the exception of ${manager![0]}, whose own orders are others than all orders`, async () => {
    const { id: petId } = await stockedPet(petstore.staff, 1);
    const { id } = await newOrder(petstore.shop, petId);
    const own = petstore.withToken(await petstore.token(manager![0], 'petstore/orders.read'));
    const statuses = [petstore.staff, own].map(
      async as => (await as('GET', `/store/orders/${id}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 404]);
  });
});
