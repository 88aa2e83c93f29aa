import { styleText } from 'node:util';
import { jsonOrUndefined } from '../json-or-undefined.ts';

/** What the gateway knows about a request and its response. */
interface LoggedRequest {
  readonly requestId: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
}
interface LoggedResponse {
  readonly status: number;
  readonly body: string | Buffer;
  /** Whether a function returned it. Functions log their own line. */
  readonly isFromFunction: boolean;
}

export interface RequestLog {
  /** @returns what to call with the response */
  readonly onRequest: (request: LoggedRequest) => (response: LoggedResponse) => void;
  /** Takes the log output of functions, in chunks. */
  readonly log: (text: string) => void;
}

/** The fields of a function's log line (lib/http/log-request.ts) that this log uses. */
interface RequestLine {
  readonly operation: string;
  readonly status: number;
  readonly code?: string;
  readonly requestId: string;
  readonly clientId: string;
  readonly readUnits?: number;
  readonly writeUnits?: number;
  readonly coldStart?: boolean;
  readonly error?: readonly Failure[];
}
interface Failure {
  readonly name?: string;
  readonly message?: string;
  readonly stack?: readonly string[];
}

type Style = Parameters<typeof styleText>[0];

const styleOf = (status: number): Style => {
  if (status >= 500) return 'red';
  return status >= 400 ? 'yellow' : 'green';
};

const units = ({ readUnits = 0, writeUnits = 0 }: Partial<RequestLine>) =>
  [readUnits && `${readUnits} RRU`, writeUnits && `${writeUnits} WRU`].filter(Boolean).join(' ');

const codeOf = (body: string | Buffer): string | undefined => jsonOrUndefined(body.toString())?.code;

const isRequestLine = (message: unknown): message is RequestLine =>
  typeof (message as RequestLine | undefined)?.operation === 'string' && 'requestId' in (message as object);

/** The publisher's line for a batch (lib/events/log-batch.ts). `/local/events` has the events themselves. */
const isPublishLine = (message: unknown): boolean =>
  message !== null && typeof message === 'object' && 'published' in message;

/** The line of a webhook's attempt (lib/webhooks/handle-queue.ts). */
interface AttemptLine {
  readonly webhook: string;
  readonly eventId?: string;
  readonly attempt: number;
  readonly outcome: string;
  readonly status?: number;
  readonly error?: string;
  readonly retryInSeconds?: number;
}

const isAttemptLine = (message: unknown): message is AttemptLine =>
  message !== null && typeof message === 'object' && 'webhook' in message;

const attemptText = ({ webhook, eventId, attempt, outcome, status, error, retryInSeconds }: AttemptLine) => {
  const next = retryInSeconds === undefined ? outcome : `${outcome} in ${retryInSeconds} s`;
  return [`webhook ${webhook}: ${status ?? error}`, next, `attempt ${attempt}`, eventId].filter(Boolean).join(' · ');
};

/** An error and its causes, each with its stack trace. */
const failureLines = (failure: readonly Failure[] = []) =>
  failure.flatMap(({ name, message, stack = [] }, index) => [
    `  ${index > 0 ? 'caused by ' : ''}${name}${message ? `: ${message}` : ''}`,
    ...stack,
  ]);

/**
 * Logs as text. Writes a line for each request, also for those that the gateway responds to: status, method, path, error
 * code, client, request units, milliseconds. Failed attempts of webhooks have one line each. Other output of functions is
 * written as it is.
 * @param write called with whole lines
 */
export const createTextLog = (write: (text: string) => void, color = false): RequestLog => {
  const pending = new Map<string, LoggedRequest & { readonly at: number }>();
  let rest = '';

  const writeRequest = (request: (LoggedRequest & { at: number }) | undefined, line: Partial<RequestLine>) => {
    const status = line.status ?? 0;
    const coloredStatus = color ? styleText(styleOf(status), String(status), { validateStream: false }) : status;
    const details = [
      line.code,
      line.clientId,
      units(line),
      request && `${Math.round(performance.now() - request.at)} ms`,
      line.coldStart && 'cold start',
    ];
    const operation = request ? `${request.method} ${request.target}` : line.operation;
    const summary = [`${coloredStatus} ${operation}`, ...details.filter(Boolean)].join(' · ');
    write(`${[summary, ...failureLines(line.error)].join('\n')}\n`);
  };

  const writeLine = (line: string) => {
    const { level, message } = jsonOrUndefined(line) ?? {};
    if (message === undefined) return write(`${line}\n`);
    if (level === 'INFO' && (isPublishLine(message) || isAttemptLine(message))) return;
    if (isAttemptLine(message)) return write(`${level} ${attemptText(message)}\n`);
    if (!isRequestLine(message))
      return write(`${level} ${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    writeRequest(pending.get(message.requestId), message);
    pending.delete(message.requestId);
  };

  return {
    onRequest: request => {
      const timed = { ...request, at: performance.now() };
      pending.set(request.requestId, timed);
      return ({ status, body, isFromFunction }) => {
        if (isFromFunction) return;
        pending.delete(request.requestId);
        const code = status >= 400 ? codeOf(body) : undefined;
        writeRequest(timed, { status, ...(code !== undefined && { code }), clientId: 'from the gateway' });
      };
    },
    log: text => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) writeLine(line);
    },
  };
};

/**
 * Logs as JSON: the output of functions as it is, and a line of the same format for each request that the gateway responds to
 * (on AWS it is in the access log).
 */
export const createJsonLog = (write: (text: string) => void): RequestLog => ({
  onRequest:
    ({ requestId, method, target }) =>
    ({ status, body, isFromFunction }) => {
      if (isFromFunction) return;
      const message = { gateway: true, status, code: codeOf(body), requestId, method, target };
      write(`${JSON.stringify({ timestamp: new Date().toISOString(), level: 'INFO', requestId, message })}\n`);
    },
  log: write,
});
