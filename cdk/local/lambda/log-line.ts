import { format } from 'node:util';

/** From the least to the most severe. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
type LogLevel = (typeof logLevels)[number];

/**
 * The line that Lambda's Node runtime writes (github.com/aws/aws-lambda-nodejs-runtime-interface-client,
 * src/logging/formatter.ts), without its further fields for an Error object, because lib/ never logs one.
 */
export const logLine = (
  level: LogLevel,
  requestId: string | undefined,
  message: unknown,
  ...more: unknown[]
) => {
  const line = { timestamp: new Date().toISOString(), level: level.toUpperCase(), requestId };
  const isText = more.length > 0 || message instanceof Error;
  try {
    return JSON.stringify({ ...line, message: isText ? format(message, ...more) : message });
  } catch {
    // A circular reference or a BigInt.
    return JSON.stringify({ ...line, message: format(message) });
  }
};
