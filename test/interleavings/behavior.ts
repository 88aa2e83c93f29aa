import { ApiError, type ErrorName } from '../../lib/errors.ts';
import { withinRequest } from '../../lib/request-context.ts';
import type { Command } from './dynamodb.ts';
import { numberOf } from './table.ts';
import { allWait, runIn, type VirtualProcess } from './virtual-process.ts';

/** `number` counts the operation's calls. */
export interface Call {
  readonly number: number;
  readonly command: Command;
}

/** The response to a call, or the next timer fires. */
export type Event = 'timer' | Response;
type Response =
  | { readonly call: number; readonly output: unknown }
  | { readonly call: number; readonly error: unknown };

/** It waits for `calls` or a timer, or has a `result`. */
export interface Situation {
  readonly events: readonly Event[];
  readonly calls: readonly Call[];
  readonly result: { readonly body?: unknown; readonly error?: ErrorName } | undefined;
  /** A defect: not an ApiError. */
  readonly unexpectedError: unknown;
  /** With the state of the process, the responses so far alone decide the next steps. */
  readonly received: string;
  /** The text of one more event → the situation after it. */
  readonly next: Map<string, Situation>;
}

/** In milliseconds: what lib/http/handle.ts leaves of a function's five seconds. */
const requestTimeout = 4500;
const requestAborted = (more = {}) =>
  Object.assign(new Error('Request aborted'), { name: 'AbortError', ...more });

const textOf = (event: Response): string => {
  if ('output' in event) return JSON.stringify(event.output);
  const { name, code, CancellationReasons } = event.error as {
    name: string;
    code?: string;
    CancellationReasons?: object;
  };
  return name + code + JSON.stringify(CancellationReasons);
};

/** The returned function delivers an event, if given, and resolves when the operation waits again. */
const execute = (process: VirtualProcess, perform: () => Promise<unknown>) => {
  let pending: (Call & { readonly receive: (event: Response) => void })[] = [];
  let calls = 0;
  let received = '';
  let outcome: Pick<Situation, 'result' | 'unexpectedError'> = {
    result: undefined,
    unexpectedError: undefined,
  };
  process.call = (command, { abortSignal }) => {
    if (abortSignal.aborted) return Promise.reject(requestAborted({ neverConnected: true }));
    const { promise, resolve, reject } = Promise.withResolvers();
    const receive = (event: Response) => {
      received += `,${numberOf(textOf(event))}`;
      pending = pending.filter(other => other !== call);
      if ('output' in event) resolve(event.output);
      else reject(event.error);
    };
    const call = { number: calls++, command, receive };
    pending = [...pending, call];
    const abort = () =>
      pending.includes(call) && receive({ call: call.number, error: requestAborted() });
    abortSignal.addEventListener('abort', abort);
    return promise;
  };
  runIn(process, () => withinRequest(requestTimeout, perform)).then(
    body => {
      outcome = { result: { body }, unexpectedError: undefined };
    },
    error => {
      outcome = {
        result: { error: error.name },
        unexpectedError: error instanceof ApiError ? undefined : error,
      };
    },
  );
  return async (event?: Event) => {
    if (event === 'timer') process.wait();
    else if (event) pending.find(({ number }) => number === event.call)!.receive(event);
    await allWait();
    return { ...outcome, calls: pending, received };
  };
};

/**
 * Only its events decide what an operation in its own process does. Many schedules have the same events, so the situation after
 * each sequence is remembered.
 */
export const createBehavior = (process: () => VirtualProcess, perform: () => Promise<unknown>) => {
  let run: ReturnType<typeof execute> | undefined;
  let current: Situation | undefined;
  const advance = async (event?: Event): Promise<Situation> => {
    run ??= execute(process(), perform);
    const events = event ? [...current!.events, event] : [];
    current = { ...(await run(event)), events, next: new Map() };
    return current;
  };
  let beginning: Promise<Situation> | undefined;
  return {
    first: () => (beginning ??= advance()),
    after: async (situation: Situation, event: Event): Promise<Situation> => {
      const text = event === 'timer' ? event : `${event.call} ${textOf(event)}`;
      const known = situation.next.get(text);
      if (known) return known;
      if (current !== situation) {
        run = undefined;
        for (const earlier of [undefined, ...situation.events]) await advance(earlier);
        if (current!.received !== situation.received)
          throw new Error('An operation executed again differs: something is not deterministic');
      }
      const next = await advance(event);
      situation.next.set(text, next);
      return next;
    },
  };
};

export type Behavior = ReturnType<typeof createBehavior>;
