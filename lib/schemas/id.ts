import * as z from 'zod/mini';
import { expected } from './expected.ts';

/** The largest assigned id, 2^53 − 1: every JSON client reads it exactly. */
export const maxId = Number.MAX_SAFE_INTEGER;

const int64 = z.meta({ type: 'integer', format: 'int64' });

/** An id that this service assigned. */
export const Id = z.int().check(z.minimum(1), z.maximum(maxId), z.meta({ format: 'int64' }));
export type Id = z.infer<typeof Id>;

/** An id in a path or query. One above 2^53 − 1 is well-formed, was never assigned, and so names nothing. */
export const IdText = z.pipe(
  z.string(expected('an id')).check(z.regex(/^[1-9][0-9]{0,18}$/, expected('an id: 1 to 19 digits, the first not 0'))),
  z.transform(Number),
);

/** An id in a body: any JSON integer. One that was never assigned names nothing (422), so bounds are not checked here. */
export const IdReference = z
  .number(expected('an integer'))
  .check(z.refine(Number.isInteger, expected('an integer')), int64);
