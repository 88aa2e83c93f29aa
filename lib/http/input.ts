import type * as z from 'zod/mini';
import { digest } from '../digest.ts';
import type { Idempotency } from '../model/table/create-once.ts';
import type { Page } from '../model/table/list.ts';
import type { Precondition } from '../model/table/retry-on-conflict.ts';
import { isList, type Operation } from '../operations/operation.ts';
import { defaultLimit } from '../schemas/query.ts';
import { type Caller, callerOf } from './authorize.ts';
import { baseUrl } from './base-url.ts';
import { openCursor } from './cursor.ts';
import { entityTag, matchesStrongly, matchesWeakly } from './entity-tag.ts';
import type { GatewayEvent } from './gateway.ts';

type Output<S> = S extends z.ZodMiniType ? z.output<S> : Record<never, never>;

/** The parts of a request as their schemas left them. */
export interface Parts<O extends Operation = Operation> {
  readonly path: Output<O['request']['path']>;
  readonly query: Output<O['request']['query']>;
  readonly body: Output<O['request']['body']>;
}

/** What the headers of the contract parse to; absent ones are undefined. */
export interface ParsedHeaders {
  readonly 'If-Match'?: '*' | string[];
  readonly 'If-None-Match'?: '*' | string[];
  readonly 'Idempotency-Key'?: string;
}

/** What a business sentence is given. */
export interface Input<O extends Operation = Operation> extends Parts<O> {
  readonly caller: Caller;
  /** The address under which the caller reached the API. */
  readonly baseUrl: string;
  readonly page: Page;
  /** Of a GET: entity tags of the representations that the caller has. */
  readonly known?: '*' | string[];
  readonly precondition?: Precondition;
  readonly idempotency?: Idempotency;
}

/** What a cursor is bound to: the operation, its filters and, where lists differ from caller to caller, the caller's view. */
export const walkOf = (operation: Operation, query: Record<string, unknown>, caller: Caller): unknown => {
  const { limit, cursor, ...rest } = query;
  const filters = Object.entries(rest).map(([name, value]) => [name, Array.isArray(value) ? value.toSorted() : value]);
  return [operation.id, filters, operation.access === 'orders' ? (caller.ownerFilter ?? null) : null];
};

const pageOf = (operation: Operation, query: { limit?: number; cursor?: string }, caller: Caller): Page => ({
  limit: query.limit ?? defaultLimit,
  ...(isList(operation) &&
    query.cursor !== undefined && { after: openCursor(walkOf(operation, query, caller), query.cursor) }),
});

/**
 * The precondition of a write, evaluated on the current representation (RFC 9110, section 13.2.2). `If-Match: *` holds for
 * each that exists, and every write is of one that exists.
 */
const preconditionOf = ({ 'If-Match': match, 'If-None-Match': noneMatch }: ParsedHeaders): Precondition | undefined => {
  const tags = Array.isArray(match) ? match : undefined;
  if (!tags && !noneMatch) return undefined;
  return representation => {
    const tag = entityTag(representation);
    return (!tags || matchesStrongly(tags, tag)) && !(noneMatch && matchesWeakly(noneMatch, tag));
  };
};

/** @throws {ApiError} invalid_cursor */
export const inputOf = (operation: Operation, event: GatewayEvent, parts: Parts, headers: ParsedHeaders): Input => {
  const caller = callerOf(event);
  const { 'If-None-Match': known, 'Idempotency-Key': key } = headers;
  const isRead = operation.method === 'GET';
  const precondition = isRead ? undefined : preconditionOf(headers);
  return {
    ...parts,
    caller,
    baseUrl: baseUrl(event),
    page: pageOf(operation, parts.query, caller),
    ...(isRead && known && { known }),
    ...(precondition && { precondition }),
    ...(key && {
      idempotency: {
        id: digest([operation.id, caller.ownerId, key]),
        requestDigest: digest(parts.body),
        ownerId: caller.ownerId,
      },
    }),
  };
};
