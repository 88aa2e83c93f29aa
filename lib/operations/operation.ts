import type * as z from 'zod/mini';
import type { ErrorName } from '../errors.ts';
import type { RequestHeader } from '../schemas/request-headers.ts';
import type { Scope } from '../scopes.ts';

type Shape = z.ZodMiniType<Record<string, unknown>, Record<string, unknown>>;

/** A file as it is, and the media types that it may have. */
export interface FileResponse {
  readonly file: readonly string[];
}

/** What a success is, by its status. A 201 also says where the created thing is, as a path template over its fields. */
type Success =
  | { readonly responses: { readonly 200: z.ZodMiniType | FileResponse }; readonly location?: never }
  | { readonly responses: { readonly 201: z.ZodMiniType<object> }; readonly location: `/${string}` }
  | { readonly responses: { readonly 204: null }; readonly location?: never };

/** One operation of the contract as plain data. Handlers, routes, tests and the OpenAPI document are read off it. */
export type Operation = Success & {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
  /** A path that leads here by a 302; not a part of the document. */
  readonly shortcut?: `/${string}`;
  readonly tag: 'Pets' | 'Store';
  readonly access: 'public' | Scope;
  /** What to use instead, as a path template. Since when and until when are deploy settings. */
  readonly deprecated?: { readonly successor: `/${string}` };
  readonly stability?: 'beta' | 'experimental';
  readonly request: {
    readonly path?: z.ZodMiniType<Record<string, unknown>, Record<string, string>>;
    /** Absent: any parameter is unknown, and refused. `'any'`: none is looked at. */
    readonly query?: Shape | 'any';
    readonly body?: z.ZodMiniType<object>;
  };
  /** Of a list: the query parameter that, when it names exactly one item, makes the answer that single resource, with its ETag. */
  readonly singleBy?: string;
  /** What only this operation can answer; `errorsOf` adds what follows from its shape. */
  readonly errors: readonly ErrorName[];
};

/** Checks the shape and keeps the literal types. */
export const operation = <const O extends Operation>(entry: O): O => entry;

type Body = z.ZodMiniType | FileResponse | null;

/** The status of an operation's success, and what its body is. */
export const successOf = ({ responses }: Operation): { status: number; body: Body } => {
  const [[status, body] = []] = Object.entries<Body>(responses);
  return { status: Number(status), body: body ?? null };
};

export const isFile = (body: Body): body is FileResponse => body !== null && 'file' in body;

/** A list is walked page by page, with `limit` and `cursor`: an operation that answers an array. */
export const isList = (operation: Operation): boolean => {
  const { body } = successOf(operation);
  return body !== null && !isFile(body) && (body as z.ZodMiniType)._zod.def.type === 'array';
};

/** The request headers of the contract that an operation honours; they follow from what it does. */
export const requestHeadersOf = (operation: Operation): readonly RequestHeader[] => {
  const { method, singleBy } = operation;
  if (method === 'POST') return ['Idempotency-Key'];
  if (method !== 'GET') return ['If-Match', 'If-None-Match'];
  return isList(operation) && !singleBy ? [] : ['If-None-Match'];
};

/** What is public may be kept and asked for again; what belongs to somebody may not. RFC 9111, section 5.2.2. */
export const cacheControlOf = ({ access }: Operation): 'no-cache' | 'no-store' =>
  access === 'public' || access === 'catalog' ? 'no-cache' : 'no-store';

/** Every error that the function of an operation may answer. One that is not here is a defect and becomes a bare 500. */
export const errorsOf = (entry: Operation): ErrorName[] => {
  const { access, deprecated, errors, method, request } = entry;
  const names: ErrorName[] = ['invalid_request', ...errors, 'internal_error', 'try_again', 'outcome_unknown'];
  if (access !== 'public') names.push('unauthenticated', 'forbidden');
  if (deprecated) names.push('gone');
  if (request.body) names.push('payload_too_large', 'unsupported_media_type');
  if (method === 'POST') names.push('idempotency_key_reused');
  if (method !== 'POST' && method !== 'GET') names.push('precondition_failed');
  if (isList(entry)) names.push('invalid_cursor');
  return names;
};
