import { expect, it } from 'vitest';
import { stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';
import { signToken } from '../support/sign-token.ts';

const petstore = usePetstore();
const idOf = (user: number) => `0f9e1b7a-5a54-4ad9-b5a3-00000000000${user}`;
const [anna, ben, clerk] = [idOf(1), idOf(2), idOf(3)];
const signIn = async (client: string, user?: string, scope = 'orders') =>
  petstore.withToken(
    await signToken(petstore.tokenKey, { client, scopes: [scope], ...(user && { user }) }),
  );

const owner = { lists: true, get: 200, cursor: 200, replay: '201 true', ifMatch: 412, cancel: 204 };
const staff = { ...owner, cursor: 400, replay: '201 null' };
const nobody = {
  lists: false,
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
  const request = { body: { petId }, headers: { 'Idempotency-Key': `for pet ${petId}` } };
  await user('POST', '/store/orders', { body: { petId } });
  const { id } = (await user('POST', '/store/orders', request)).body;
  const path = `/store/orders/${id}`;
  const [, next] = /<(.*)>/.exec(
    (await user('GET', '/store/orders?limit=1')).headers.get('Link')!,
  )!;
  const replay = await other('POST', '/store/orders', request);
  const { body: listed } = await other('GET', '/store/orders?limit=100');
  expect({
    lists: listed.some((order: { id: number }) => order.id === id),
    get: (await other('GET', path)).status,
    cursor: (await other('GET', next!)).status,
    replay: `${replay.status} ${replay.headers.get('Idempotent-Replayed')}`,
    ifMatch: (await other('DELETE', path, { headers: { 'If-Match': '"of-another-order"' } }))
      .status,
    cancel: (await other('DELETE', path)).status,
  }).toEqual(expected);
});
