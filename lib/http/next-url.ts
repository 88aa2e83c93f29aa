import type { Operation } from '../operations/operation.ts';
import { baseUrl } from './base-url.ts';
import { sealCursor } from './cursor.ts';
import type { GatewayEvent } from './gateway.ts';
import { type Input, walkOf } from './input.ts';

/** The same request with the cursor of the page after this id. */
export const nextUrl = (
  operation: Operation,
  event: GatewayEvent,
  { query, caller }: Input,
  lastId: number,
): string => {
  const parameters = new URLSearchParams(
    Object.entries(event.multiValueQueryStringParameters ?? {})
      .filter(([name]) => name !== 'cursor')
      .flatMap(([name, values]) => (values ?? []).map(value => [name, value] as [string, string])),
  );
  parameters.append('cursor', sealCursor(walkOf(operation, query, caller), lastId));
  return `${baseUrl(event)}${operation.path}?${parameters}`;
};
