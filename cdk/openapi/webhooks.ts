import { toCloudEvent } from '../../lib/events/cloud-event.ts';
import type { EventData, EventType } from '../../lib/events/event-types.ts';
import type { Resource } from '../../lib/model/kinds.ts';
import { retryHours } from '../../lib/webhook-retries.ts';
import type { Document } from './document-types.ts';
import { eventSchemaOf } from './event-schemas.ts';
import { examples } from './fields.ts';
import { ref } from './to-schema.ts';

/** What happened, more about it, the write count of the resource in the example, and what differs in its data. */
type Row = readonly [summary: string, description: string, writeCount: number, changes?: object];

const rows: Record<EventType, Row> = {
  'petstore.pet.created': [
    'A pet was created',
    'The same change also publishes its first stock as `petstore.inventory.updated`.',
    1,
  ],
  'petstore.pet.updated': [
    'A pet changed',
    'Staff changed it, or its status changed automatically: an order for the last unit makes it `pending`.',
    3,
    { status: 'pending' },
  ],
  'petstore.pet.deleted': ['A pet was deleted', '', 5],
  'petstore.category.created': ['A category was created', 'It has no pets yet.', 1],
  'petstore.category.updated': [
    'A category changed',
    'A field of it changed. A change of the number of its pets is not published.',
    4,
  ],
  'petstore.category.deleted': ['A category was deleted', '', 6],
  'petstore.inventory.updated': [
    'The stock of a pet changed',
    'The available quantity or the status changed, by an order, a cancellation, setInventory or staff; or the pet is new.',
    2,
  ],
  'petstore.inventory.deleted': ['The stock of a pet was deleted', 'The pet was deleted.', 5],
  'petstore.order.placed': [
    'An order was placed',
    'A counter sale publishes this event and `petstore.order.completed` with equal data.',
    1,
  ],
  'petstore.order.updated': ['An order changed', 'A field of an open order changed.', 2],
  'petstore.order.completed': ['An order was completed', 'Completion is final.', 3, { complete: true }],
  'petstore.order.cancelled': ['An order was canceled', 'Its units are available again.', 3],
  'petstore.order.deleted': [
    'An order was deleted',
    'An operator deleted the order, for privacy. Delete your copy, too.',
    4,
    { complete: true },
  ],
};
const lastState = '`data` is the last state, and `sequence` is higher than that of every earlier event.';

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
  default: { description: `Retried for ${retryHours} hours, then sent to a dead-letter queue` },
};

/** `petstore.pet.created` → `onPetCreated` */
const operationIdOf = (type: EventType) =>
  type.replace('petstore', 'on').replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());

const webhookOf = (type: EventType) => {
  const [, noun, verb] = type.split('.') as [string, Resource['noun'], string];
  const [summary, more, writeCount, changes] = rows[type];
  const data = { ...examples[noun], ...changes } as EventData & { id?: number; petId?: number };
  const clientId = noun === 'order' && { clientId: 'shop' };
  const change = { type, id: (data.id ?? data.petId)!, data, writeCount, ...clientId };
  const event = toCloudEvent(change, { source: '/petstore/prod', generation: 1 }, new Date('2027-01-04T09:00:00Z'));
  const content = { schema: ref('schemas', eventSchemaOf(noun)), example: event };
  const isLast = verb === 'deleted' || verb === 'cancelled';
  return {
    operationId: operationIdOf(type),
    summary,
    description: [more, isLast ? lastState : ''].filter(Boolean).join(' '),
    // The service authenticates with the signature, not with a token.
    security: [],
    parameters: signature,
    requestBody: { required: true, content: { 'application/cloudevents+json': content } },
    responses,
  };
};

/** The requests to a webhook, by event type. */
export const webhooks = Object.fromEntries(
  (Object.keys(rows) as EventType[]).map(type => [type, { post: webhookOf(type) }]),
) as NonNullable<Document['x-webhooks']>;
