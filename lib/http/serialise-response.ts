import type { Creation } from '../model/table/create-once.ts';
import type { PageOf } from '../model/table/list.ts';
import { isFile, isList, type Operation, successOf } from '../operations/operation.ts';
import type { File } from './answer.ts';
import { baseUrl, fill } from './base-url.ts';
import { entityTag, matchesWeakly } from './entity-tag.ts';
import type { GatewayEvent, Middleware } from './gateway.ts';
import type { Input } from './input.ts';
import { nextUrl } from './next-url.ts';
import { respond } from './respond.ts';

/** What goes out for an answer; `entity` is the single resource that it is, of which there is a tag. */
interface Serialised {
  readonly body?: object | string;
  readonly headers?: Record<string, string>;
  readonly entity?: object | string | undefined;
}

type Serialise = (answer: never, event: GatewayEvent, input: Input) => Serialised;

const serialiseNothing = (): Serialised => ({});

const serialiseFile = ({ content, type, policy }: File): Serialised => ({
  body: content,
  headers: { 'Content-Type': `${type}; charset=utf-8`, 'Content-Security-Policy': policy },
  entity: { content, policy },
});

/** The body parsed by its schema, so that nothing undeclared leaves. A body that breaks its schema is a defect, and throws. */
const serialiserOf = (operation: Operation): Serialise => {
  const { body: declared } = successOf(operation);
  if (declared === null) return serialiseNothing;
  if (isFile(declared)) return serialiseFile;
  const { location, singleBy } = operation;
  const parse = (value: unknown) => declared.parse(value) as object;

  if (location !== undefined)
    return ({ created, replayed }: Creation<object>, event) => {
      const body = parse(created);
      const headers = {
        Location: baseUrl(event) + fill(location, body),
        ...(replayed && { 'Idempotent-Replayed': 'true' }),
      };
      return { body, headers, entity: body };
    };
  if (isList(operation))
    return ({ items, next }: PageOf<object>, event, input) => {
      const body = parse(items) as object[];
      const named = singleBy && (input.query as Record<string, unknown[] | undefined>)[singleBy];
      const headers = next !== undefined && { Link: `<${nextUrl(operation, event, input, next)}>; rel="next"` };
      return { body, ...(headers && { headers }), ...(named?.length === 1 && { entity: body[0] }) };
    };
  return (answer: object) => {
    const body = parse(answer);
    return { body, entity: body };
  };
};

/** Turns what the business sentence answers into a proxy response. */
export const serialiseResponse = (operation: Operation): Middleware => {
  const { status } = successOf(operation);
  const serialise = serialiserOf(operation);
  return {
    after: request => {
      const { event } = request;
      const input = event.input as Input;
      if (operation.shortcut !== undefined && event.resource === operation.shortcut) {
        request.response = respond(operation, event, 302, undefined, { Location: baseUrl(event) + operation.path });
        return;
      }
      const { body, headers = {}, entity } = serialise(request.response as never, event, input);
      const tag = entity === undefined ? undefined : entityTag(entity);
      const tagged = tag === undefined ? headers : { ...headers, ETag: tag };
      request.response =
        tag !== undefined && input.known !== undefined && matchesWeakly(input.known, tag)
          ? respond(operation, event, 304, undefined, tagged)
          : respond(operation, event, status, body, tagged);
    },
  };
};
