import { styleText } from 'node:util';

/** What the gateway knows of a request, when it comes and when it has been answered. */
export interface Arrival {
  readonly requestId: string;
  readonly method: string;
  /** With its query. */
  readonly target: string;
}
export interface Departure {
  readonly status: number;
  readonly body: string | Buffer;
  /** Whether a function has answered, which then logs a line of its own. */
  readonly byFunction: boolean;
}

/** Hears what happens, and writes lines. */
export interface RequestJournal {
  /** @returns what is told the answer */
  readonly arrive: (arrival: Arrival) => (departure: Departure) => void;
  /** Takes what functions log, in pieces. */
  readonly log: (text: string) => void;
}

/** What this journal reads of a request's line (lib/http/log-request.ts). */
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

const codeOf = (body: string | Buffer): string | undefined => {
  try {
    return JSON.parse(body.toString()).code;
  } catch {
    return undefined;
  }
};

const parsed = (line: string): { level?: string; message?: unknown } | undefined => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

const isRequestLine = (message: unknown): message is RequestLine =>
  typeof (message as RequestLine | undefined)?.operation === 'string' && 'requestId' in (message as object);

/** That changes were told (lib/events/log-batch.ts): `/local/events` shows them. */
const isTellingLine = (message: unknown): boolean =>
  message !== null && typeof message === 'object' && 'published' in message;

/** A failure and its causes, each with its trace. */
const failureLines = (failure: readonly Failure[] = []) =>
  failure.flatMap(({ name, message, stack = [] }, index) => [
    `  ${index > 0 ? 'because of ' : ''}${name}${message ? `: ${message}` : ''}`,
    ...stack,
  ]);

/**
 * Writes a line for people for each request, also for those that no function sees: status, method, path, error code,
 * caller, request units, milliseconds; and whatever else functions log.
 * @param write is given whole lines
 */
export const journalForPeople = (write: (text: string) => void, color = false): RequestJournal => {
  const waiting = new Map<string, Arrival & { readonly at: number }>();
  let rest = '';

  const writeRequest = (arrival: (Arrival & { at: number }) | undefined, line: Partial<RequestLine>) => {
    const status = line.status ?? 0;
    const shown = color ? styleText(styleOf(status), String(status), { validateStream: false }) : status;
    const details = [
      line.code,
      line.clientId,
      units(line),
      arrival && `${Math.round(performance.now() - arrival.at)} ms`,
      line.coldStart && 'cold start',
    ];
    const what = arrival ? `${arrival.method} ${arrival.target}` : line.operation;
    const words = [`${shown} ${what}`, ...details.filter(Boolean)].join(' · ');
    write(`${[words, ...failureLines(line.error)].join('\n')}\n`);
  };

  const writeLine = (line: string) => {
    const { level, message } = parsed(line) ?? {};
    if (message === undefined) return write(`${line}\n`);
    if (level === 'INFO' && isTellingLine(message)) return;
    if (!isRequestLine(message))
      return write(`${level} ${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    writeRequest(waiting.get(message.requestId), message);
    waiting.delete(message.requestId);
  };

  return {
    arrive: arrival => {
      const waits = { ...arrival, at: performance.now() };
      waiting.set(arrival.requestId, waits);
      return ({ status, body, byFunction }) => {
        if (byFunction) return;
        waiting.delete(arrival.requestId);
        const code = status >= 400 ? codeOf(body) : undefined;
        writeRequest(waits, { status, ...(code !== undefined && { code }), clientId: 'answered by the gateway' });
      };
    },
    log: text => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) writeLine(line);
    },
  };
};

/** Functions' lines in Lambda's own form; the gateway's, which AWS has in its access log, in that of the function's. */
export const journalAsJson = (write: (text: string) => void): RequestJournal => ({
  arrive:
    ({ requestId, method, target }) =>
    ({ status, body, byFunction }) => {
      if (byFunction) return;
      const message = { gateway: true, status, code: codeOf(body), requestId, method, target };
      write(`${JSON.stringify({ timestamp: new Date().toISOString(), level: 'INFO', requestId, message })}\n`);
    },
  log: write,
});
