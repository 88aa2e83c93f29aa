import { toCloudEvent } from '../../lib/events/cloud-event.ts';
import { type EventType, eventTypes } from '../../lib/events/event-types.ts';
import type { Resource } from '../../lib/model/kinds.ts';
import type { Document } from './document-types.ts';
import { eventSchemaOf } from './event-schemas.ts';
import { examples } from './fields.ts';
import { pascalCase, ref } from './to-schema.ts';
import { delivery } from './webhooks.ts';

type Usual = Extract<EventType, `${string}.${'created' | 'updated' | 'deleted'}`>;
/** Facts about an event that neither the noun nor the verb of its type expresses. */
const notes: Record<Exclude<EventType, Usual>, string> & Partial<Record<Usual, string>> = {
  'petstore.pet.created':
    'The same change also publishes its first stock as `petstore.inventory.updated`.',
  'petstore.pet.updated':
    'Staff changed it, or its status changed automatically: an order for the last unit makes it `pending`.',
  'petstore.category.updated':
    'A field of it changed. A change of the number of its pets is not published.',
  'petstore.inventory.updated':
    'The available quantity or the status changed, by an order, a cancellation, setInventory or staff; or the pet is new.',
  'petstore.inventory.deleted': 'The pet was deleted.',
  'petstore.order.placed':
    'A counter sale publishes this event and `petstore.order.completed` with equal data.',
  'petstore.order.updated': 'A field of an open order changed.',
  'petstore.order.completed': 'Completion is final.',
  'petstore.order.cancelled': 'Its units are available again.',
  'petstore.order.deleted': 'An operator deleted the order, for privacy. Delete your copy, too.',
};

const usualNotes: Record<string, string> = {
  created: '`data` is all of it.',
  updated: 'A field of it changed.',
};

/** The fields in which the example's data differs from the example of the resource. */
const changes: Partial<Record<EventType, object>> = {
  'petstore.pet.updated': { status: 'pending' },
  'petstore.order.completed': { complete: true },
  'petstore.order.deleted': { complete: true },
};

const summaryOf = (noun: string, verb: string) => {
  const article = /^[aeiou]/.test(noun) ? 'An' : 'A';
  const subject = noun === 'inventory' ? 'The stock of a pet' : `${article} ${noun}`;
  return `${subject} ${verb === 'updated' ? 'changed' : `was ${verb.replace('cancelled', 'canceled')}`}`;
};
const lastState =
  '`data` is the last state, and `sequence` is higher than that of every earlier event.';

const documented = (type: EventType) => {
  const [, noun, verb] = type.split('.') as [string, Resource['noun'], string];
  const data = { ...examples[noun], ...changes[type] } as { id?: number; petId?: number };
  const clientId = noun === 'order' && { clientId: 'shop' };
  const writeCount = ['created', 'placed'].includes(verb) ? 1 : 3;
  const change = { type, id: (data.id ?? data.petId)!, data, writeCount, ...clientId };
  const event = toCloudEvent(
    change,
    { source: '/petstore/prod', generation: 1 },
    new Date('2027-01-04T09:00:00Z'),
  );
  const content = { schema: ref('schemas', eventSchemaOf(noun)), example: event };
  const isLast = verb === 'deleted' || verb === 'cancelled';
  return {
    operationId: `on${pascalCase(`${noun}_${verb}`)}`,
    summary: summaryOf(noun, verb),
    description: [notes[type] ?? usualNotes[verb], isLast && lastState].filter(Boolean).join(' '),
    ...delivery,
    requestBody: { required: true, content: { 'application/cloudevents+json': content } },
  };
};

/** Documented under `x-webhooks`, because OpenAPI has no other place for a body that the service sends. */
export const events = Object.fromEntries(
  eventTypes.map(type => [type, { post: documented(type) }]),
) as NonNullable<Document['x-webhooks']>;
