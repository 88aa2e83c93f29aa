import { localStage, settingsOf } from '../../cdk/config/settings.ts';
import type { OperationId, operations, RegisteredOperation } from '../../lib/operations/index.ts';
import { type Scope, widerScopes } from '../../lib/scopes.ts';
import { createCategory, newOrder, stockedPet } from './fixtures.ts';
import type { ApiResponse, Petstore } from './petstore.ts';

export type Clients = Pick<Petstore, 'anonymous' | 'staff' | 'shop'>;

/**
 * Lets every request succeed, even deletions: an empty category, a pet with nine units and no order, and an open order of `shop`
 * for another pet. `categoryOfPets` has both pets.
 */
export const world = async ({ staff, shop }: Clients) => {
  const create = () => createCategory(staff);
  const [{ id: categoryId }, { id: categoryOfPets }] = await Promise.all([create(), create()]);
  const stocked = () => stockedPet(staff, 9, categoryOfPets);
  const [{ id: petId }, { id: orderedPet }] = await Promise.all([stocked(), stocked()]);
  const { id: orderId } = await newOrder(shop, orderedPet);
  return { categoryId, categoryOfPets, petId, orderId, file: 'page.js' };
};

export type World = Awaited<ReturnType<typeof world>>;

export type IdWithBody = {
  [Id in OperationId]: (typeof operations)[Id]['request'] extends { body: object } ? Id : never;
}[OperationId];

/** A body that changes something, and another valid body. */
const bodies: Readonly<Record<IdWithBody, (world: World) => readonly [body: object, other: object]>> = {
  createPet: ({ categoryId }) => [
    { name: 'Tom', categoryId },
    { name: 'Kit', categoryId },
  ],
  replacePet: ({ categoryOfPets: categoryId }) => [
    { name: 'Kit', categoryId },
    { name: 'Leo', categoryId },
  ],
  updatePet: () => [{ status: 'pending' }, { name: 'Kit' }],
  createCategory: () => [{ name: 'Dogs' }, { name: 'Birds' }],
  replaceCategory: () => [{ name: 'Dogs' }, { name: 'Birds' }],
  setInventory: () => [{ quantity: 4 }, { quantity: 5 }],
  placeOrder: ({ petId }) => [{ petId }, { petId, quantity: 2 }],
  updateOrder: () => [{ complete: true }, { shipDate: '2027-01-01T00:00:00Z' }],
};

export interface ClientRequest {
  readonly as: keyof Clients;
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Valid for the same operation. */
  readonly otherBody?: object;
}

export const pathOf = ({ path }: Pick<RegisteredOperation, 'path'>, parameters: Readonly<Record<string, unknown>>) =>
  path.replace(/{(\w+)}/g, (_, name) => {
    if (!(name in parameters)) throw new Error(`test/support/requests.ts has no ${name}`);
    return String(parameters[name]);
  });

const shopScopes = settingsOf('local', localStage).clients.shop!;
const mayShop = (scope: Scope) => [scope, ...widerScopes(scope)].some(one => shopScopes.includes(one));

/** Succeeds, and if the operation writes, changes something. */
export const requestOf = (operation: RegisteredOperation, world: World): ClientRequest => {
  const { id, method, access } = operation;
  const [body, otherBody] = id in bodies ? bodies[id as IdWithBody](world) : [];
  const client = access === 'public' ? 'anonymous' : mayShop(access) ? 'shop' : 'staff';
  return { as: client, method, path: pathOf(operation, world), ...(body && { body, otherBody }) };
};

export const send = (clients: Clients, { as, method, path, headers, body }: ClientRequest): Promise<ApiResponse> =>
  clients[as](method, path, { ...(headers && { headers }), body });
