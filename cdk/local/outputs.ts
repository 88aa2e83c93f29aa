import type { Template } from '../synthesis/template.ts';

/** Commands with `--local URL` read the outputs here. */
export const outputsPath = '/local';

/**
 * Of the outputs of the stack, texts and what this server emulates: the bus and the queues. The others are undefined.
 * @param queueUrl returns the local URL of a queue; absent if the stack has no events
 */
export const localOutputs = (
  { Resources, Outputs = {} }: Template,
  queueUrl: (queue: string) => string = String,
) => {
  const localValue = (value: unknown): string | undefined => {
    if (typeof value === 'string') return value;
    const { Ref: id = '' } = value as { Ref?: string };
    const type = Resources[id]?.Type;
    if (type === 'AWS::SQS::Queue') return queueUrl(id);
    return type === 'AWS::Events::EventBus' ? id : undefined;
  };
  return Object.fromEntries(
    Object.entries(Outputs).map(([name, { Value }]) => [name, localValue(Value)]),
  );
};
