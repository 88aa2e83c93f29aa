import { toCloudEvent } from '../../lib/events/cloud-event.ts';
import { type EventType, eventTypes } from '../../lib/events/event-types.ts';
import type { Resource } from '../../lib/model/kinds.ts';
import { retryHours } from '../../lib/webhook-retries.ts';
import type { Document } from './document-types.ts';
import { eventSchemaOf } from './event-schemas.ts';
import { examples } from './fields.ts';
import { pascalCase, ref, text } from './to-schema.ts';

type Usual = Extract<EventType, `${string}.${'created' | 'updated' | 'deleted'}`>;
/** Facts about an event that neither the noun nor the verb of its type expresses. */
const notes: Record<Exclude<EventType, Usual>, string> & Partial<Record<Usual, string>> = {
  'petstore.pet.created': 'The same change also publishes its first stock as `petstore.inventory.updated`.',
  'petstore.pet.updated':
    'Staff changed it, or its status changed automatically: an order for the last unit makes it `pending`.',
  'petstore.category.updated': 'A field of it changed. A change of the number of its pets is not published.',
  'petstore.inventory.updated':
    'The available quantity or the status changed, by an order, a cancellation, setInventory or staff; or the pet is new.',
  'petstore.inventory.deleted': 'The pet was deleted.',
  'petstore.order.placed': 'A counter sale publishes this event and `petstore.order.completed` with equal data.',
  'petstore.order.updated': 'A field of an open order changed.',
  'petstore.order.completed': 'Completion is final.',
  'petstore.order.cancelled': 'Its units are available again.',
  'petstore.order.deleted': 'An operator deleted the order, for privacy. Delete your copy, too.',
};

const usualNotes: Record<string, string> = { created: '`data` is all of it.', updated: 'A field of it changed.' };

/** The fields in which the example's data differs from the example of the resource. */
const changes: Partial<Record<EventType, object>> = {
  'petstore.pet.updated': { status: 'pending' },
  'petstore.order.completed': { complete: true },
  'petstore.order.deleted': { complete: true },
};

const summaryOf = (noun: string, verb: string) => {
  const subject = noun === 'inventory' ? 'The stock of a pet' : /^[aeiou]/.test(noun) ? `An ${noun}` : `A ${noun}`;
  return `${subject} ${verb === 'updated' ? 'changed' : `was ${verb.replace('cancelled', 'canceled')}`}`;
};
const lastState = '`data` is the last state, and `sequence` is higher than that of every earlier event.';

const header = (name: string, description: string, schema: object) => {
  return { name, in: 'header', required: true, description, schema };
};

/** The headers of Standard Webhooks 1.0. The texts are short, because every event type repeats them. The guide has the details. */
const signature = [
  header('webhook-id', 'The `id` of the event', text(128, '^[!-~]+$')),
  header('webhook-timestamp', 'Time of the attempt, Unix seconds', text(12, '^[0-9]+$')),
  header(
    'webhook-signature',
    'One or two signatures of Standard Webhooks 1.0, separated by a space',
    text(100, '^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)?$'),
  ),
];

const responses = {
  '2XX': { description: 'Received. Respond within 15 seconds, and process the event afterwards' },
  '410': { description: 'Not wanted: this event is not retried' },
  default: { description: `Retried for ${retryHours} hours, then dead-lettered` },
};

const webhookOf = (type: EventType) => {
  const [, noun, verb] = type.split('.') as [string, Resource['noun'], string];
  const data = { ...examples[noun], ...changes[type] } as { id?: number; petId?: number };
  const clientId = noun === 'order' && { clientId: 'shop' };
  const writeCount = ['created', 'placed'].includes(verb) ? 1 : 3;
  const change = { type, id: (data.id ?? data.petId)!, data, writeCount, ...clientId };
  const event = toCloudEvent(change, { source: '/petstore/prod', generation: 1 }, new Date('2027-01-04T09:00:00Z'));
  const content = { schema: ref('schemas', eventSchemaOf(noun)), example: event };
  const isLast = verb === 'deleted' || verb === 'cancelled';
  return {
    operationId: `on${pascalCase(`${noun}_${verb}`)}`,
    summary: summaryOf(noun, verb),
    description: [notes[type] ?? usualNotes[verb], isLast && lastState].filter(Boolean).join(' '),
    // The service authenticates with the signature, not with a token.
    security: [],
    parameters: signature,
    requestBody: { required: true, content: { 'application/cloudevents+json': content } },
    responses,
  };
};

export const webhooks = Object.fromEntries(eventTypes.map(type => [type, { post: webhookOf(type) }])) as NonNullable<
  Document['x-webhooks']
>;
