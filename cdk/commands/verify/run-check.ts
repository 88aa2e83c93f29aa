import { setTimeout as sleep } from 'node:timers/promises';
import { askOf, type Check, type Expected, type Question } from './check.ts';
import { gone, isGone, judge } from './compare.ts';
import { type Made, NotThere } from './created.ts';
import type { Answer, Send } from './send.ts';

/** How one check ended. */
export interface Result {
  readonly outcome: 'ok' | 'settled' | 'FAILED' | 'not asked';
  readonly name: string;
  readonly text?: string;
}

export type Tell = (result: Result) => void;

/** How long a run waits for what is eventually consistent. */
export interface Retry {
  /** Of a check of an index. */
  readonly attempts: number;
  /** Milliseconds between them, and between the first rounds of cleaning up. */
  readonly pause: number;
}

const describe = ({ name }: Check, ask: { method: string; path: string }) =>
  name.includes(ask.path) ? '' : `${ask.method} ${ask.path} `;

/** Asks, and tells how the answer is. @throws when no answer comes, or what is asked with is not there */
export const runCheck = async (
  check: Check,
  send: Send,
  made: Made,
  tell: Tell,
  { attempts, pause }: Retry,
): Promise<void> => {
  const { name, eventually, source, keep, mayBeGone } = check;
  const ask = askOf(check, made);
  const faultsOf = (answer: Answer) => {
    if (mayBeGone && isGone(answer)) return judge(answer, gone);
    const expected: Expected = typeof check.expect === 'function' ? check.expect(made) : check.expect;
    return judge(answer, expected);
  };
  let answer = await send(ask);
  for (let attempt = 1; eventually && attempt < attempts && faultsOf(answer).length > 0; attempt++) {
    await sleep(pause);
    answer = await send(ask);
  }
  const faults = faultsOf(answer);
  // Also what should not have been made is known, and removed.
  if (answer.status < 300 && answer.body) keep?.(answer, made);
  const text = describe(check, ask) + faults.join('; ') + (source ? ` (${source})` : '');
  tell(faults.length > 0 ? { outcome: 'FAILED', name, text } : { outcome: 'ok', name });
};

/** Nobody is there, or the run was stopped: that settles nothing. */
const isNowhere = (error: unknown): boolean => {
  const { cause } = error as { cause?: { code?: string } };
  return !['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(cause?.code ?? '');
};

/** Asks, and tells which of the right answers it is. */
export const runQuestion = async (question: Question, send: Send, tell: Tell): Promise<void> => {
  const { name, doubt, ask, answers, cut } = question;
  const answer = await send(ask).catch((error: unknown) => {
    if (cut === undefined || isNowhere(error)) throw error;
    return undefined;
  });
  if (!answer) return tell({ outcome: 'settled', name, text: `${cut} (${doubt})` });
  const found = answers.find(({ expect }) => judge(answer, expect).length === 0);
  if (found) return tell({ outcome: 'settled', name, text: `${found.means} (${doubt})` });
  const text = answers.map(({ means, expect }) => `not "${means}": ${judge(answer, expect).join('; ')}`).join('. ');
  tell({ outcome: 'FAILED', name, text: `none of the answers that are right. ${text} (${doubt})` });
};

/** Runs what is asked, and says what came of it also when that is no answer at all. */
export const guarded = async (
  name: string,
  tell: Tell,
  work: () => Promise<void>,
  signal?: AbortSignal,
): Promise<void> => {
  if (signal?.aborted) return;
  try {
    await work();
  } catch (error) {
    const { message, cause } = error as Error;
    const text = cause instanceof Error ? `${message}: ${cause.message}` : message;
    tell({ outcome: error instanceof NotThere || signal?.aborted ? 'not asked' : 'FAILED', name, text });
  }
};
