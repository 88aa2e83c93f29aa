import * as z from 'zod/mini';
import { expected } from './expected.ts';

const minId = 1;
/** The largest assigned id, 2^53 − 1: every JSON client reads it exactly. */
export const maxId = Number.MAX_SAFE_INTEGER;

/** The specification has this format for ids, and for nothing else. */
const format = 'int64';

/** An id that this service assigned. `z.int` has 2^53 − 1 as its maximum. */
export const Id = z.int().check(z.minimum(minId), z.meta({ format }));
export type Id = z.infer<typeof Id>;

/** Replaces integers that were never assigned. Otherwise rounding could make them the id of a resource. */
const unassigned = 0;

const assigned = z.transform((value: number) => (value >= minId && value <= maxId ? value : unassigned));

const textMessage = expected('an id: 1 to 19 digits, the first not 0');

/** An id in a path or query. An id above 2^53 − 1 is valid, but no resource has it. */
export const IdText = z.pipe(
  z.pipe(z.string(textMessage).check(z.regex(/^[1-9][0-9]{0,18}$/, textMessage)), z.transform(Number)),
  assigned,
);

/** The one path parameter of an operation, an id. */
export const idPath = <N extends string>(name: N) => z.object({ [name]: IdText } as Record<N, typeof IdText>);

const integerMessage = expected('an integer');

/** Any JSON integer in a body. A reference to an id that is never assigned (0, negative, above 2^53 − 1) leads to a 422. */
export const IdReference = z.pipe(
  z
    .number(integerMessage)
    .check(
      z.refine(Number.isInteger, integerMessage),
      z.meta({ type: 'integer', format, minimum: minId, maximum: maxId }),
    ),
  assigned,
);
