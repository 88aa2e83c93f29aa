import { format } from 'node:util';

/** Log levels, from the least to the most severe. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];

/** `errorType` is the class name, `$` after minification. Other fields are only the enumerable ones, so not `cause`. */
const errorFields = (error: Error) => ({
  errorType: error.constructor?.name ?? 'UnknownError',
  errorMessage: error.message,
  stackTrace: error.stack?.split('\n'),
});

const flattened = (_: string, value: unknown) => (value instanceof Error ? { ...errorFields(value), ...value } : value);

/**
 * The JSON log line that Lambda's Node runtime writes for `console.info(message, …)`
 * (github.com/aws/aws-lambda-nodejs-runtime-interface-client, src/logging/formatter.ts).
 */
export const logLine = (
  level: LogLevel,
  requestId: string | undefined,
  message: unknown,
  ...more: unknown[]
): string => {
  const line = { timestamp: new Date().toISOString(), level: level.toUpperCase(), requestId };
  if (more.length > 0) {
    const error = more.find(value => value instanceof Error);
    return JSON.stringify({ ...line, message: format(message, ...more), ...(error && errorFields(error)) });
  }
  try {
    return JSON.stringify({ ...line, message }, flattened);
  } catch {
    // A circular reference or a BigInt.
    return JSON.stringify({ ...line, message: format(message) });
  }
};
