import type * as z from 'zod/mini';
import { digest } from '../digest.ts';
import type { Page } from '../model/table/list.ts';
import type { Idempotency, Precondition } from '../model/table/write-once.ts';
import { isList, type Operation } from '../operations/operation.ts';
import { defaultLimit } from '../schemas/query.ts';
import type { RequestHeader, requestHeaderSchemas } from '../schemas/request-headers.ts';
import { ownerFilterOf } from './authorize.ts';
import { baseUrl } from './base-url.ts';
import { preconditionOf } from './conditional-requests.ts';
import { decodeCursor } from './cursor.ts';
import type { Caller, GatewayEvent } from './gateway.ts';

/** A part that an operation does not have is empty. */
type Output<S> = S extends z.ZodMiniType ? z.output<S> : Record<never, never>;

/** As their schemas parsed them. */
export interface Parts<O extends Operation = Operation> {
  readonly path: Output<O['request']['path']>;
  readonly query: Output<O['request']['query']>;
  readonly body: Output<O['request']['body']>;
}

export type ParsedHeaders = {
  readonly [Name in RequestHeader]?: z.output<(typeof requestHeaderSchemas)[Name]>;
};

/** What the handler of an operation gets. `ownerFilter`: the owner whose items the caller can access. Undefined: all items. */
export type Input<O extends Operation = Operation> = Parts<O> & {
  readonly caller: Caller;
  readonly baseUrl: string;
  readonly page: Page;
  /** Only for a GET: the tags of the representations that the caller already has. */
  readonly knownTags?: '*' | string[];
  readonly precondition?: Precondition;
  readonly idempotency?: Idempotency;
} & (O extends { readonly ownedBy: string }
    ? { readonly ownerFilter: string | undefined }
    : unknown);

/** A cursor is valid for one operation, its filters and, if items have owners, one owner. */
export const cursorScopeOf = (
  operation: Operation,
  query: Record<string, unknown>,
  caller: Caller,
): unknown => {
  const { limit, cursor, ...rest } = query;
  const filters = Object.entries(rest).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.toSorted() : value,
  ]);
  return [operation.id, filters, ownerFilterOf(operation, caller) ?? null];
};

const pageOf = (
  operation: Operation,
  query: { limit?: number; cursor?: string },
  caller: Caller,
): Page => ({
  limit: query.limit ?? defaultLimit,
  ...(isList(operation) &&
    query.cursor !== undefined && {
      after: decodeCursor(cursorScopeOf(operation, query, caller), query.cursor),
    }),
});

/** @throws {ApiError} invalid_cursor */
export const inputOf = (
  operation: Operation,
  event: GatewayEvent,
  { caller, parts, headers }: { caller: Caller; parts: Parts; headers: ParsedHeaders },
): Input => {
  const { 'If-Match': match, 'If-None-Match': noneMatch, 'Idempotency-Key': key } = headers;
  const isRead = operation.method === 'GET';
  const precondition = isRead ? undefined : preconditionOf(match, noneMatch);
  // The digest needs no id of the body, because it is absent or equals the id in the path.
  const body = { ...parts.body, id: undefined };
  // Without parameters, it is the digest of former versions, whose records are valid for a day.
  const query = Object.keys(parts.query).length > 0 ? [parts.query] : [];
  return {
    ...parts,
    caller,
    baseUrl: baseUrl(event),
    ...(operation.ownedBy && { ownerFilter: ownerFilterOf(operation, caller) }),
    page: pageOf(operation, parts.query, caller),
    ...(isRead && noneMatch && { knownTags: noneMatch }),
    ...(precondition && { precondition }),
    ...(key && {
      idempotency: {
        id: digest([operation.id, caller.ownerId, key]),
        requestDigest: digest([parts.path, body, match, noneMatch, ...query]),
        ownerId: caller.ownerId,
        clientId: caller.clientId,
      },
    }),
  };
};
