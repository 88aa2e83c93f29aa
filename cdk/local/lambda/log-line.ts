import { format } from 'node:util';

/** The levels of a log line, the least important first. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The name is that of the class, which minifying makes `$`; of the rest only what is enumerable, so no `cause`. */
const errorFields = (error: Error) => ({
  errorType: error.constructor?.name ?? 'UnknownError',
  errorMessage: error.message,
  stackTrace: error.stack?.split('\n'),
});

const flattened = (_: string, value: unknown) => (value instanceof Error ? { ...errorFields(value), ...value } : value);

/**
 * What Lambda's Node runtime makes of `console.info(message, …)` when it logs JSON, errors included
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
    // It refers to itself, or holds a BigInt.
    return JSON.stringify({ ...line, message: format(message) });
  }
};
