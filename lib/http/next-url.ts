import type { Operation } from '../operations/operation.ts';
import { baseUrl } from './base-url.ts';
import { encodeCursor } from './cursor.ts';
import type { GatewayEvent } from './gateway.ts';
import { cursorScopeOf, type Input } from './input.ts';

/** The URL of the next page: the parsed query, which is as short as possible, with the cursor of the last id. */
export const nextUrl = (
  operation: Operation,
  event: GatewayEvent,
  { query, caller }: Input,
  lastId: number,
): string => {
  const { cursor, ...filters } = query as Record<string, unknown>;
  const parameters = new URLSearchParams(
    Object.entries(filters).flatMap(([name, values]) =>
      [values].flat().map(value => [name, String(value)] as [string, string]),
    ),
  );
  parameters.append('cursor', encodeCursor(cursorScopeOf(operation, query, caller), lastId));
  return `${baseUrl(event)}${operation.path}?${parameters}`;
};
