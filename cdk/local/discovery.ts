import { evaluate, type Template } from '../build/template.ts';
import type { LocalEvents } from './events/local-events.ts';

/** Where a server of this machine returns its outputs; `--local URL` of the commands reads them. */
export const outputsPath = '/local';

interface LocalResources {
  readonly url: string;
  readonly tokenUrl: string;
  readonly tableName: string;
  /** Of DynamoDB. */
  readonly endpoint: string;
  /** Absent: the stack has no events. */
  readonly events: LocalEvents | undefined;
}

/** The outputs of the stack, by the names that a deployed stack has, and the endpoints that only this machine has. */
export const outputsOf = (
  { Outputs = {} }: Template,
  { url, tokenUrl, tableName, endpoint, events }: LocalResources,
): Readonly<Record<string, string | undefined>> => {
  const output = (name: string): string | undefined => Outputs[name] && evaluate(Outputs[name].Value);
  return {
    ApiUrl: `${url}/`,
    TokenUrl: tokenUrl,
    TableName: tableName,
    IndexShards: output('IndexShards'),
    EventsGeneration: output('EventsGeneration'),
    EventBusName: output('EventBusName'),
    EventsDeadLetterQueueUrl: events?.environment.DEAD_LETTER_QUEUE_URL,
    WebhooksDeadLetterQueueUrl: events?.webhooksQueueUrl,
    DynamoDbEndpoint: endpoint,
    EventsEndpoint: events?.environment.EVENTS_ENDPOINT,
  };
};
