import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ValidationErrors } from '../../../lib/http/validation-errors.ts';
import { NewOrder } from '../../../lib/schemas/order.ts';
import { PetStatus } from '../../../lib/schemas/pet.ts';
import { paging, repeatable } from '../../../lib/schemas/query.ts';

const messageOf = (add: (errors: ValidationErrors) => void) => {
  const errors = new ValidationErrors();
  add(errors);
  try {
    errors.throwIfAny();
  } catch (error) {
    return [(error as Error).name, (error as Error).message];
  }
  return undefined;
};

describe('validation errors', () => {
  it('are absent for valid values, which are returned', () => {
    const errors = new ValidationErrors();
    expect(errors.parse('body', NewOrder, { petId: 1 })).toEqual({ petId: 1, quantity: 1, complete: false });
    expect(() => errors.throwIfAny()).not.toThrow();
  });

  it('have the part of the request, the field without positions in lists, and each message once', () => {
    const query = z.strictObject({ status: repeatable(PetStatus), ...paging });
    const sent = { status: ['lost', 'sold', 'found'], limit: ['0'], colour: ['red'] };
    expect(
      messageOf(errors => {
        expect(errors.parse('query', query, sent)).toBeUndefined();
        errors.parse('body', NewOrder, { petId: 1, colour: 'red' });
      }),
    ).toEqual([
      'invalid_request',
      [
        'query.status: expected one of available, pending, sold',
        'query.limit: expected an integer from 1 to 100',
        'query.colour: unknown parameter',
        'body.colour: unknown field',
      ].join('; '),
    ]);
  });

  it.each([
    [20, ''],
    [21, '; and 1 more'],
    [30, '; and 10 more'],
  ])('of %d fields are listed up to 20, with the number of the others', (count, end) => {
    const messages = Array.from({ length: count }, (_, index) => `body.f${index}: required`);
    const [, message] = messageOf(errors => {
      for (let index = 0; index < count; index++) errors.add(['body', `f${index}`], 'required');
    })!;
    expect(message).toBe(messages.slice(0, 20).join('; ') + end);
  });
});
