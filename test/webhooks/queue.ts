/** A message of a local queue, as SQS gives it. */
export interface Message {
  readonly Body: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue: string }>>;
}

/** What is in a queue of a local server; it stays there. */
export const messagesIn = async (
  url: string,
  name: 'WEBHOOKS_DEAD_LETTER_QUEUE_URL' | 'DEAD_LETTER_QUEUE_URL',
): Promise<Message[]> => {
  const { [name]: queue } = (await (await fetch(`${url}/local`)).json()) as Record<string, string>;
  const response = await fetch(queue!, {
    method: 'POST',
    headers: { 'X-Amz-Target': 'AmazonSQS.ReceiveMessage' },
    body: JSON.stringify({ QueueUrl: queue, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
  });
  return ((await response.json()) as { Messages: Message[] }).Messages;
};
