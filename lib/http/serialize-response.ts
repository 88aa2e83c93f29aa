import type { PageOf } from '../model/table/list.ts';
import type { Written } from '../model/table/write-once.ts';
import { isFile, isList, type Operation, successOf } from '../operations/operation.ts';
import { requestContext } from '../request-context.ts';
import { fill } from './base-url.ts';
import { entityTag, matchesWeakly } from './conditional-requests.ts';
import { encodeCursor } from './cursor.ts';
import type { GatewayEvent, ProxyResult } from './gateway.ts';
import type { File, HandlerResult } from './handler-result.ts';
import { cursorScopeOf, type Input } from './input.ts';
import { respond } from './respond.ts';

/**
 * `entity` is the single resource, as the model returned it, or the file with its policy. The ETag is a digest of the entity, not
 * of the body, because preconditions compare entities. After a rollback, only the entity has the fields that the newer code
 * stored.
 */
interface Serialized {
  readonly body?: object | string;
  readonly headers?: Record<string, string>;
  readonly entity?: object | string | undefined;
}

type Serialize = (result: never, input: Input) => Serialized;

const serializeFile = ({ content, type, policy, link }: File): Serialized => ({
  body: content,
  headers: {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': policy,
    ...(link && { Link: link }),
  },
  entity: { content, policy },
});

/** The parsed query, in which no value is repeated, and a cursor with the last id of this page. */
const nextUrl = (
  operation: Operation,
  { query, caller, baseUrl }: Input,
  lastId: number,
): string => {
  const { cursor, ...filters } = query as Record<string, unknown>;
  const parameters = Object.entries(filters).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, String(value)]),
  );
  parameters.push(['cursor', encodeCursor(cursorScopeOf(operation, query, caller), lastId)]);
  return `${baseUrl}${operation.path}?${new URLSearchParams(parameters)}`;
};

/** A body's schema drops undeclared fields. @throws if a body does not match, which is a defect */
const serializerOf = (operation: Operation): Serialize => {
  const { body: declared } = successOf(operation);
  if (declared && isFile(declared)) return serializeFile;
  const { location, method, singleBy } = operation;
  const parse = (value: unknown) => declared?.parse(value) as object;

  if (method !== 'GET')
    return ({ result, replayed }: Written<unknown>, { baseUrl }) => {
      const body = parse(result);
      if (location) requestContext().subject.resourceId = (body as { id: number }).id;
      if (replayed) requestContext().subject.replayed = true;
      const headers = {
        ...(location && { Location: baseUrl + fill(location, body) }),
        ...(replayed && { 'Idempotent-Replayed': 'true' }),
      };
      return { body, headers, entity: result as object | undefined };
    };
  if (isList(operation))
    return ({ items, next }: PageOf<object>, input) => {
      const body = parse(items);
      const selected = singleBy && (input.query as Record<string, unknown[] | undefined>)[singleBy];
      const headers = next !== undefined && {
        Link: `<${nextUrl(operation, input, next)}>; rel="next"`,
      };
      return {
        body,
        ...(headers && { headers }),
        ...(selected?.length === 1 && { entity: items[0] }),
      };
    };
  return (result: object) => ({ body: parse(result), entity: result });
};

export const serializeResponse = <O extends Operation>(operation: O) => {
  const { status } = successOf(operation);
  const serialize = serializerOf(operation);
  return (result: HandlerResult<O>, event: GatewayEvent, input: Input): ProxyResult => {
    if (operation.shortcut !== undefined && event.resource === operation.shortcut)
      return respond(operation, event, {
        status: 302,
        headers: { Location: input.baseUrl + operation.path },
      });
    // The compiler cannot know that the serializer was chosen for the results of this operation.
    const { body, headers = {}, entity } = serialize(result as never, input);
    if (entity === undefined) return respond(operation, event, { status, body, headers });
    const tagged = { ...headers, ETag: entityTag(entity) };
    const isKnown = matchesWeakly(input.knownTags, tagged.ETag);
    const content = isKnown ? { status: 304 } : { status, body };
    return respond(operation, event, { ...content, headers: tagged });
  };
};
