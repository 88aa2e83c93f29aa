import * as z from 'zod/mini';
import { expected } from './expected.ts';

const minId = 1;
/** 2^53 − 1, which every JSON client reads exactly. */
export const maxId = Number.MAX_SAFE_INTEGER;

/** In the specification, only ids have this format. */
const format = 'int64';

/** Assigned by this service. The maximum of `z.int` is 2^53 − 1. */
export const Id = z.int().check(z.minimum(minId), z.meta({ format }));
export type Id = z.infer<typeof Id>;

/** Replaces integers that were never assigned, because rounding could make them the id of a resource. */
const unassigned = 0;

const assigned = z.transform((value: number) =>
  value >= minId && value <= maxId ? value : unassigned,
);

const textMessage = expected('an id: 1 to 19 digits, the first not 0');

/** In a path or query. An id above 2^53 − 1 is valid, but no resource has it. */
export const IdText = z.pipe(
  z.pipe(
    z.string(textMessage).check(z.regex(/^[1-9][0-9]{0,18}$/, textMessage)),
    z.transform(Number),
  ),
  assigned,
);

export const idPath = <N extends string>(name: N) =>
  z.object({ [name]: IdText } as Record<N, typeof IdText>);

const integerMessage = expected('an integer');

/** Any integer: a reference to an id that is never assigned (0, negative, above 2^53 − 1) leads to a 422. */
export const IdReference = z.pipe(
  z
    .number(integerMessage)
    .check(
      z.refine(Number.isInteger, integerMessage),
      z.meta({ type: 'integer', format, minimum: minId, maximum: maxId }),
    ),
  assigned,
);
