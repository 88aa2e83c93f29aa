/** The most bytes of a message with its attributes (SQS developer guide, "Amazon SQS message quotas"). */
export const maxMessageSize = 1_048_576;

/**
 * Derives the URL of a queue, `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME`, from its ARN.
 * @param origin the part of the URL before the account
 */
export const queueUrlOf = (origin: string, arn: string): string => {
  const [account, name] = arn.split(':').slice(-2);
  return `${origin}/${account}/${name}`;
};
