import { timeLeft } from '../request-context.ts';

/** The timeout of one call, in milliseconds. */
const callTimeout = 3_000;

/** Limits a call to EventBridge, SQS or Secrets Manager to `callTimeout`, or to the time left. Without time left, none is sent. */
export const withinTimeout = () => {
  const time = Math.min(callTimeout, timeLeft());
  return { abortSignal: time > 0 ? AbortSignal.timeout(time) : AbortSignal.abort() };
};

/** Codes of a broken connection. Another `ERR_…` code is fatal: for example, this project misuses a function of Node. */
const brokenConnection = /^(?!ERR_)|^ERR_(SSL|SOCKET|STREAM_PREMATURE_CLOSE)/;

/** Whether a call got no response, because its connection broke or its own timeout passed. AWS may have executed the call. */
export const hasNoResponse = ({ name, code }: { readonly name?: string; readonly code?: string }): boolean =>
  name === 'AbortError' || name === 'TimeoutError' || (typeof code === 'string' && brokenConnection.test(code));

/**
 * Repeats a call once if its connection broke: a kept connection can die while Lambda freezes the function
 * (github.com/aws/aws-sdk-js-v3/issues/1196). Both attempts share one timeout. AWS can execute the call twice, if only the
 * response was lost. Then a dead-letter queue has a message twice.
 */
export const repeatOnce = async <O>(call: (options: ReturnType<typeof withinTimeout>) => Promise<O>): Promise<O> => {
  const options = withinTimeout();
  return call(options).catch(error => {
    if (options.abortSignal.aborted || !hasNoResponse(error)) throw error;
    return call(options);
  });
};
