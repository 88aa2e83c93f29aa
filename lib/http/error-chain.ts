/** What errors of Node and of the SDK can have. */
interface DetailedError extends Error {
  /** Of a system error: ECONNRESET, ENOENT, … */
  readonly code?: string;
  readonly $metadata?: { readonly requestId?: string; readonly httpStatusCode?: number };
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Message?: string }[];
  /** The SDK spells this property in one way for ThrottlingException, and in another for all other errors. */
  readonly throttlingReasons?: readonly ThrottlingReason[];
  readonly ThrottlingReasons?: readonly ThrottlingReason[];
}
interface ThrottlingReason {
  readonly reason?: string;
  readonly resource?: string;
}

/** Enough for every chain of causes. It also ends the chain of an error that is its own cause. */
const maxDepth = 5;
/** Characters of a message. */
const maxLength = 500;

const joined = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(': ');

/** Without the message, which can have many lines. */
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
    // The reason's Item is left out, because it is data of the store.
    cancellationReasons: reasons?.map(({ Code, Message }) => joined(Code, Message)),
    throttlingReasons: throttling?.map(({ reason, resource }) => joined(reason, resource)),
    ...(withStack && { stack: frames(stack) }),
  };
};

const throttle = /Throttl|ThroughputExceeded|RequestLimitExceeded|UnprocessedKeys/;

/** The name of an error or of a cause shows throttling, or a reason of a canceled transaction does. */
export const isThrottled = (error: unknown, depth = maxDepth): boolean => {
  if (!(error instanceof Error) || depth === 0) return false;
  const { name, CancellationReasons: reasons = [], cause } = error as DetailedError;
  return (
    throttle.test([name, ...reasons.map(({ Code }) => Code)].join()) ||
    isThrottled(cause, depth - 1)
  );
};

/**
 * The error and its causes, outermost first. Lambda's JSON log itself would omit `cause`, and would print minified class names
 * and the items of a canceled transaction.
 * @param withStack only for defects (500): for the many 503s of a busy store, stack traces cost more than they explain
 */
export const errorChainOf = (error: unknown, withStack = false): object[] => {
  const chain: object[] = [];
  for (
    let current = error;
    current !== undefined && chain.length < maxDepth;
    current = (current as Error).cause
  ) {
    if (!(current instanceof Error)) return [...chain, { name: typeof current }];
    chain.push(fieldsOf(current, withStack));
  }
  return chain;
};
