import { ApiError, type ErrorName } from '../../lib/errors.ts';
import { withinRequest } from '../../lib/request-context.ts';
import type { Command } from './dynamodb.ts';
import { numberOf } from './table.ts';
import { allWait, runIn, type VirtualProcess } from './virtual-process.ts';

/** A call to DynamoDB that waits for its response. Calls are numbered in the order in which the operation makes them. */
export interface Call {
  readonly number: number;
  readonly command: Command;
}

/** What an operation notices: the response to one of its calls, or that its next timer fires. */
export type Event =
  | 'timer'
  | { readonly call: number; readonly output: unknown }
  | { readonly call: number; readonly error: unknown };

/** What an operation has done after some events: it waits for calls or for a timer, or has a result. */
export interface Situation {
  readonly events: readonly Event[];
  readonly calls: readonly Call[];
  readonly result: { readonly body?: unknown; readonly error?: ErrorName } | undefined;
  /** An error that is no ApiError: a defect. */
  readonly unexpectedError: unknown;
  /** The responses, as numbers of texts. What the operation does next depends only on them and on its process. */
  readonly received: string;
  /** The situations after one more event, by its text. */
  readonly next: Map<string, Situation>;
}

/** How long a request may take, in milliseconds: what lib/http/handle.ts leaves of a function's five seconds. */
const requestTimeout = 4500;
const requestAborted = () => Object.assign(new Error('Request aborted'), { name: 'AbortError' });

const textOf = (event: Exclude<Event, 'timer'>): string => {
  if ('output' in event) return JSON.stringify(event.output);
  const { name, CancellationReasons } = event.error as { name: string; CancellationReasons?: object };
  return name + JSON.stringify(CancellationReasons);
};

interface PendingCall extends Call {
  readonly receive: (event: Exclude<Event, 'timer'>) => void;
}

/** One execution of an operation by the model. */
class Execution {
  situation!: Situation;
  private readonly process: VirtualProcess;
  private pending: PendingCall[] = [];
  private calls = 0;
  private result: Situation['result'];
  private unexpectedError: unknown;
  private received = '';

  constructor(process: VirtualProcess, perform: () => Promise<unknown>) {
    this.process = process;
    process.call = (command, { abortSignal }) => this.intercept(command, abortSignal);
    runIn(process, () => withinRequest(requestTimeout, perform)).then(
      body => {
        this.result = { body };
      },
      error => {
        this.result = { error: error.name };
        if (!(error instanceof ApiError)) this.unexpectedError = error;
      },
    );
  }

  private intercept(command: Command, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) return Promise.reject(requestAborted());
    const { promise, resolve, reject } = Promise.withResolvers();
    const number = this.calls++;
    const receive = (event: Exclude<Event, 'timer'>) => {
      this.received += `,${numberOf(textOf(event))}`;
      this.pending = this.pending.filter(other => other !== call);
      if ('output' in event) resolve(event.output);
      else reject(event.error);
    };
    const call = { number, command, receive };
    this.pending = [...this.pending, call];
    const abort = () => this.pending.includes(call) && receive({ call: number, error: requestAborted() });
    signal.addEventListener('abort', abort);
    return promise;
  }

  /** Lets the operation run until it waits. @param event undefined for the first time */
  async run(event?: Event): Promise<Situation> {
    if (event === 'timer') this.process.wait();
    else if (event) this.pending.find(({ number }) => number === event.call)!.receive(event);
    await allWait();
    const { pending: calls, result, unexpectedError, received } = this;
    const events = event ? [...this.situation.events, event] : [];
    this.situation = { events, calls, result, unexpectedError, received, next: new Map() };
    return this.situation;
  }
}

/**
 * An operation in a process of its own. What it does depends on nothing but the events, so the model executes it once for
 * each sequence of events, however many schedules have this sequence.
 */
export class Behavior {
  private readonly start: () => Execution;
  private execution: Execution | undefined;
  private beginning: Promise<Situation> | undefined;

  constructor(process: () => VirtualProcess, perform: () => Promise<unknown>) {
    this.start = () => new Execution(process(), perform);
  }

  first(): Promise<Situation> {
    this.execution ??= this.start();
    this.beginning ??= this.execution.run();
    return this.beginning;
  }

  async after(situation: Situation, event: Event): Promise<Situation> {
    const text = event === 'timer' ? event : `${event.call} ${textOf(event)}`;
    const known = situation.next.get(text);
    if (known) return known;
    if (this.execution?.situation !== situation) {
      this.execution = this.start();
      for (const earlier of [undefined, ...situation.events]) await this.execution.run(earlier);
      if (this.execution.situation.received !== situation.received)
        throw new Error('An operation executed again differs: something is not deterministic');
    }
    const next = await this.execution.run(event);
    situation.next.set(text, next);
    return next;
  }
}
