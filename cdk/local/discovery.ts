import type { LocalEvents } from './events/local-events.ts';
import type { Api } from './gateway/api.ts';

/** The path where commands find the names and addresses of the local resources. */
export const discoveryPath = '/local';

/** The environment of the publisher, and the queue URL that no function has in its environment. */
export const discoveryDocument = (
  { functions }: Api,
  { environment, deadLetters }: LocalEvents,
  table: { readonly endpoint: string; readonly tableName: string },
): Readonly<Record<string, string | undefined>> => {
  const { EVENT_SOURCE, EVENTS_GENERATION, EVENT_BUS } = [...functions.values()].find(
    definition => 'EVENT_BUS' in definition.environment,
  )!.environment;
  return {
    DYNAMODB_ENDPOINT: table.endpoint,
    TABLE_NAME: table.tableName,
    EVENT_SOURCE,
    EVENTS_GENERATION,
    EVENT_BUS,
    ...environment,
    ...deadLetters,
  };
};
