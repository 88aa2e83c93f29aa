import { toCloudEvent } from '../../lib/events/cloud-event.ts';
import type { EventData, EventType } from '../../lib/events/event-types.ts';
import { exampleData } from './descriptions.ts';
import type { Document } from './document-types.ts';
import { eventSchemaNames } from './event-schemas.ts';
import { ref } from './references.ts';

/** The description and the example of an event type. */
interface EventDescription {
  readonly summary: string;
  readonly description: string;
  readonly data: keyof typeof eventSchemaNames;
  readonly example: object;
  /** The write count of the resource in the example. */
  readonly writeCount: number;
}

const { pet, category, order, stock } = exampleData;
const lastState = '`data` is the last state, and `sequence` is higher than that of every earlier event.';

const ofPets = { data: 'Pet', example: pet } as const;
const ofCategories = { data: 'Category', example: category } as const;
const ofStock = { data: 'InventoryItem', example: stock } as const;
const ofOrders = { data: 'Order', example: order } as const;

const eventDescriptions: Record<EventType, EventDescription> = {
  'petstore.pet.created': {
    ...ofPets,
    writeCount: 1,
    summary: 'A pet was created',
    description: 'The same change also publishes its first stock as `petstore.inventory.updated`.',
  },
  'petstore.pet.updated': {
    ...ofPets,
    writeCount: 3,
    example: { ...pet, status: 'pending' },
    summary: 'A pet changed',
    description:
      'Its name, category or status changed, by staff or automatically: an order for the last unit makes it `pending`.',
  },
  'petstore.pet.deleted': { ...ofPets, writeCount: 5, summary: 'A pet was deleted', description: lastState },
  'petstore.category.created': {
    ...ofCategories,
    writeCount: 1,
    summary: 'A category was created',
    description: 'It has no pets yet.',
  },
  'petstore.category.updated': {
    ...ofCategories,
    writeCount: 4,
    summary: 'A category changed',
    description: 'Its name or description changed. A change of the number of its pets is not published.',
  },
  'petstore.category.deleted': {
    ...ofCategories,
    writeCount: 6,
    summary: 'A category was deleted',
    description: lastState,
  },
  'petstore.inventory.updated': {
    ...ofStock,
    writeCount: 2,
    summary: 'The stock of a pet changed',
    description:
      'The available quantity or the status changed, by an order, a cancellation, setInventory or staff; or the pet is new.',
  },
  'petstore.inventory.deleted': {
    ...ofStock,
    writeCount: 5,
    summary: 'The stock of a pet was deleted',
    description: `The pet was deleted. ${lastState}`,
  },
  'petstore.order.placed': {
    ...ofOrders,
    writeCount: 1,
    summary: 'An order was placed',
    description: 'A counter sale publishes this event and `petstore.order.completed` with equal data.',
  },
  'petstore.order.updated': {
    ...ofOrders,
    writeCount: 2,
    summary: 'An order changed',
    description: 'The ship date of an open order changed.',
  },
  'petstore.order.completed': {
    ...ofOrders,
    writeCount: 3,
    example: { ...order, complete: true },
    summary: 'An order was completed',
    description: 'Completion is final.',
  },
  'petstore.order.cancelled': {
    ...ofOrders,
    writeCount: 3,
    summary: 'An order was canceled',
    description: `Its units are available again. ${lastState}`,
  },
  'petstore.order.deleted': {
    ...ofOrders,
    writeCount: 4,
    example: { ...order, complete: true },
    summary: 'An order was deleted',
    description: `An operator deleted the order, for privacy. Delete your copy, too. ${lastState}`,
  },
};

const header = (name: string, description: string, schema: object) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', ...schema },
});

/** Standard Webhooks 1.0. The texts are short, because every type repeats them; the guide has the details. */
const signature = [
  header('webhook-id', 'The `id` of the event', { maxLength: 128, pattern: '^[!-~]+$' }),
  header('webhook-timestamp', 'Time of the attempt, Unix seconds', { maxLength: 12, pattern: '^[0-9]+$' }),
  header('webhook-signature', 'One or two signatures of Standard Webhooks 1.0, separated by a space', {
    maxLength: 100,
    pattern: '^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)?$',
  }),
];

const responses = {
  '2XX': { description: 'Received. Respond within 15 seconds, and process the event afterwards' },
  '410': { description: 'Not wanted: this event is not retried' },
  default: { description: 'Retried for 24 hours, then sent to a dead-letter queue' },
};

const exampleOf = (type: EventType, { example, writeCount, data }: EventDescription) => {
  const { id, petId } = example as { id?: number; petId?: number };
  const clientId = data === 'Order' && { clientId: 'shop' };
  const change = { type, id: (id ?? petId)!, data: example as EventData, writeCount, ...clientId };
  return toCloudEvent(change, { source: '/petstore/prod', generation: 1 }, new Date('2027-01-04T09:00:00Z'));
};

/** `petstore.pet.created` → `onPetCreated` */
const operationIdOf = (type: EventType) =>
  type.replace('petstore', 'on').replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The requests to a webhook, by event type. */
export const webhooks = Object.fromEntries(
  (Object.entries(eventDescriptions) as [EventType, EventDescription][]).map(([type, event]) => {
    const content = { schema: ref('schemas', eventSchemaNames[event.data]), example: exampleOf(type, event) };
    const { summary, description } = event;
    const post = {
      operationId: operationIdOf(type),
      summary,
      description,
      // The service authenticates with the signature, not with a token.
      security: [],
      parameters: signature,
      requestBody: { required: true, content: { 'application/cloudevents+json': content } },
      responses,
    };
    return [type, { post }];
  }),
) as NonNullable<Document['x-webhooks']>;
