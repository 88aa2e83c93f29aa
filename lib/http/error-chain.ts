/** What errors of Node and of the SDK can have besides a name and a message. */
interface DetailedError extends Error {
  /** The code of a system error: ECONNRESET, ENOENT, … */
  readonly code?: string;
  readonly $metadata?: { readonly requestId?: string; readonly httpStatusCode?: number };
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Message?: string }[];
  /** The SDK spells this property in two ways: one for ThrottlingException, and one for all other errors. */
  readonly throttlingReasons?: readonly ThrottlingReason[];
  readonly ThrottlingReasons?: readonly ThrottlingReason[];
}
interface ThrottlingReason {
  readonly reason?: string;
  readonly resource?: string;
}

/** Enough for every chain of causes. The limit also ends the chain of an error that is its own cause. */
const maxDepth = 5;
/** The most characters of a message. */
const maxLength = 500;

const joined = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(': ');

/** The lines of a stack trace without the message, which can have many lines. */
const frames = (stack = '') => stack.split('\n').filter(line => line.startsWith('    at '));

const fieldsOf = (error: DetailedError, withStack: boolean) => {
  const { name, message, code, stack, $metadata, CancellationReasons: reasons } = error;
  const throttling = error.ThrottlingReasons ?? error.throttlingReasons;
  return {
    name,
    message: String(message).slice(0, maxLength),
    code,
    httpStatus: $metadata?.httpStatusCode,
    /** AWS Support asks for this id. */
    dynamoDbRequestId: $metadata?.requestId,
    // The Item of a reason is left out, because it is data of the store.
    cancellationReasons: reasons?.map(({ Code, Message }) => joined(Code, Message)),
    throttlingReasons: throttling?.map(({ reason, resource }) => joined(reason, resource)),
    ...(withStack && { stack: frames(stack) }),
  };
};

const throttle = /Throttl|ThroughputExceeded|RequestLimitExceeded|UnprocessedKeys/;

/** Whether DynamoDB throttled. The name of an error or of a cause shows this, or a reason of a canceled transaction. */
export const isThrottled = (error: unknown, depth = maxDepth): boolean => {
  if (!(error instanceof Error) || depth === 0) return false;
  const { name, CancellationReasons: reasons = [], cause } = error as DetailedError;
  return throttle.test([name, ...reasons.map(({ Code }) => Code)].join()) || isThrottled(cause, depth - 1);
};

/**
 * An error and its causes for the log, outermost first. If Lambda's JSON log serialized the error, it would omit `cause`, and
 * would print minified class names and the items of a canceled transaction.
 * @param withStack only for defects (500): for the many 503s of a busy store, stack traces cost more than they explain
 */
export const errorChainOf = (error: unknown, withStack = false): object[] => {
  const chain: object[] = [];
  for (let current = error; current !== undefined && chain.length < maxDepth; current = (current as Error).cause) {
    if (!(current instanceof Error)) return [...chain, { name: typeof current }];
    chain.push(fieldsOf(current, withStack));
  }
  return chain;
};
