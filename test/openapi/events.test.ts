import { expect, it } from 'vitest';
import { buildDocument } from '../../cdk/openapi/document.ts';
import { type EventType, eventTypes } from '../../lib/events/event-types.ts';
import { eventProblems } from '../support/documented.ts';

const webhooks = buildDocument()['x-webhooks']!;

it('the webhooks of the document are exactly the event types', () => {
  expect(Object.keys(webhooks).sort()).toEqual(Object.keys(eventTypes).sort());
});

it.each(Object.keys(eventTypes) as EventType[])('%s has a valid example with its type and subject', type => {
  // biome-ignore lint/suspicious/noExplicitAny: any part of the document
  const { example } = webhooks[type]!.post!.requestBody!.content['application/cloudevents+json'] as any;
  expect(eventProblems(example)).toEqual([]);
  const { id, petId } = example.data;
  expect([example.type, example.subject]).toEqual([type, `${eventTypes[type]}/${id ?? petId}`]);
  expect('clientid' in example).toBe(type.startsWith('petstore.order.'));
});
