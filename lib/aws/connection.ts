import { timeLeft } from '../request-context.ts';

/** Milliseconds. */
const callTimeout = 3_000;

/** For calls to EventBridge, SQS and Secrets Manager. Without time left, nothing is sent. */
export const withinTimeout = () => {
  const time = Math.min(callTimeout, timeLeft());
  return { abortSignal: time > 0 ? AbortSignal.timeout(time) : AbortSignal.abort() };
};

/** Other `ERR_…` codes are fatal: for example, this project misuses a function of Node. */
const brokenConnection =
  /^(?!ERR_)|^ERR_(SSL|TLS_CERT|TLS_HANDSHAKE|SOCKET|STREAM_PREMATURE_CLOSE)/;

/** Whether the connection broke, or the call's own timeout passed. AWS may have executed the call. */
export const hasNoResponse = ({ name, code }: Partial<NodeJS.ErrnoException>): boolean =>
  name === 'AbortError' ||
  name === 'TimeoutError' ||
  (typeof code === 'string' && brokenConnection.test(code));

/**
 * A kept connection can die while Lambda freezes the function (github.com/aws/aws-sdk-js-v3/issues/1196). Both attempts share one
 * timeout. If only the response was lost, AWS executes the call twice, and a dead-letter queue has a message twice.
 */
export const repeatOnce = async <O>(
  call: (options: ReturnType<typeof withinTimeout>) => Promise<O>,
): Promise<O> => {
  const options = withinTimeout();
  return call(options).catch(error => {
    if (options.abortSignal.aborted || !hasNoResponse(error)) throw error;
    return call(options);
  });
};
