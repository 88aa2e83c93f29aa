import { toCloudEvent } from '../../lib/events/cloud-event.ts';
import type { EventData, EventType } from '../../lib/events/event-types.ts';
import { things } from './descriptions.ts';
import type { Document } from './document-types.ts';
import { eventSchemaNames } from './event-schemas.ts';
import { ref } from './references.ts';

/** What the document says of a type of event, and an example of it. */
interface Told {
  readonly summary: string;
  readonly description: string;
  readonly data: keyof typeof eventSchemaNames;
  readonly example: object;
  /** How many writes the thing of the example has had. */
  readonly count: number;
}

const { pet, category, order, stock } = things;
const asItWas = '`data` is what it was, and `sequence` is beyond that of every event before.';

const ofPets = { data: 'Pet', example: pet } as const;
const ofCategories = { data: 'Category', example: category } as const;
const ofStock = { data: 'InventoryItem', example: stock } as const;
const ofOrders = { data: 'Order', example: order } as const;

const told: Record<EventType, Told> = {
  'petstore.pet.created': {
    ...ofPets,
    count: 1,
    summary: 'A pet was created',
    description: 'Its first stock is told as `petstore.inventory.updated` of the same change.',
  },
  'petstore.pet.updated': {
    ...ofPets,
    count: 3,
    example: { ...pet, status: 'pending' },
    summary: 'A pet changed',
    description:
      'Its name, category or status, by staff or by the system: an order for the last unit makes it `pending`.',
  },
  'petstore.pet.deleted': { ...ofPets, count: 5, summary: 'A pet was deleted', description: asItWas },
  'petstore.category.created': {
    ...ofCategories,
    count: 1,
    summary: 'A category was created',
    description: 'It has no pets yet.',
  },
  'petstore.category.updated': {
    ...ofCategories,
    count: 4,
    summary: 'A category changed',
    description: 'Its name or description. How many pets are in it is not told.',
  },
  'petstore.category.deleted': {
    ...ofCategories,
    count: 6,
    summary: 'A category was deleted',
    description: asItWas,
  },
  'petstore.inventory.updated': {
    ...ofStock,
    count: 2,
    summary: 'The stock of a pet changed',
    description:
      'Its free units or its status: by an order, its cancelling, a stock-take or staff; or it is the first of a new pet.',
  },
  'petstore.inventory.deleted': {
    ...ofStock,
    count: 5,
    summary: 'The stock of a pet is gone',
    description: `The pet was deleted. ${asItWas}`,
  },
  'petstore.order.placed': {
    ...ofOrders,
    count: 1,
    summary: 'An order was placed',
    description: 'A sale over the counter is told as placed and as completed, with equal data.',
  },
  'petstore.order.updated': {
    ...ofOrders,
    count: 2,
    summary: 'An order changed',
    description: 'The ship date of an open order.',
  },
  'petstore.order.completed': {
    ...ofOrders,
    count: 3,
    example: { ...order, complete: true },
    summary: 'An order was completed',
    description: 'Completion is final.',
  },
  'petstore.order.cancelled': {
    ...ofOrders,
    count: 3,
    summary: 'An order was cancelled',
    description: `Its units are free again. ${asItWas}`,
  },
  'petstore.order.deleted': {
    ...ofOrders,
    count: 4,
    example: { ...order, complete: true },
    summary: 'An order was erased',
    description: `By an operator, for privacy; no operation of this API does so. Erase your copy too. ${asItWas}`,
  },
};

const secret = {
  name: 'X-Webhook-Secret',
  in: 'header',
  required: true,
  description: 'The secret that you share with the store: compare it first',
  schema: { type: 'string', maxLength: 512, pattern: '^[\\x20-\\x7e]+$', example: 'a secret of your own' },
};

const responses = {
  '2XX': { description: 'You have it. Answer at once, within 5 seconds, and work afterwards' },
  '401': {
    description: 'The secret is another: it is repeated, for 24 hours, so that nothing is lost while it is changed',
  },
  '4XX': {
    description:
      'You will never take it: it is not repeated, but kept for the operator of the store (407 and 409 are repeated)',
  },
  '429': { description: 'Not now: it is repeated, for 24 hours' },
  '5XX': { description: 'Not now: it is repeated, for 24 hours' },
};

const exampleOf = (type: EventType, { example, count, data }: Told) => {
  const { id, petId } = example as { id?: number; petId?: number };
  const clientId = data === 'Order' && { clientId: 'shop' };
  const telling = { type, id: (id ?? petId)!, data: example as EventData, count, ...clientId };
  return toCloudEvent(telling, { source: '/petstore/prod', generation: 1 }, new Date('2027-01-04T09:00:00Z'));
};

/** `petstore.pet.created` → `onPetCreated` */
const operationIdOf = (type: EventType) =>
  type.replace('petstore', 'on').replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

/** What is posted to a webhook, by type. A type without words does not compile. */
export const webhooks = Object.fromEntries(
  (Object.entries(told) as [EventType, Told][]).map(([type, words]) => {
    const content = { schema: ref('schemas', eventSchemaNames[words.data]), example: exampleOf(type, words) };
    const { summary, description } = words;
    const post = {
      operationId: operationIdOf(type),
      summary,
      description,
      // The store has no token of yours: what it shows is the secret.
      security: [],
      parameters: [secret],
      requestBody: { required: true, content: { 'application/cloudevents+json': content } },
      responses,
    };
    return [type, { post }];
  }),
) as NonNullable<Document['x-webhooks']>;
