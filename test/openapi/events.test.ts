import { expect, it } from 'vitest';
import { buildDocument } from '../../cdk/openapi/document.ts';
import { eventTypes } from '../../lib/events/event-types.ts';
import { pathOf } from '../../lib/model/kinds.ts';
import { eventProblems } from '../support/documented.ts';

const webhooks = buildDocument()['x-webhooks']!;

it('the webhooks of the document are exactly the event types', () => {
  expect(Object.keys(webhooks).sort()).toEqual([...eventTypes].sort());
});

it.each(eventTypes)('%s has a valid example with its type and subject', type => {
  // biome-ignore lint/suspicious/noExplicitAny: any part of the document
  const { example } = webhooks[type]!.post!.requestBody!.content['application/cloudevents+json'] as any;
  expect(eventProblems(example)).toEqual([]);
  const { id, petId } = example.data;
  expect([example.type, example.subject]).toEqual([type, `${pathOf(type.split('.')[1]!)}/${id ?? petId}`]);
  expect('clientid' in example).toBe(type.startsWith('petstore.order.'));
});
