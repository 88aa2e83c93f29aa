import type * as z from 'zod/mini';
import { ApiError } from '../errors.ts';

/** The most faults that one message names, and how much it shows of a name: an Error must not outgrow its request. */
const maxFaults = 20;
const maxNameLength = 60;

/** Collects what is wrong with a request over all of its parts, so that the caller learns everything at once. */
export class Problems {
  readonly #found = new Set<string>();

  add(place: readonly PropertyKey[], message: string) {
    const names = place
      .filter(step => typeof step !== 'number')
      .map(step => String(step).slice(0, maxNameLength).toWellFormed());
    this.#found.add(`${names.join('.')}: ${message}`);
  }

  /** The parsed value; undefined when something was wrong with it. */
  parse(part: 'path' | 'query' | 'header' | 'body', schema: z.ZodMiniType, value: unknown): unknown {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    for (const issue of result.error.issues) {
      const place = [part, ...issue.path];
      if (issue.code !== 'unrecognized_keys') this.add(place, issue.message);
      else
        for (const key of issue.keys)
          this.add([...place, key], part === 'query' ? 'unknown parameter' : 'unknown field');
    }
    return undefined;
  }

  /** @throws {ApiError} invalid_request, its message in the form `body.quantity: expected …; body.petId: required` */
  throwIfAny() {
    const { size } = this.#found;
    if (size === 0) return;
    const named = [...this.#found].slice(0, maxFaults);
    if (size > maxFaults) named.push(`and ${size - maxFaults} more`);
    throw new ApiError('invalid_request', named.join('; '));
  }
}
