import { setTimeout as sleep } from 'node:timers/promises';
import { jsonOrUndefined } from '../shared/json-or-undefined.ts';

/** Whose token a request carries: the client's own, one of it that is narrowed to a single scope, or one whose life is over. */
export type Who = 'nobody' | 'client' | 'catalog' | 'orders' | 'expired';

/** One request of a check, as plain data. */
export interface Ask {
  readonly method: string;
  /** Below the stage's address, or an absolute address. */
  readonly path: string;
  readonly as?: Who;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** As it came, decompressed. */
  readonly text: string;
  /** Parsed where it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: checks say what bodies are
  readonly body: any;
  readonly milliseconds: number;
}

export type Send = (ask: Ask) => Promise<Answer>;

export interface Sender {
  /** Without a slash at its end. */
  readonly base: string;
  readonly tokens: ReadonlyMap<Who, string>;
  /** Is given each 429 that came on the way. */
  readonly refused?: (answer: Answer) => void;
  /** No request is begun after it; one that is under way gets its answer, so that what it made is known. */
  readonly signal?: AbortSignal | undefined;
}

/** How often a request that was refused with 429 or 503 is sent. A stage takes one or two a second of each method. */
const patience = 30;

/** Milliseconds until an answer that does not come counts as none; the gateway waits for less. */
const timeout = 35_000;

const bodyOf = (body: unknown): string | Uint8Array<ArrayBuffer> | undefined => {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array)
    return body as string | Uint8Array<ArrayBuffer>;
  return JSON.stringify(body);
};

/** Sends a request once. @throws when no answer comes */
export const sendOnce = async ({ base, tokens }: Sender, ask: Ask): Promise<Answer> => {
  const token = tokens.get(ask.as ?? 'nobody');
  const body = bodyOf(ask.body);
  const headers = {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...ask.headers,
  };
  const startedAt = performance.now();
  const response = await fetch(/^https?:/.test(ask.path) ? ask.path : base + ask.path, {
    method: ask.method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout),
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const milliseconds = performance.now() - startedAt;
  return { status: response.status, headers: response.headers, text, body: jsonOrUndefined(text), milliseconds };
};

/** Sends requests, and sends one again that the throttle refused: to wait is no fault of a stage. */
export const createSend = (sender: Sender): Send => {
  const send = async (ask: Ask, tries: number): Promise<Answer> => {
    if (sender.signal?.aborted) throw new Error('stopped');
    const answer = await sendOnce(sender, ask);
    if (answer.status === 429) sender.refused?.(answer);
    if ((answer.status !== 429 && answer.status !== 503) || tries <= 1) return answer;
    await sleep(1000 * Number(answer.headers.get('Retry-After') ?? 1));
    return send(ask, tries - 1);
  };
  return ask => send(ask, patience);
};
