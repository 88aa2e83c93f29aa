import * as z from 'zod/mini';
import { expected } from './expected.ts';
import { IdText } from './id.ts';

const values = z.array(z.string());

/** A query parameter that can be given once. API Gateway passes every parameter as a list of values. */
export const single = <S extends z.ZodMiniType<unknown, string>>(schema: S) =>
  z.optional(
    z.pipe(
      z.pipe(
        values.check(z.maxLength(1, { error: 'given more than once' })),
        z.transform(([value]) => value as string),
      ),
      schema,
    ),
  );

/** A query parameter that may be repeated; duplicates collapse. */
export const repeatable = <S extends z.ZodMiniType<unknown, string>>(schema: S) =>
  z.optional(
    z.pipe(
      z.pipe(values, z.array(schema)),
      z.transform(list => [...new Set(list)] as z.output<S>[]),
    ),
  );

/** The most ids of one request: the keys of one BatchGetItem. */
export const maxIds = 100;

/** `?id=1&id=2` or `?id=1,2`. */
export const IdList = z.optional(
  z.pipe(
    z.pipe(
      values,
      z.transform(list => list.flatMap(value => value.split(','))),
    ),
    z.pipe(
      z.array(IdText),
      z.pipe(
        z.transform((ids: number[]) => [...new Set(ids)]),
        z.array(z.number()).check(z.maxLength(maxIds, expected(`at most ${maxIds} distinct ids`))),
      ),
    ),
  ),
);

export const maxLimit = 100;
export const defaultLimit = 20;

const limitMessage = expected(`an integer from 1 to ${maxLimit}`);

/** The most items of a page. */
export const PageSize = z.int(limitMessage).check(z.minimum(1, limitMessage), z.maximum(maxLimit, limitMessage));

export const Limit = single(
  z.pipe(z.pipe(z.string().check(z.regex(/^[1-9]\d*$/, limitMessage)), z.transform(Number)), PageSize),
);

/** Opaque here. It is checked against the list when the filters are parsed. */
const Cursor = single(z.string());

/** The parameters of every list. */
export const paging = { limit: Limit, cursor: Cursor };
