import type * as z from 'zod/mini';
import { ApiError } from '../errors.ts';

/** Limits for one message, so that no request can cause a long response. */
const maxErrors = 20;
const maxNameLength = 60;

/** Collects the errors of all parts of a request, so that one message has them all. */
export class ValidationErrors {
  readonly #messages = new Set<string>();

  add(path: readonly PropertyKey[], message: string) {
    const names = path
      .filter(step => typeof step !== 'number')
      .map(step => String(step).slice(0, maxNameLength).toWellFormed());
    this.#messages.add(`${names.join('.')}: ${message}`);
  }

  /** Returns undefined for an invalid value. */
  parse(
    part: 'path' | 'query' | 'header' | 'body',
    schema: z.ZodMiniType,
    value: unknown,
  ): unknown {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    for (const issue of result.error.issues) {
      const path = [part, ...issue.path];
      if (issue.code !== 'unrecognized_keys') this.add(path, issue.message);
      else if (part !== 'query')
        for (const key of issue.keys) this.add([...path, key], 'unknown field');
      else {
        // Listed only once, because the response should not be longer than the request.
        const known =
          Object.keys((schema as Partial<z.ZodMiniObject>).shape ?? {}).join(', ') || 'none';
        for (const [index, key] of issue.keys.entries())
          this.add([...path, key], `unknown parameter${index === 0 ? ` (known: ${known})` : ''}`);
      }
    }
    return undefined;
  }

  /** @throws {ApiError} invalid_request, with the message `body.quantity: expected …; body.petId: required` */
  throwIfAny() {
    const { size } = this.#messages;
    if (size === 0) return;
    const listed = [...this.#messages].slice(0, maxErrors);
    if (size > maxErrors) listed.push(`and ${size - maxErrors} more`);
    throw new ApiError('invalid_request', listed.join('; '));
  }
}
