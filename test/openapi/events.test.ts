import { describe, expect, it } from 'vitest';
import { buildDocument } from '../../cdk/openapi/document.ts';
import { eventTypes } from '../../lib/events/event-types.ts';
import { eventProblems } from '../support/documented.ts';

const webhooks = buildDocument()['x-webhooks']!;
// biome-ignore lint/suspicious/noExplicitAny: any part of the document
const contentOf = (type: string): any => webhooks[type]!.post!.requestBody!.content['application/cloudevents+json'];

describe('the webhooks of the OpenAPI document', () => {
  it('are every type of event, and nothing else', () => {
    expect(Object.keys(webhooks).sort()).toEqual(Object.keys(eventTypes).sort());
  });

  it.each(Object.keys(eventTypes))('%s has an example that fits its schema, of its own type and subject', type => {
    const { example } = contentOf(type);
    expect(eventProblems(example)).toEqual([]);
    const { id, petId } = example.data;
    expect([example.type, example.subject]).toEqual([
      type,
      `${eventTypes[type as keyof typeof eventTypes].path}/${id ?? petId}`,
    ]);
    expect('clientid' in example).toBe(type.startsWith('petstore.order.'));
  });

  it.each([
    ['without a sequence', { sequence: undefined }],
    ['with a sequence that is no text of digits', { sequence: '1-2' }],
    ['of another type than its subject', { type: 'petstore.order.placed' }],
    ['about something that is no resource', { subject: 'pets/tom' }],
    ['with a field that nobody described', { owner: 'shop' }],
    ['with data of another schema', { data: { id: 1, name: 'Cats' } }],
  ])('do not let an event pass %s', (_, changes) => {
    const event = { ...contentOf('petstore.pet.updated').example, ...changes };
    expect(eventProblems(JSON.parse(JSON.stringify(event)))).not.toEqual([]);
  });

  it('need no token of the API, and have the secret as a header', () => {
    for (const { post } of Object.values(webhooks) as { post: Record<string, unknown> }[]) {
      expect(post.security).toEqual([]);
      expect(post.parameters).toMatchObject([{ name: 'X-Webhook-Secret', in: 'header', required: true }]);
    }
  });
});
