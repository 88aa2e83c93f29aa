import { ApiError, type ErrorName } from '../../lib/errors.ts';
import { withinRequest } from '../../lib/request-context.ts';
import type { Command } from './dynamodb/in-memory.ts';
import { numberOf } from './dynamodb/table.ts';
import { type Fault, requestAborted } from './faults.ts';
import { type Process, processes } from './virtual.ts';

/** How long a request may take, in milliseconds: what lib/http/handle.ts leaves of a function's five seconds. */
const requestTimeout = 4500;

/** The result of an operation. */
export interface OperationResult {
  readonly body?: unknown;
  readonly error?: ErrorName;
}

/** A call to DynamoDB that waits until the scheduler executes it or injects a fault. */
export interface PendingCall {
  readonly command: Command;
  readonly signal: AbortSignal;
  readonly respond: (output: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** The moment at which an operation started: the scheduler took its first step. */
export interface StartPoint {
  /** The actors that had completed. */
  readonly after: readonly Actor[];
  /** How many writes had been committed. */
  readonly writesBefore: number;
  /** The items for which the indexes lagged. */
  readonly laggingItems: readonly string[];
}

interface ServiceError {
  readonly name: string;
  readonly CancellationReasons?: object[];
}
const textOfError = ({ name, CancellationReasons }: ServiceError) =>
  CancellationReasons ? JSON.stringify(CancellationReasons) : name;

/** One running operation, in a process of its own. */
export class Actor {
  readonly label: string;
  readonly process: Process;
  readonly pendingCalls: PendingCall[] = [];
  result: OperationResult | undefined;
  /** An error that is no ApiError: a defect. */
  unexpectedError: unknown;
  startPoint: StartPoint | undefined;
  /** The fault of all its calls from some step on. */
  permanentFault: Fault | undefined;
  /** The responses that it received, as numbers of texts. Its next steps depend only on them and on its process. */
  private received = '';

  constructor(label: string, process: Process) {
    this.label = label;
    this.process = process;
    process.call = (command, { abortSignal }) => this.intercept(command, abortSignal);
  }

  start(perform: () => Promise<unknown>) {
    processes
      .run(this.process, () => withinRequest(requestTimeout, perform))
      .then(
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
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(requestAborted());
      let isPending = true;
      const record = (text: string) => {
        this.received += `,${numberOf(text)}`;
        isPending = false;
      };
      const call: PendingCall = {
        ...{ command, signal },
        respond: output => {
          record(JSON.stringify(output));
          resolve(output);
        },
        fail: error => {
          record(textOfError(error as ServiceError));
          reject(error);
        },
      };
      signal.addEventListener('abort', () => {
        if (!isPending) return;
        this.release(call);
        call.fail(requestAborted());
      });
      this.pendingCalls.push(call);
    });
  }

  release(call: PendingCall) {
    if (this.pendingCalls.includes(call)) this.pendingCalls.splice(this.pendingCalls.indexOf(call), 1);
  }

  /** Equal for actors that have the same possible next steps. */
  get fingerprint(): string {
    const { after, writesBefore, laggingItems } = this.startPoint ?? {};
    return `${this.received};${after?.map(({ label }) => label)};${writesBefore};${laggingItems};${this.permanentFault}`;
  }
}
