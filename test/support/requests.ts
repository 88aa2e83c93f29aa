import { localStage, settingsOf } from '../../cdk/config/settings.ts';
import type { RegisteredOperation } from '../../lib/operations/index.ts';
import { type Scope, widerScopes } from '../../lib/scopes.ts';
import { create, createCategory, newOrder, stockedPet } from './fixtures.ts';
import { newPet } from './new-pet.ts';
import type { ApiResponse, Petstore } from './petstore.ts';
import { byReference, resourceAt, type SimpleResource, simpleResources } from './resources.ts';
import { type IdWithBody, requiredBody } from './values.ts';

export type Clients = Pick<Petstore, 'anonymous' | 'staff' | 'shop'>;

/** A body that changes something, and another valid body. */
type Bodies = readonly [body: object, other: object];

/** For an operation that needs more than its required fields and a name. */
const bodies: Readonly<Partial<Record<IdWithBody, (world: World) => Bodies>>> = {
  createPet: () => [newPet, { ...newPet, name: 'Kit' }],
  replacePet: ({ categoryOfPets: categoryId }) => [
    { ...newPet, name: 'Kit', categoryId },
    { ...newPet, name: 'Leo', categoryId },
  ],
  updatePet: () => [{ status: 'pending' }, { name: 'Kit' }],
  setInventory: () => [{ quantity: 4 }, { quantity: 5 }],
  placeOrder: ({ petId }) => [{ petId }, { petId, quantity: 2 }],
  updateOrder: () => [{ complete: true }, { shipDate: '2027-01-01T00:00:00Z' }],
};
const named: Bodies = [{ name: 'Dogs' }, { name: 'Birds' }];

/**
 * Lets every request succeed, even deletions: an empty category, one of each resource that refers to no other, a pet with nine
 * units and no order, and an open order of `shop` for another pet. `categoryOfPets` has both pets.
 */
export const world = async ({ staff, shop }: Clients) => {
  const made = simpleResources.map(async resource => {
    const { path, idName } = resource;
    const body = { ...requiredBody(resource.create, 1), ...named[1] };
    const { id } = await create<{ id: number }>(staff, path, body);
    return [idName, id] as const;
  });
  const [ids, { id: categoryOfPets }] = await Promise.all([
    Promise.all(made),
    createCategory(staff),
  ]);
  const stocked = () => stockedPet(staff, 9, categoryOfPets);
  const [{ id: petId }, { id: orderedPet }] = await Promise.all([stocked(), stocked()]);
  const { id: orderId } = await newOrder(shop, orderedPet);
  const simple = Object.fromEntries(ids) as Record<SimpleResource['idName'], number>;
  return { ...simple, categoryOfPets, petId, orderId, file: 'page.js' };
};

export type World = Awaited<ReturnType<typeof world>>;

export interface ClientRequest {
  readonly as: keyof Clients;
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Valid for the same operation. */
  readonly otherBody?: object;
}

export const pathOf = (
  { path }: Pick<RegisteredOperation, 'path'>,
  parameters: Readonly<Record<string, unknown>>,
) =>
  path.replace(/{(\w+)}/g, (_, name) => {
    if (!(name in parameters)) throw new Error(`test/support/requests.ts has no ${name}`);
    return String(parameters[name]);
  });

const shopScopes = settingsOf('local', localStage).clients.shop!;
const mayShop = (scope: Scope) =>
  [scope, ...widerScopes(scope)].some(one => shopScopes.includes(one));

/** Of a new item: every field that refers to another item. */
const parentsIn = (operation: RegisteredOperation, world: World) => {
  const { method, request } = operation;
  const kind = resourceAt(operation)?.noun.toUpperCase() ?? '';
  const ids = byReference(kind, parent => (world as Record<string, unknown>)[`${parent}Id`]);
  const { shape = {} } = (request.body ?? {}) as { shape?: object };
  return method === 'POST'
    ? Object.fromEntries(Object.entries(ids).filter(([field]) => field in shape))
    : {};
};

/** Succeeds, and if the operation writes, changes something. */
export const requestOf = (operation: RegisteredOperation, world: World): ClientRequest => {
  const { id, method, access, request } = operation;
  const parents = parentsIn(operation, world);
  const usual = () => named.map(one => ({ ...requiredBody(id as IdWithBody, 1), ...one }));
  const own = bodies[id as IdWithBody]?.(world) ?? (request.body ? usual() : []);
  const [body, otherBody] = own.map(one => ({ ...parents, ...one }));
  if (body && !request.body?.safeParse(body).success)
    throw new Error(`test/support/requests.ts has no body for ${id}`);
  const client = access === 'public' ? 'anonymous' : mayShop(access) ? 'shop' : 'staff';
  return { as: client, method, path: pathOf(operation, world), ...(body && { body, otherBody }) };
};

export const send = (
  clients: Clients,
  { as, method, path, headers, body }: ClientRequest,
): Promise<ApiResponse> => clients[as](method, path, { ...(headers && { headers }), body });
