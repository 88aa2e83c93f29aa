import type * as z from 'zod/mini';
import type { ErrorName } from '../errors.ts';
import type { RequestHeader } from '../schemas/request-headers.ts';
import type { Scope } from '../scopes.ts';

/** The possible media types. */
export interface FileResponse {
  readonly file: readonly string[];
}

/** `location`: the path of the created resource, as a template with its fields. */
type Success =
  | {
      readonly responses: { readonly 200: z.ZodMiniType | FileResponse };
      readonly location?: never;
    }
  | { readonly responses: { readonly 201: z.ZodMiniType<object> }; readonly location: `/${string}` }
  | { readonly responses: { readonly 204: null }; readonly location?: never };

/** Handlers, routes, tests and the OpenAPI document are derived from this plain data. */
export type Operation = Success & {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
  /** Redirects to `path` (302). The OpenAPI document does not have it. */
  readonly shortcut?: `/${string}`;
  readonly access: 'public' | Scope;
  /** The attribute with an item's owner. Callers without a wider scope can access only their own items. */
  readonly ownedBy?: 'ownerId';
  /** The successor's path, as a template. The dates are deploy settings. */
  readonly deprecated?: { readonly successor: `/${string}` };
  readonly stability?: 'beta' | 'experimental';
  readonly request: {
    readonly path?: z.ZodMiniType<Record<string, unknown>, Record<string, string>>;
    /** Absent: every parameter is unknown and rejected. `'any'`: parameters are ignored. */
    readonly query?: z.ZodMiniType<Record<string, unknown>, Record<string, unknown>> | 'any';
    readonly body?: z.ZodMiniType<object>;
  };
  /** A write with this query parameter needs `If-Match` with an entity tag: neither absent nor `*`. */
  readonly requiresTag?: Readonly<Record<string, string>>;
  /** A query parameter of a list. With one value of it, the response has the ETag of the one resource. */
  readonly singleBy?: string;
  /** `errorsOf` adds the errors that follow from the other properties. */
  readonly errors?: readonly ErrorName[];
};

/** Checks the type and keeps the literal types. */
export const operation = <const O extends Operation>(entry: O): O => entry;

type Body = z.ZodMiniType | FileResponse | null;

export const successOf = ({ responses }: Operation): { status: number; body: Body } => {
  const [[status, body] = []] = Object.entries<Body>(responses);
  return { status: Number(status), body: body ?? null };
};

export const isFile = (body: Body): body is FileResponse => body !== null && 'file' in body;

/** Lists have pagination by `limit` and `cursor`. */
export const isList = (operation: Operation): boolean => {
  const { body } = successOf(operation);
  return body !== null && !isFile(body) && (body as z.ZodMiniType)._zod.def.type === 'array';
};

export const requestHeadersOf = (operation: Operation): readonly RequestHeader[] => {
  const { method, singleBy } = operation;
  if (method === 'POST') return ['Idempotency-Key'];
  if (method !== 'GET') return ['If-Match', 'If-None-Match', 'Idempotency-Key'];
  return isList(operation) && !singleBy ? [] : ['If-None-Match'];
};

/** Caches must revalidate responses of public and catalog operations, and not store others (RFC 9111, section 5.2.2). */
export const cacheControlOf = ({ access }: Operation): 'no-cache' | 'no-store' =>
  access === 'public' || access === 'catalog' ? 'no-cache' : 'no-store';

/** Any other error is a defect and becomes a bare 500. */
export const errorsOf = (entry: Operation): ErrorName[] => {
  const { access, deprecated, errors = [], method, request } = entry;
  const names: ErrorName[] = ['invalid_request', ...errors, 'internal_error', 'try_again'];
  if (access !== 'public') names.push('unauthenticated', 'forbidden');
  if (deprecated) names.push('gone');
  if (request.body) names.push('payload_too_large', 'unsupported_media_type');
  if (method !== 'GET') names.push('idempotency_key_reused', 'outcome_unknown');
  if (method !== 'POST' && method !== 'GET') names.push('precondition_failed');
  if (isList(entry)) names.push('invalid_cursor');
  return names;
};
