import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, type Expected, type OpenQuestion, requestOf } from './check.ts';
import { compareResponse, gone, isGone } from './compare.ts';
import { type Created, SkippedError } from './created.ts';
import type { ApiResponse, Send } from './send.ts';

/** The outcome of an open question: `local` is the response of a server of this machine, which shows nothing about AWS. */
export type Observed = 'observed' | 'local';

/** The result of one check. */
export interface Result {
  readonly outcome: 'ok' | Observed | 'FAILED' | 'skipped';
  readonly name: string;
  readonly text?: string;
}

export type OnResult = (result: Result) => void;

/** How long a run waits for the indexes. */
export interface Retry {
  /** Attempts of a check that reads an index. */
  readonly attempts: number;
  /** Milliseconds between attempts, and between the first rounds of the clean-up. */
  readonly pause: number;
}

const describe = ({ name }: Check, request: { method: string; path: string }) =>
  name.includes(request.path) ? '' : `${request.method} ${request.path} `;

/** Sends the request of a check and compares the response. @throws when there is no response @throws {SkippedError} */
export const runCheck = async (
  check: Check,
  send: Send,
  created: Created,
  onResult: OnResult,
  { attempts, pause }: Retry,
): Promise<void> => {
  const { name, eventually, source, keep, mayBeGone } = check;
  const request = requestOf(check, created);
  const differencesOf = (response: ApiResponse) => {
    if (mayBeGone && isGone(response)) return compareResponse(response, gone);
    const expected: Expected = typeof check.expect === 'function' ? check.expect(created) : check.expect;
    return compareResponse(response, expected);
  };
  let response = await send(request);
  for (let attempt = 1; eventually && attempt < attempts && differencesOf(response).length > 0; attempt++) {
    await sleep(pause);
    response = await send(request);
  }
  const differences = differencesOf(response);
  // Note also what should not have been created: it is removed.
  if (response.status < 300 && response.body) keep?.(response, created);
  const text = describe(check, request) + differences.join('; ') + (source ? ` (${source})` : '');
  onResult(differences.length > 0 ? { outcome: 'FAILED', name, text } : { outcome: 'ok', name });
};

/** Nothing listens there, or the run was stopped: that shows nothing. */
const isUnreachable = (error: unknown): boolean => {
  const { cause } = error as { cause?: { code?: string } };
  return !['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(cause?.code ?? '');
};

/** Sends the request of an open question, and reports which of the correct responses comes. */
export const runOpenQuestion = async (
  question: OpenQuestion,
  send: Send,
  onResult: OnResult,
  observed: Observed = 'observed',
): Promise<void> => {
  const { name, doubt, request, responses, cut } = question;
  const response = await send(request).catch((error: unknown) => {
    if (cut === undefined || isUnreachable(error)) throw error;
    return undefined;
  });
  if (!response) return onResult({ outcome: observed, name, text: `${cut} (${doubt})` });
  const found = responses.find(({ expect }) => compareResponse(response, expect).length === 0);
  if (found) return onResult({ outcome: observed, name, text: `${found.means} (${doubt})` });
  const text = responses
    .map(({ means, expect }) => `not "${means}": ${compareResponse(response, expect).join('; ')}`)
    .join('. ');
  onResult({ outcome: 'FAILED', name, text: `none of the correct responses. ${text} (${doubt})` });
};

/** Runs a step, and reports an exception as its result. */
export const guarded = async (
  name: string,
  onResult: OnResult,
  work: () => Promise<void>,
  signal?: AbortSignal,
): Promise<void> => {
  if (signal?.aborted) return;
  try {
    await work();
  } catch (error) {
    const { message, cause } = error as Error;
    const text = cause instanceof Error ? `${message}: ${cause.message}` : message;
    onResult({ outcome: error instanceof SkippedError || signal?.aborted ? 'skipped' : 'FAILED', name, text });
  }
};
