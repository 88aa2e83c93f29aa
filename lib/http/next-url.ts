import type { Operation } from '../operations/operation.ts';
import { baseUrl } from './base-url.ts';
import { sealCursor } from './cursor.ts';
import type { GatewayEvent } from './gateway.ts';
import { type Input, walkOf } from './input.ts';

/** The same request with the cursor of the page after this id: as it was understood, so that it is as short as it can be. */
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
  parameters.append('cursor', sealCursor(walkOf(operation, query, caller), lastId));
  return `${baseUrl(event)}${operation.path}?${parameters}`;
};
