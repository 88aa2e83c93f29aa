import * as z from 'zod/mini';
import { expected } from './expected.ts';
import { IdText } from './id.ts';
import { integer } from './integer.ts';

const values = z.array(z.string());

/** API Gateway passes every parameter as a list of values. */
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

const separated = z.transform((list: string[]) => list.flatMap(value => value.split(',')));

const unique = <T>() => z.transform((list: T[]) => [...new Set(list)]);

/** `?id=1&id=2` or `?id=1,2`. Equal values count once. */
const listOf = <S extends z.ZodMiniType<unknown, string>>(schema: S) =>
  z.pipe(z.pipe(z.pipe(values, separated), z.array(schema)), unique<z.output<S>>());

export const repeatable = <S extends z.ZodMiniType<unknown, string>>(schema: S) =>
  z.optional(listOf(schema));

/** The most keys of one BatchGetItem. */
export const maxIds = 100;

export const IdList = z.optional(
  listOf(IdText).check(z.maxLength(maxIds, expected(`at most ${maxIds} distinct ids`))),
);

export const maxLimit = 100;
export const defaultLimit = 20;

export const PageSize = integer(1, maxLimit);

const digits = z
  .string()
  .check(z.regex(/^[1-9]\d*$/, expected(`an integer from 1 to ${maxLimit}`)));

export const Limit = single(z.pipe(z.pipe(digits, z.transform(Number)), PageSize));

/** Opaque here, and checked when the filters of its list are known. */
const Cursor = single(z.string());

/** For a query: the parameter and the others exclude each other. */
export const alone = (name: string, ...others: string[]) =>
  z.refine<Readonly<Record<string, unknown>>>(
    query => query[name] === undefined || others.every(other => query[other] === undefined),
    { error: `cannot be combined with ${others.join(' or ')}`, path: [name] },
  );

/** The parameters of every list. */
export const paging = { limit: Limit, cursor: Cursor };
