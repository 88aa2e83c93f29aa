import { toCloudEvent } from '../../lib/events/cloud-event.ts';
import { type EventData, type EventType, eventTypes } from '../../lib/events/event-types.ts';
import type { Resource } from '../../lib/model/kinds.ts';
import { retryHours } from '../../lib/webhook-retries.ts';
import type { Document } from './document-types.ts';
import { eventSchemaOf } from './event-schemas.ts';
import { examples } from './fields.ts';
import { ref } from './to-schema.ts';

interface Row {
  /** What happened, if not that the noun was created, changed or deleted. */
  readonly summary?: string;
  readonly more?: string;
  /** What differs in the data of the example. */
  readonly changes?: object;
}

/** What the noun and the verb of an event type do not say. */
const rows: Partial<Record<EventType, Row>> = {
  'petstore.pet.created': {
    more: 'The same change also publishes its first stock as `petstore.inventory.updated`.',
  },
  'petstore.pet.updated': {
    more: 'Staff changed it, or its status changed automatically: an order for the last unit makes it `pending`.',
    changes: { status: 'pending' },
  },
  'petstore.category.created': { more: 'It has no pets yet.' },
  'petstore.category.updated': {
    more: 'A field of it changed. A change of the number of its pets is not published.',
  },
  'petstore.inventory.updated': {
    summary: 'The stock of a pet changed',
    more: 'The available quantity or the status changed, by an order, a cancellation, setInventory or staff; or the pet is new.',
  },
  'petstore.inventory.deleted': { summary: 'The stock of a pet was deleted', more: 'The pet was deleted.' },
  'petstore.order.placed': {
    more: 'A counter sale publishes this event and `petstore.order.completed` with equal data.',
  },
  'petstore.order.updated': { more: 'A field of an open order changed.' },
  'petstore.order.completed': { more: 'Completion is final.', changes: { complete: true } },
  'petstore.order.cancelled': { summary: 'An order was canceled', more: 'Its units are available again.' },
  'petstore.order.deleted': {
    more: 'An operator deleted the order, for privacy. Delete your copy, too.',
    changes: { complete: true },
  },
};

const summaryOf = (noun: string, verb: string) =>
  `${/^[aeiou]/.test(noun) ? 'An' : 'A'} ${noun} ${verb === 'updated' ? 'changed' : `was ${verb}`}`;
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
  const { summary = summaryOf(noun, verb), more = '', changes } = rows[type] ?? {};
  const data = { ...examples[noun], ...changes } as EventData & { id?: number; petId?: number };
  const clientId = noun === 'order' && { clientId: 'shop' };
  const writeCount = ['created', 'placed'].includes(verb) ? 1 : 3;
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
export const webhooks = Object.fromEntries(eventTypes.map(type => [type, { post: webhookOf(type) }])) as NonNullable<
  Document['x-webhooks']
>;
