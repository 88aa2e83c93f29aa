import { setImmediate as nextTurn } from 'node:timers/promises';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { ApiError, type ErrorName } from '../../lib/errors.ts';
import { withinRequest } from '../../lib/request-context.ts';
import type { Command, Manner } from './dynamodb/in-memory.ts';
import { conflicting, throttled } from './dynamodb/refusals.ts';
import { numberOf } from './dynamodb/table.ts';
import { textOf } from './text.ts';
import { type Process, processes } from './virtual.ts';

/** How long a request may take, in milliseconds: what lib/http/handle.ts leaves of a function's five seconds. */
const patience = 4500;

/** What an operation came to. */
export interface Answer {
  readonly body?: unknown;
  readonly error?: ErrorName;
}

/**
 * What can happen to a call beside being carried out. `conflict`, `throttle`: refused, and nothing written. `cutBefore`,
 * `cutAfter`: the connection breaks before it arrives, or before its answer does. `late`: it is given up when its time
 * is over, and arrives afterwards, at any step. `unreported`: of several refused writes only one is told.
 */
export type Fault = 'conflict' | 'throttle' | 'cutBefore' | 'cutAfter' | 'late' | 'unreported';

export interface Faults {
  readonly kinds: readonly Fault[];
  /** How many may strike in one run. */
  readonly most: number;
  /** Those that also may strike all further calls of an operation. */
  readonly lasting: readonly Fault[];
}

export const noFaults: Faults = { kinds: [], most: 0, lasting: [] };

/** Where calls go: the in-memory table, or a real engine. */
export interface Store {
  send(command: Command, manner?: Manner): unknown;
  /** The writes of a transaction that would be refused now. */
  refusedNow?(command: Command): number[];
  readonly fingerprint?: string;
  readonly table?: { readonly followers?: Followers | undefined };
}

interface Followers {
  readonly index: Follower;
  readonly replica: Follower;
}
interface Follower {
  readonly waiting: string[];
  catchUp(name: string): void;
}

interface Held {
  readonly command: Command;
  readonly signal: AbortSignal;
  readonly answer: (output: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** One operation under way. */
export interface Actor {
  readonly letter: string;
  readonly process: Process;
  readonly held: Held[];
  answer?: Answer;
  /** A defect: it ended with something that no caller may see. */
  failure?: unknown;
  /** What it has been told so far, as numbers of texts: with its process, this is all that it knows. */
  told: string;
  /** Those that had answered before it was heard of. */
  follows?: Actor[];
  lasting?: Fault;
}

export interface Step {
  readonly text: () => string;
  readonly act: () => unknown;
}

const says: Record<Fault, string> = {
  conflict: 'is refused for a TransactionConflict',
  throttle: 'is throttled',
  cutBefore: 'is lost on its way',
  cutAfter: 'is carried out, and its answer lost',
  late: 'stalls and is given up',
  unreported: 'is refused',
};

/** Those that neither show nor change the table. */
const traceless: readonly Fault[] = ['conflict', 'throttle', 'cutBefore'];

const isWrite = (command: Command): command is TransactWriteCommand => command instanceof TransactWriteCommand;
const writesOf = (command: Command) => (isWrite(command) ? command.input.TransactItems!.length : 0);
const applicable = (fault: Fault, command: Command) =>
  fault === 'throttle' || fault === 'cutBefore' || (isWrite(command) && fault !== 'unreported');

const cut = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
const aborted = () => Object.assign(new Error('Request aborted'), { name: 'AbortError' });

interface Refused {
  name: string;
  CancellationReasons?: { Code: string; Item?: unknown }[];
}
/** As a text, what is known of a call that failed. */
const failureText = ({ name, CancellationReasons }: Refused) =>
  CancellationReasons ? JSON.stringify(CancellationReasons) : name;

/** Operations running side by side: they stand still until one of `steps` is taken, then go on to where they wait again. */
export class Run {
  readonly actors: Actor[];
  private readonly taken: Step[] = [];
  readonly store: Store;
  private readonly faults: Faults;
  private struck = 0;
  /** Calls given up by their sender, still on their way. */
  private late: { readonly actor: Actor; readonly command: Command }[] = [];

  constructor(store: Store, processesOf: readonly Process[], faults: Faults) {
    this.store = store;
    this.faults = faults;
    this.actors = processesOf.map((process, index) => {
      const actor: Actor = { letter: 'ABCD'[index]!, process, held: [], told: '' };
      process.call = (command, { abortSignal }) => this.hold(actor, command, abortSignal);
      return actor;
    });
  }

  async start(operations: readonly (() => Promise<unknown>)[]) {
    for (const [index, perform] of operations.entries()) {
      const actor = this.actors[index]!;
      processes
        .run(actor.process, () => withinRequest(patience, perform))
        .then(
          body => {
            actor.answer = { body };
          },
          error => {
            actor.answer = { error: error.name };
            if (!(error instanceof ApiError)) actor.failure = error;
          },
        );
    }
    await this.standStill();
  }

  private hold(actor: Actor, command: Command, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(aborted());
      const held: Held = {
        ...{ command, signal },
        answer: output => {
          actor.told += `,${numberOf(JSON.stringify(output))}`;
          resolve(output);
        },
        fail: error => {
          actor.told += `,${numberOf(failureText(error as Refused))}`;
          reject(error);
        },
      };
      signal.addEventListener('abort', () => {
        if (actor.held.includes(held)) actor.held.splice(actor.held.indexOf(held), 1);
        held.fail(aborted());
      });
      actor.held.push(held);
    });
  }

  /**
   * Lets everything run until each operation has answered or waits at the door. Whoever sleeps is woken: its time passes.
   * Whoever is struck for good, and leaves no trace, is struck at once: it makes no difference to anybody when.
   */
  private async standStill() {
    for (;;) {
      await nextTurn();
      const sleeper = this.actors.find(({ answer, held }) => !answer && held.length === 0);
      const struck = this.actors.find(({ lasting, held }) => lasting && traceless.includes(lasting) && held.length > 0);
      if (struck) await this.strike(struck.lasting!, struck, struck.held.shift()!);
      else if (!sleeper) return;
      else if (!sleeper.process.wait()) throw new Error(`${sleeper.letter} waits for nothing`);
    }
  }

  get over(): boolean {
    return this.answered && this.late.length === 0;
  }

  get isDisturbed(): boolean {
    return this.struck > 0;
  }

  get answered(): boolean {
    return this.actors.every(({ answer }) => answer !== undefined);
  }

  /** What can happen next, always in the same order. */
  steps(): Step[] {
    const { index, replica } = (!this.answered && this.store.table?.followers) || {};
    return [
      ...this.actors.flatMap(actor => actor.held.flatMap(held => this.stepsOf(actor, held))),
      ...this.late.map(call => ({
        text: () => `${call.actor.letter}  ${textOf(call.command)} arrives late`,
        act: async () => {
          this.late = this.late.filter(other => other !== call);
          await this.carryOut(call.command).catch(() => undefined);
        },
      })),
      ...[index, replica].flatMap(follower =>
        (follower?.waiting ?? []).map(name => ({
          text: () =>
            `   ${follower === index ? 'the indexes show' : 'the replica shows'} the next write of ${textOf(name)}`,
          act: () => follower!.catchUp(name),
        })),
      ),
    ];
  }

  private stepsOf(actor: Actor, held: Held): Step[] {
    const letGo = (how: string, act: () => unknown): Step => ({
      text: () => `${actor.letter}  ${textOf(held.command)} ${how}`,
      act: () => {
        actor.follows ??= this.actors.filter(({ answer }) => answer !== undefined);
        actor.held.splice(actor.held.indexOf(held), 1);
        return act();
      },
    });
    const strike = (fault: Fault) => letGo(says[fault], () => this.strike(fault, actor, held));
    if (actor.lasting && applicable(actor.lasting, held.command)) return [strike(actor.lasting)];

    const steps = [letGo('is carried out', () => this.deliver(held))];
    if (this.struck === this.faults.most) return steps;
    const once = (step: Step): Step => ({
      ...step,
      act: () => {
        this.struck += 1;
        return step.act();
      },
    });
    for (const fault of this.faults.kinds) {
      if (fault === 'unreported') {
        const refused = this.store.refusedNow?.(held.command) ?? [];
        if (refused.length > 1) {
          for (const only of refused) {
            const how = `is refused, and of ${refused.length} refusals only that of write ${only + 1} is told`;
            steps.push(once(letGo(how, () => this.deliver(held, { only }))));
          }
        }
      } else if (applicable(fault, held.command)) {
        steps.push(once(strike(fault)));
        if (this.faults.lasting.includes(fault)) {
          const from = strike(fault);
          const lasting = () => {
            actor.lasting = fault;
            return from.act();
          };
          steps.push(once({ text: () => `${from.text()}, as all its calls from here on`, act: lasting }));
        }
      }
    }
    return steps;
  }

  private async carryOut(command: Command, manner?: Manner): Promise<unknown> {
    return this.store.send(command, manner);
  }

  private async deliver(held: Held, manner?: Manner) {
    try {
      held.answer(await this.carryOut(held.command, manner));
    } catch (error) {
      held.fail(error);
    }
  }

  private async strike(fault: Fault, actor: Actor, held: Held) {
    if (fault === 'conflict') held.fail(conflicting(writesOf(held.command)));
    if (fault === 'throttle') held.fail(throttled());
    if (fault === 'cutAfter') await this.carryOut(held.command).catch(() => undefined);
    if (fault === 'cutBefore' || fault === 'cutAfter') held.fail(cut());
    if (fault === 'late') {
      this.late.push({ actor, command: held.command });
      while (!held.signal.aborted) if (!actor.process.wait()) throw new Error('A call without a limit of time');
    }
  }

  async take(step: Step) {
    this.taken.push(step);
    await step.act();
    await this.standStill();
  }

  /** The steps taken, one a line. */
  get trace(): string {
    return this.taken.map(({ text }) => text()).join('\n');
  }

  /** Equal where everything that can follow is equal. */
  get fingerprint(): string {
    const actors = this.actors.map(
      ({ told, follows, lasting }) => `${told};${follows?.map(({ letter }) => letter) ?? '-'};${lasting ?? ''}`,
    );
    const late = this.late.map(({ actor, command }) => `${actor.letter}${JSON.stringify(command.input)}`).sort();
    return `${this.store.fingerprint}|${actors.join('|')}|${late}|${this.struck}`;
  }
}
