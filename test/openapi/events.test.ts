import { describe, expect, it } from 'vitest';
import { buildDocument } from '../../cdk/openapi/document.ts';
import { eventTypes } from '../../lib/events/event-types.ts';
import { eventProblems } from '../support/documented.ts';

const webhooks = buildDocument()['x-webhooks']!;
// biome-ignore lint/suspicious/noExplicitAny: any part of the document
const contentOf = (type: string): any => webhooks[type]!.post!.requestBody!.content['application/cloudevents+json'];

describe('the webhooks of the OpenAPI document', () => {
  it('are exactly the event types', () => {
    expect(Object.keys(webhooks).sort()).toEqual(Object.keys(eventTypes).sort());
  });

  it.each(Object.keys(eventTypes))('%s has a valid example with its type and subject', type => {
    const { example } = contentOf(type);
    expect(eventProblems(example)).toEqual([]);
    const { id, petId } = example.data;
    expect([example.type, example.subject]).toEqual([
      type,
      `${eventTypes[type as keyof typeof eventTypes]}/${id ?? petId}`,
    ]);
    expect('clientid' in example).toBe(type.startsWith('petstore.order.'));
  });

  it.each([
    ['without a sequence', { sequence: undefined }],
    ['with a malformed sequence', { sequence: '1-2' }],
    ['of another type than its subject', { type: 'petstore.order.placed' }],
    ['with an unknown subject', { subject: 'pets/tom' }],
    ['with an undocumented field', { owner: 'shop' }],
    ['with data of another schema', { data: { id: 1, name: 'Cats' } }],
  ])('reject an event %s', (_, changes) => {
    const event = { ...contentOf('petstore.pet.updated').example, ...changes };
    expect(eventProblems(JSON.parse(JSON.stringify(event)))).not.toEqual([]);
  });

  it('require no token, and have the headers of Standard Webhooks', () => {
    for (const { post } of Object.values(webhooks) as { post: Record<string, unknown> }[]) {
      expect(post.security).toEqual([]);
      expect(post.parameters).toMatchObject(
        ['id', 'timestamp', 'signature'].map(name => ({ name: `webhook-${name}`, in: 'header', required: true })),
      );
      expect(Object.keys(post.responses as object).sort()).toEqual(['2XX', '410', 'default']);
    }
  });
});
