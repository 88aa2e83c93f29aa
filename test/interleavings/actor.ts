import { ApiError, type ErrorName } from '../../lib/errors.ts';
import { withinRequest } from '../../lib/request-context.ts';
import type { Command } from './dynamodb/in-memory.ts';
import { numberOf } from './dynamodb/table.ts';
import { type Fault, givenUp } from './faults.ts';
import { type Process, processes } from './virtual.ts';

/** How long a request may take, in milliseconds: what lib/http/handle.ts leaves of a function's five seconds. */
const patience = 4500;

/** What an operation came to. */
export interface Answer {
  readonly body?: unknown;
  readonly error?: ErrorName;
}

/** A call that waits at the door. */
export interface Held {
  readonly command: Command;
  readonly signal: AbortSignal;
  readonly answer: (output: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** When an operation was first heard of. */
export interface Entrance {
  /** Those that had answered. */
  readonly after: readonly Actor[];
  /** How many writes had been carried out, and which items the indexes did not show as they were. */
  readonly writes: number;
  readonly unseen: readonly string[];
}

interface Refusal {
  readonly name: string;
  readonly CancellationReasons?: object[];
}
const textOfRefusal = ({ name, CancellationReasons }: Refusal) =>
  CancellationReasons ? JSON.stringify(CancellationReasons) : name;

/** One operation under way, in a process of its own. */
export class Actor {
  readonly letter: string;
  readonly process: Process;
  readonly held: Held[] = [];
  answer: Answer | undefined;
  /** A defect: it ended with something that no caller may see. */
  failure: unknown;
  entrance: Entrance | undefined;
  /** What strikes all of its calls from some step on. */
  lasting: Fault | undefined;
  /** What it has been told, as numbers of texts: with its process, this is all that it knows. */
  private told = '';

  constructor(letter: string, process: Process) {
    this.letter = letter;
    this.process = process;
    process.call = (command, { abortSignal }) => this.hold(command, abortSignal);
  }

  start(perform: () => Promise<unknown>) {
    processes
      .run(this.process, () => withinRequest(patience, perform))
      .then(
        body => {
          this.answer = { body };
        },
        error => {
          this.answer = { error: error.name };
          if (!(error instanceof ApiError)) this.failure = error;
        },
      );
  }

  private hold(command: Command, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(givenUp());
      let isOpen = true;
      const hear = (text: string) => {
        this.told += `,${numberOf(text)}`;
        isOpen = false;
      };
      const held: Held = {
        ...{ command, signal },
        answer: output => {
          hear(JSON.stringify(output));
          resolve(output);
        },
        fail: error => {
          hear(textOfRefusal(error as Refusal));
          reject(error);
        },
      };
      signal.addEventListener('abort', () => {
        if (!isOpen) return;
        this.release(held);
        held.fail(givenUp());
      });
      this.held.push(held);
    });
  }

  /** It waits no longer. */
  release(held: Held) {
    if (this.held.includes(held)) this.held.splice(this.held.indexOf(held), 1);
  }

  /** Equal where all that it can still do is equal. */
  get fingerprint(): string {
    const { after, writes, unseen } = this.entrance ?? {};
    return `${this.told};${after?.map(({ letter }) => letter)};${writes};${unseen};${this.lasting}`;
  }
}
