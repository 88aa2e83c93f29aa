/** Bytes of a message with its attributes (SQS developer guide, "Amazon SQS message quotas"). */
export const maxMessageSize = 1_048_576;

/** @returns `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME` */
export const queueUrlOf = (origin: string, arn: string): string => {
  const [account, name] = arn.split(':').slice(-2);
  return `${origin}/${account}/${name}`;
};
