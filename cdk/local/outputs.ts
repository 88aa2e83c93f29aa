import { evaluate, type Template } from '../build/template.ts';

/** The path with the outputs of the local server. Commands with `--local URL` read them. */
export const outputsPath = '/local';

/** The outputs of a deployed stack that a command reads. Others call functions that are not evaluated here. */
const names =
  'IndexShards EventsGeneration EventBusName EventsDeadLetterQueueUrl WebhooksDeadLetterQueueUrl WebhookNames'.split(
    ' ',
  );

/** The outputs of the stack, with local URLs of its queues. @param queueUrl absent: the stack has no events */
export const outputsOf = (
  { Outputs = {} }: Template,
  queueUrl: (queue: string) => string = queue => queue,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap(name => {
      if (!Outputs[name]) return [];
      const value: string = evaluate(Outputs[name].Value);
      return [[name, name.endsWith('QueueUrl') ? queueUrl(value) : value]];
    }),
  );
