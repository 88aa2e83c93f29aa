/** The most bytes of a message with its attributes (SQS developer guide, "Amazon SQS message quotas"). */
export const maxMessageSize = 1_048_576;

/**
 * The URL of a queue, which follows from its ARN: `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME`.
 * @param origin of the queues' URLs
 */
export const queueUrlOf = (origin: string, arn: string): string => {
  const [account, name] = arn.split(':').slice(-2);
  return `${origin}/${account}/${name}`;
};
