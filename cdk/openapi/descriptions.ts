import type * as z from 'zod/mini';
import { resources } from '../../lib/model/kinds.ts';
import { exampleUrl } from '../../lib/operations/getOpenApi.ts';
import {
  allOperations,
  type OperationId,
  type RegisteredOperation,
} from '../../lib/operations/index.ts';
import { OrderPatch } from '../../lib/schemas/order.ts';
import { PetPatch } from '../../lib/schemas/pet.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { Settings } from '../config/settings.ts';
import * as page from './page.ts';

/** Which fields a patch can remove. */
const mergePatch = ({
  shape,
}: {
  readonly shape: Readonly<Record<string, z.ZodMiniType>>;
}): string => {
  const removable = Object.keys(shape).filter(name => shape[name]!.safeParse(null).success);
  const names = removable.map(name => `\`${name}\``).join(' or ');
  const rule = names
    ? `\`null\` removes ${names}; for any other field it`
    : 'No field can be removed: `null`';
  return `A merge patch (RFC 7396), as JSON or \`application/merge-patch+json\`. ${rule} returns 400.`;
};

/** A link to the page, which has anchors. The guide in guide.md is plain text. */
export const onHold = `[on hold](${exampleUrl}/docs#stock-and-status)`;

/** In cdk/, so that no function contains them. */
const descriptions: Record<OperationId, readonly [summary: string, description: string]> = {
  listPets: [
    'List pets',
    'Returns pages, newest first. With `id`, it returns the requested pets that exist and match the other filters, without pages. An unknown category returns an empty list. With exactly one id, the response has the ETag of the pet if it is found, and `If-None-Match` applies.',
  ],
  createPet: [
    'Create a pet',
    `\`categoryId\` is an id that listCategories returns. The default status is \`available\`. With \`pending\`, the pet is ${onHold} until a request sets \`available\`. A new pet has one unit, or none if it is \`sold\`: its first stock makes it \`available\`. Set the number with setInventory.`,
  ],
  getPet: ['Read a pet', 'A strongly consistent read.'],
  replacePet: [
    'Replace a pet',
    `You can send a pet as listPets returned it. Its \`id\` must be equal to the id in the path. Without \`status\`, the status does not change. A change to \`pending\` or \`sold\` puts the pet ${onHold}, but \`sold\` without a unit, available or reserved, takes it off hold. \`available\` takes it off hold, and the status follows from the units: it can be \`pending\` or \`sold\`. If the pet is not on hold and no unit is available, \`available\` returns 409 \`out_of_stock\`, also when it is repeated without a key.`,
  ],
  updatePet: [
    'Update a pet',
    `${mergePatch(PetPatch)} The status follows the rules of replacePet.`,
  ],
  deletePet: [
    'Delete a pet',
    'Returns 409 `pet_has_open_orders` if the pet has open orders. listOrders with `petId` and `complete=false` returns them. Complete orders of the pet remain.',
  ],
  listCategories: ['List categories', 'Returns pages, newest first.'],
  createCategory: [
    'Create a category',
    'Stores the name without leading and trailing white space.',
  ],
  getCategory: ['Read a category', 'A strongly consistent read.'],
  replaceCategory: [
    'Replace a category',
    'You can send a category as GET returned it. Its `id` must be equal to the id in the path.',
  ],
  deleteCategory: ['Delete a category', 'Returns 409 `category_in_use` if the category has pets.'],
  listInventory: [
    'List stock',
    'Returns pages, newest pet first: the quantity and the status of each pet.',
  ],
  getInventory: [
    'Read the stock of a pet',
    'With `units=stocked`, the ETag stays the same until a unit leaves or reaches the shelf, or the status changes.',
  ],
  setInventory: [
    'Set the stock of a pet',
    `Sets the units that can be ordered, or with \`units=stocked\` all units in the shop, as you count them on the shelf. Units in open orders stay reserved: fewer than those return 409 \`insufficient_stock\`. Read the ETag before you count, and send it: after a 412, count again. If a unit can be ordered, the pet becomes \`available\`, unless it is ${onHold}. Without \`If-Match\`, a late request ignores orders that were placed since.`,
  ],
  listOrders: [
    'List orders',
    'Returns pages, newest first: your own orders, or all orders with scope `petstore/orders.manage`. The time of an order is the time in its id. An unknown pet returns an empty list.',
  ],
  placeOrder: [
    'Place an order',
    'Reserves the units and stores the order in one transaction. `petId` is an id that listPets returns with `status=available`. `complete: true` is a counter sale: the order is complete at once, and its default ship date is the current time. A counter sale needs scope `petstore/orders.manage`.',
  ],
  getOrder: [
    'Read an order',
    'The order of another owner returns 404, unless the token has scope `petstore/orders.manage`.',
  ],
  updateOrder: [
    'Complete an order, or set its ship date',
    `${mergePatch(OrderPatch)} With \`complete: true\`, leave \`shipDate\` out to keep the date (\`null\` returns 400); an order without one gets the current time. A patch that would change a complete order returns 409 \`order_complete\`; one that changes nothing returns 200.`,
  ],
  cancelOrder: [
    'Cancel an order',
    'Deletes the order and makes its units available again. Returns 409 `order_complete` if the order is complete.',
  ],
  getOpenApi: ['Read this document', 'OpenAPI 3.0.3, with the token URL of this stage.'],
  ...page.descriptions,
};

const stabilityNotes = {
  beta: '**Beta**: may change within 1.x; the changelog announces changes.',
  experimental: '**Experimental**: may change or end within 1.x.',
};

const rateLimitNote = ({ id }: RegisteredOperation, settings: Settings): string => {
  const { rate, burst } = settings.limits[id];
  const requests =
    rate < 1
      ? `1 request every ${1 / rate} seconds`
      : `${rate} ${rate === 1 ? 'request' : 'requests'} per second`;
  return `*Rate limit of all callers:* ${requests}; burst ${burst}. Above it: 429.`;
};

/**
 * With notes on deprecation, stability and rate limit. The summary of an operation that is deprecated or not stable ends with a
 * label such as `(beta)`. Lists of operations and generated code show this label.
 */
export const summaryAndDescriptionOf = (operation: RegisteredOperation, settings: Settings) => {
  const [summary, description] = descriptions[operation.id];
  const { deprecated, stability } = operation;
  const dates = settings.lifeCycle[operation.id];
  const label = dates ? `deprecated, sunset ${dates.sunsetOn}` : stability;
  const paragraphs = [
    dates &&
      `**Deprecated** since ${dates.deprecatedOn}, **sunset ${dates.sunsetOn}**: use \`GET ${deprecated?.successor}\`, which returns an array with the pet, or an empty array. The response headers have both dates.`,
    stability && stabilityNotes[stability],
    description,
    rateLimitNote(operation, settings),
  ];
  return {
    summary: label ? `${summary} (${label})` : summary,
    description: paragraphs.filter(Boolean).join('\n\n'),
  };
};

/** The fields in which the example of a request differs from the example of its resource (fields.ts). */
export const changes: Partial<Record<OperationId, object>> = {
  replacePet: { name: 'Thomas', status: 'pending' },
  updatePet: { status: 'sold' },
  replaceCategory: { name: 'Felines' },
  updateOrder: { shipDate: '2027-01-05T09:00:00Z' },
};

/** Responses that are not resources: a noun for each, and an example unless it is a file. */
export const documents: Partial<Record<OperationId, readonly [noun: string, example?: object]>> = {
  getOpenApi: [
    'The OpenAPI document',
    { openapi: '3.0.3', info: { title: 'Petstore', version: '1.0.0' }, paths: {} },
  ],
  ...page.documents,
};

/** What operations with the access read or write, or all operations: `pets, stock, categories and orders`. */
export const collectionsOf = (access?: RegisteredOperation['access']): string => {
  const operations = allOperations.filter(
    operation => access === undefined || operation.access === access,
  );
  const used = resources.filter(({ path }) =>
    operations.some(operation => operation.path.startsWith(`/${path}`)),
  );
  const names = used.map(({ path }) => path.replace(/^.*\//, '').replace('inventory', 'stock'));
  return new Intl.ListFormat('en-GB').format(names);
};

export const info = {
  title: 'Petstore',
  version: manifest.version,
  /** Short, because generators copy it into every file that they write. */
  description: `The Petstore API, as JSON over HTTP: ${collectionsOf()}. Everybody can read ${collectionsOf('public')}, and the documentation; all other operations need an OAuth 2.0 access token. Send an \`Idempotency-Key\` with every write, and retry with the same key.`,
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  contact: { name: 'The petstore authors' },
};

/** The order is that of a first visit. */
export const tags = [
  { name: 'Pets', description: 'Pets and their categories', paths: /^\/pets/ },
  { name: 'Orders', description: 'Place, complete and cancel orders', paths: /^\/store\/orders/ },
  {
    name: 'Stock',
    description: 'How many units of each pet can be ordered',
    paths: /^\/store\/inventory/,
  },
  {
    name: 'Documentation',
    description: 'This documentation, for people and programs',
    paths: /^\/(?:docs|openapi)/,
  },
];

/** @throws when no tag has the path */
export const tagOf = (path: string): string => {
  const tag = tags.find(({ paths }) => paths.test(path));
  if (!tag) throw new Error(`No tag has the path ${path}: cdk/openapi/descriptions.ts`);
  return tag.name;
};
