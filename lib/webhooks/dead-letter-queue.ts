import { maxMessageSize } from '../aws/queue.ts';
import { sendToDeadLetterQueue } from '../aws/sqs.ts';

/** Bytes of a message without its attributes, which have at most 2 KB. */
const maxBody = maxMessageSize - 2_048;

/**
 * An event that is too large is sent without its data; `npm run events:republish` publishes the current data. Text that is still
 * too large is cut.
 */
const bodyOf = (body: string, event: object | undefined) => {
  if (Buffer.byteLength(body) <= maxBody) return body;
  const text = event ? JSON.stringify({ ...event, data: undefined }) : body;
  // An incomplete character at the end becomes U+FFFD, which has one or two bytes more.
  return Buffer.from(text).subarray(0, maxBody).toString();
};

/**
 * The defined `values` become message attributes.
 * @param event the event in the body, if the body has one
 * @throws if sending fails
 */
export const deadLetter = (
  body: string,
  event: object | undefined,
  values: Readonly<Record<string, string | number | undefined>>,
): Promise<void> => {
  const attributes = Object.entries(values).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [[name, { DataType: 'String', StringValue: String(value) }] as const],
  );
  return sendToDeadLetterQueue(bodyOf(body, event), Object.fromEntries(attributes));
};
