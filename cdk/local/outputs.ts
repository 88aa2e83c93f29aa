import { evaluate, type Template } from '../synthesis/template.ts';

/** Commands with `--local URL` read the outputs here. */
export const outputsPath = '/local';

/** The outputs of a deployed stack that commands read. Other outputs use intrinsic functions that are not evaluated here. */
const commandOutputs =
  /^(IndexShards|EventsGeneration|EventBusName|EventsDeadLetterQueueUrl|WebhooksDeadLetterQueueUrl)$/;

/** @param queueUrl returns the local URL of a queue; absent if the stack has no events */
export const localOutputs = (
  { Outputs = {} }: Template,
  queueUrl: (queue: string) => string = queue => queue,
): Readonly<Record<string, string>> => {
  const read = Object.entries(Outputs).filter(([name]) => commandOutputs.test(name));
  const values = read.map(([name, { Value }]) => [name, evaluate(Value)] as const);
  return Object.fromEntries(values.map(([name, value]) => [name, name.endsWith('QueueUrl') ? queueUrl(value) : value]));
};
