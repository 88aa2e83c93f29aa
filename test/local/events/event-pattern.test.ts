import { describe, expect, it } from 'vitest';
import { readPattern } from '../../../cdk/local/events/event-pattern.ts';

describe('an event pattern', () => {
  it('matches strings and prefixes, in each of its fields', () => {
    const matches = readPattern({
      'detail-type': [{ prefix: 'petstore.order.' }, 'petstore.pet.created'],
      detail: { clientid: ['shop'] },
    });
    const event = (type: string, clientid?: string) => ({ 'detail-type': type, detail: { clientid } });
    expect(matches(event('petstore.order.placed', 'shop'))).toBe(true);
    expect(matches(event('petstore.pet.created', 'shop'))).toBe(true);
    expect(matches(event('petstore.order.placed', 'rival'))).toBe(false);
    expect(matches(event('petstore.order.placed'))).toBe(false);
    expect(matches(event('petstore.pet.updated', 'shop'))).toBe(false);
  });

  it.each([[{ suffix: 'd' }], [{ prefix: { 'equals-ignore-case': 'p' } }], [{ exists: true }], [7], [{}]])(
    'with an unsupported comparison is rejected: %j',
    alternative => {
      expect(() => readPattern({ 'detail-type': [alternative] })).toThrow('does not support this filter');
    },
  );
});
