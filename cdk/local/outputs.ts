import { evaluate, type Template } from '../build/template.ts';
import type { LocalEvents } from './events/local-events.ts';

/** The path with the outputs of the local server. Commands with `--local URL` read them. */
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

/** The outputs of the stack, with the names of a deployed stack, and the local endpoints. */
export const outputsOf = (
  { Outputs = {} }: Template,
  { url, tokenUrl, tableName, endpoint, events }: LocalResources,
): Readonly<Record<string, string | undefined>> => {
  const output = (name: string): string | undefined => Outputs[name] && evaluate(Outputs[name].Value);
  const queueUrl = (name: string) => {
    const queue = output(name);
    return queue && events?.queueUrl(queue);
  };
  return {
    ApiUrl: `${url}/`,
    TokenUrl: tokenUrl,
    TableName: tableName,
    IndexShards: output('IndexShards'),
    EventsGeneration: output('EventsGeneration'),
    EventBusName: output('EventBusName'),
    EventsDeadLetterQueueUrl: queueUrl('EventsDeadLetterQueueUrl'),
    WebhooksDeadLetterQueueUrl: queueUrl('WebhooksDeadLetterQueueUrl'),
    WebhookNames: output('WebhookNames'),
    DynamoDbEndpoint: endpoint,
    EventsEndpoint: events?.url,
  };
};
