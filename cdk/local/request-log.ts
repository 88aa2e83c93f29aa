import { styleText } from 'node:util';
import { jsonOrUndefined } from '../files/json-or-undefined.ts';

export interface LoggedResponse {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly status: number;
  readonly body: string | Buffer;
  readonly milliseconds: number;
}

/** A part of a chain of errors (lib/http/error-chain.ts). */
type Failure = {
  readonly name?: string;
  readonly message?: string;
  readonly stack?: readonly string[];
};

const colorOf = (status: number) => {
  if (status >= 500) return 'red';
  return status >= 400 ? 'yellow' : 'green';
};

const failureLines = (failures: readonly Failure[]) =>
  failures.flatMap(({ name, message, stack = [] }, index) => [
    `  ${index > 0 ? 'caused by ' : ''}${name}${message ? `: ${message}` : ''}`,
    ...stack,
  ]);

/** These lines are left out, because the response has a line already, or `/local/events` shows the event. */
const isExpected = (level: string, message: object) =>
  level === 'INFO' && ['operation', 'published', 'webhook'].some(name => name in message);

/** Milliseconds between two lines about a failing webhook. */
const quiet = 60_000;

/** @returns undefined if the line is expected */
const messageOf = (line: string): string | undefined => {
  const { level, message } = jsonOrUndefined(line) ?? {};
  if (message === undefined) return line;
  if (message === null || typeof message !== 'object') return `${level} ${message}`;
  if (isExpected(level, message)) return undefined;
  if (!Array.isArray(message.error)) return `${level} ${JSON.stringify(message)}`;
  return [
    `${level} ${JSON.stringify({ ...message, error: undefined })}`,
    ...failureLines(message.error),
  ].join('\n');
};

/**
 * Writes a line per response, and what functions log, except expected and repeated lines.
 * @param write called with whole lines
 */
export const createRequestLog = (
  write: (text: string) => void,
  isColored = false,
  now = Date.now,
) => {
  /** Webhook name → when its failure was written. */
  const failed = new Map<string, number>();
  const isRepetition = (line: string): boolean => {
    const { webhook, outcome } = jsonOrUndefined(line)?.message ?? {};
    if (outcome !== 'retried') return false;
    if (now() - (failed.get(webhook) ?? Number.NEGATIVE_INFINITY) < quiet) return true;
    failed.set(webhook, now());
    return false;
  };
  return {
    onResponse: ({ method, target, status, body, milliseconds }: LoggedResponse): void => {
      const code: string | undefined =
        status >= 400 ? jsonOrUndefined(body.toString())?.code : undefined;
      const text = isColored
        ? styleText(colorOf(status), `${status}`, { validateStream: false })
        : status;
      write(
        `${[`${text} ${method} ${target}`, code, `${milliseconds} ms`].filter(Boolean).join(' · ')}\n`,
      );
    },

    /** @param text whole lines that functions logged */
    log: (text: string): void => {
      for (const line of text.trimEnd().split('\n')) {
        const written = isRepetition(line) ? undefined : messageOf(line);
        if (written !== undefined) write(`${written}\n`);
      }
    },
  };
};

export type RequestLog = ReturnType<typeof createRequestLog>;
