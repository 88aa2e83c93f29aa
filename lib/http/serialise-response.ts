import type { Operation } from '../operations/operation.ts';
import { requestHeaders } from '../schemas/headers.ts';
import { baseUrl } from './base-url.ts';
import { sealCursor } from './cursor.ts';
import { entityTag, matchesWeakly } from './entity-tag.ts';
import { type GatewayEvent, headerValues, type Middleware } from './gateway.ts';
import { type Input, walkOf } from './input.ts';
import { respond } from './respond.ts';

/** What a business sentence answers. */
export interface Reply {
  readonly status: number;
  readonly body?: object;
  /** A file instead of JSON, and the Content-Security-Policy under which it may be shown. */
  readonly file?: { readonly content: string; readonly type: string; readonly policy: string };
  /** Where a created resource is, as a path below the base address. */
  readonly location?: string;
  /** The last id of a page that another page follows. */
  readonly next?: number | undefined;
  readonly replayed?: boolean;
  /** The single resource that a list was narrowed to; otherwise a body that is not a list is the resource. */
  readonly entity?: object | undefined;
}

/** The same request with the cursor of the next page. */
const nextUrl = (operation: Operation, event: GatewayEvent, { query, caller }: Input, lastId: number): string => {
  const parameters = new URLSearchParams(
    Object.entries(event.multiValueQueryStringParameters ?? {})
      .filter(([name]) => name !== 'cursor')
      .flatMap(([name, values]) => (values ?? []).map(value => [name, value] as [string, string])),
  );
  parameters.append('cursor', sealCursor(walkOf(operation, query, caller), lastId));
  return `${baseUrl(event)}${operation.path}?${parameters}`;
};

const isUnmodified = (operation: Operation, event: GatewayEvent, tag: string): boolean => {
  const lines = operation.method === 'GET' ? headerValues(event, 'If-None-Match') : undefined;
  const tags = requestHeaders['If-None-Match'].parse(lines);
  return tags !== undefined && matchesWeakly(tags, tag);
};

/**
 * Turns a reply into a proxy response: the body parsed by the schema of its status, so that nothing undeclared leaves,
 * and the headers that follow from the reply.
 * @throws when the body breaks its schema, which is a defect
 */
export const serialiseResponse = (operation: Operation): Middleware => ({
  after: request => {
    const { event } = request;
    const { status, body, file, location, next, replayed, entity } = request.response as unknown as Reply;
    const schema = operation.responses[status];
    if (schema === undefined) throw new Error(`${operation.id} answered ${status}, which it does not declare`);
    const parsed = schema === 'file' ? file!.content : (schema?.parse(body) as object | undefined);

    const headers: Record<string, string> = {};
    const resource = entity ?? (Array.isArray(parsed) ? undefined : parsed);
    if (resource) headers.ETag = entityTag(resource);
    if (file) Object.assign(headers, { 'Content-Type': file.type, 'Content-Security-Policy': file.policy });
    if (location !== undefined) headers.Location = `${baseUrl(event)}${location}`;
    if (next !== undefined) headers.Link = `<${nextUrl(operation, event, event.input as Input, next)}>; rel="next"`;
    if (replayed) headers['Idempotency-Replayed'] = 'true';

    request.response =
      headers.ETag && isUnmodified(operation, event, headers.ETag)
        ? respond(operation, event, 304, undefined, { ETag: headers.ETag })
        : respond(operation, event, status, parsed, headers);
  },
});
