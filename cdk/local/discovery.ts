import type { LocalEvents } from './events/local-events.ts';
import type { Api } from './gateway/api.ts';

/** Where a server of this machine says what the commands that tell something again have to know. */
export const descriptionPath = '/local';

/** Names and addresses, as the function that tells changes knows them, and the queue that no function knows. */
export const descriptionOf = (
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
