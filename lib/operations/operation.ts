import type * as z from 'zod/mini';
import type { ErrorName } from '../errors.ts';
import type { RequestHeader } from '../schemas/headers.ts';

/** The OAuth 2.0 resource server: a token names a scope as `petstore/catalog`. */
export const resourceServer = 'petstore';

/** Its scopes. `orders` is one's own orders; `orders.manage` is all, and implies it. */
export const scopes = ['catalog', 'inventory', 'orders', 'orders.manage'] as const;
export type Scope = (typeof scopes)[number];

type Shape = z.ZodMiniType<Record<string, unknown>, Record<string, unknown>>;

/** One operation of the contract as plain data. Handlers, routes, permissions, tests and the OpenAPI document are read off it. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
  /** A second path, for the files that belong to the first. */
  readonly filesAt?: `/${string}`;
  readonly tag: 'Pets' | 'Store';
  readonly access: 'public' | Scope;
  /** What to use instead, as a path template. Since when and until when are deploy settings. */
  readonly deprecated?: { readonly successor: `/${string}` };
  readonly stability?: 'beta' | 'experimental';
  readonly request: {
    readonly path?: z.ZodMiniType<Record<string, unknown>, Record<string, string>>;
    /** Absent: any parameter is unknown, and refused. `'any'`: none is looked at. */
    readonly query?: Shape | 'any';
    readonly headers?: readonly RequestHeader[];
    readonly body?: z.ZodMiniType<object>;
  };
  /** Success status → what the body is: JSON of a schema, `null` for no body, `'file'` for a file as it is. */
  readonly responses: { readonly [status: number]: z.ZodMiniType | null | 'file' };
  /** What only this operation can answer; `errorsOf` adds what follows from its shape. */
  readonly errors: readonly ErrorName[];
}

/** Checks the shape and keeps the literal types. */
export const operation = <const O extends Operation>(entry: O): O => entry;

/** A list walked page by page, with `limit` and `cursor`. */
export const isPaged = ({ request }: Operation): boolean =>
  typeof request.query === 'object' && 'shape' in request.query && 'cursor' in (request.query.shape as object);

/** Every error that the function of an operation may answer. One that is not here is a defect and becomes a bare 500. */
export const errorsOf = (entry: Operation): ErrorName[] => {
  const { access, deprecated, errors, request } = entry;
  const names: ErrorName[] = ['invalid_request', ...errors, 'internal_error', 'try_again', 'outcome_unknown'];
  if (access !== 'public') names.push('unauthenticated', 'forbidden');
  if (deprecated) names.push('gone');
  if (request.body) names.push('payload_too_large', 'unsupported_media_type');
  if (request.headers?.includes('If-Match')) names.push('precondition_failed');
  if (request.headers?.includes('Idempotency-Key')) names.push('idempotency_key_reused');
  if (isPaged(entry)) names.push('invalid_cursor');
  return names;
};

/** The paths of an operation. */
export const pathsOf = ({ path, filesAt }: Operation): string[] => (filesAt ? [path, filesAt] : [path]);
