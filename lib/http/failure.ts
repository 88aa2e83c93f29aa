/** What the errors of Node and of the SDK may have beside a name and a message. */
interface Fault extends Error {
  /** Of a system error: ECONNRESET, ENOENT, … */
  readonly code?: string;
  readonly $metadata?: { readonly requestId?: string; readonly httpStatusCode?: number };
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Message?: string }[];
  /** Two spellings in the SDK: of ThrottlingException and of the others. */
  readonly throttlingReasons?: readonly ThrottlingReason[];
  readonly ThrottlingReasons?: readonly ThrottlingReason[];
}
interface ThrottlingReason {
  readonly reason?: string;
  readonly resource?: string;
}

/** Enough for every cause there is, and an end to one that causes itself. */
const maxDepth = 5;
/** Characters of a message. */
const maxLength = 500;

const words = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(': ');

/** Without the message, which may have many lines. */
const frames = (stack = '') => stack.split('\n').filter(line => line.startsWith('    at '));

const fieldsOf = (fault: Fault, withStack: boolean) => {
  const { name, message, code, stack, $metadata, CancellationReasons: reasons } = fault;
  const throttling = fault.ThrottlingReasons ?? fault.throttlingReasons;
  return {
    name,
    message: String(message).slice(0, maxLength),
    code,
    httpStatus: $metadata?.httpStatusCode,
    /** What AWS support asks for. */
    dynamoDbRequestId: $metadata?.requestId,
    // Never a reason's Item, which is data of the store.
    cancellationReasons: reasons?.map(({ Code, Message }) => words(Code, Message)),
    throttlingReasons: throttling?.map(({ reason, resource }) => words(reason, resource)),
    ...(withStack && { stack: frames(stack) }),
  };
};

/**
 * An error and what caused it, outermost first, field by field: Lambda's JSON log drops `cause`, which is not enumerable,
 * prints the class's name, which is minified, and would print a cancelled transaction with its items.
 * @param withStack where a defect is; a busy store is none, and a thousand of its lines are dear
 */
export const failureOf = (error: unknown, withStack = false): object[] => {
  const chain: object[] = [];
  for (let fault = error; fault !== undefined && chain.length < maxDepth; fault = (fault as Error).cause) {
    if (!(fault instanceof Error)) return [...chain, { name: typeof fault }];
    chain.push(fieldsOf(fault, withStack));
  }
  return chain;
};
