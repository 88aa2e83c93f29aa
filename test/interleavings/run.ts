import { setImmediate as nextTurn } from 'node:timers/promises';
import { Actor, type Held } from './actor.ts';
import { type Change, checkChange } from './check-events.ts';
import { conflicting, throttled } from './dynamodb/errors.ts';
import type { Command, Manner } from './dynamodb/in-memory.ts';
import { canStrike, connectionLost, type Fault, type Faults, isTraceless, isWrite, says } from './faults.ts';
import { textOf } from './text.ts';
import type { Process } from './virtual.ts';

/** Where calls go: the in-memory table, or a real engine. */
export interface Store {
  send(command: Command, manner?: Manner): unknown;
  /** The writes of a transaction that would be refused now. */
  refusedNow?(command: Command): number[];
  readonly fingerprint?: string;
  readonly table?: { readonly history: readonly Change[]; readonly followers?: Followers | undefined };
}

interface Followers {
  readonly index: Follower;
  readonly replica?: Follower | undefined;
}
interface Follower {
  readonly waiting: string[];
  catchUp(name: string): void;
}

export interface Step {
  readonly text: () => string;
  readonly act: () => unknown;
}

/** Operations running side by side: they stand still until one of `steps` is taken, then go on to where they wait again. */
export class Run {
  readonly actors: readonly Actor[];
  readonly store: Store;
  private readonly faults: Faults;
  private readonly taken: Step[] = [];
  private struck = 0;
  /** Committed writes whose telling was looked at. */
  private lookedAt = 0;
  /** Calls given up by their sender, still on their way. */
  private late: { readonly actor: Actor; readonly command: Command }[] = [];

  constructor(store: Store, processes: readonly Process[], faults: Faults) {
    this.store = store;
    this.faults = faults;
    this.actors = processes.map((process, index) => new Actor('ABCD'[index]!, process));
  }

  async start(operations: readonly (() => Promise<unknown>)[]) {
    for (const [index, perform] of operations.entries()) this.actors[index]!.start(perform);
    await this.standStill();
  }

  /** Lets everything run until each operation has answered or waits at the door. Whoever sleeps is woken: its time passes. */
  private async standStill() {
    for (;;) {
      await nextTurn();
      const doomed = this.actors.find(({ lasting, held }) => lasting && isTraceless(lasting) && held.length > 0);
      const sleeper = this.actors.find(({ answer, held }) => !answer && held.length === 0);
      if (doomed) await this.strike(doomed.lasting!, doomed, doomed.held[0]!);
      else if (!sleeper) return;
      else if (!sleeper.process.wait()) throw new Error(`${sleeper.letter} waits for nothing`);
    }
  }

  /** Whether every operation has answered. */
  get answered(): boolean {
    return this.actors.every(({ answer }) => answer !== undefined);
  }

  /** Whether nothing is under way any more. */
  get over(): boolean {
    return this.answered && this.late.length === 0;
  }

  /** What can happen next, always in the same order. */
  steps(): Step[] {
    return [
      ...this.actors.flatMap(actor => actor.held.flatMap(held => this.stepsOf(actor, held))),
      ...this.late.map(call => ({
        text: () => `${call.actor.letter}  ${textOf(call.command)} arrives late`,
        act: async () => {
          this.late = this.late.filter(other => other !== call);
          await this.carryOut(call.command).catch(() => undefined);
        },
      })),
      ...this.catchingUp('the indexes show', this.store.table?.followers?.index),
      ...this.catchingUp('the replica shows', this.store.table?.followers?.replica),
    ];
  }

  private catchingUp(shows: string, follower: Follower | undefined): Step[] {
    if (!follower || this.answered) return [];
    return follower.waiting.map(name => ({
      text: () => `   ${shows} the next write of ${textOf(name)}`,
      act: () => follower.catchUp(name),
    }));
  }

  private stepsOf(actor: Actor, held: Held): Step[] {
    const letGo = (how: string, act: () => unknown): Step => ({
      text: () => `${actor.letter}  ${textOf(held.command)} ${how}`,
      act: () => {
        this.enter(actor);
        actor.release(held);
        return act();
      },
    });
    const struckBy = (fault: keyof typeof says) => letGo(says[fault], () => this.strike(fault, actor, held));
    if (actor.lasting && canStrike(actor.lasting, held.command)) return [struckBy(actor.lasting as keyof typeof says)];

    const isSpent = this.struck === this.faults.most;
    const faulty = (isSpent ? [] : this.faults.kinds).flatMap(fault => {
      if (fault === 'unreported') return this.halfReported(held, letGo);
      if (!canStrike(fault, held.command)) return [];
      const forGood = letGo(`${says[fault]}, and so are all its calls from here on`, () => {
        actor.lasting = fault;
        return this.strike(fault, actor, held);
      });
      return [struckBy(fault), ...(this.faults.lasting.includes(fault) ? [forGood] : [])];
    });
    const counted = faulty.map(({ text, act }) => ({
      text,
      act: () => {
        this.struck += 1;
        return act();
      },
    }));
    return [letGo('is carried out', () => this.deliver(held)), ...counted];
  }

  private halfReported(held: Held, letGo: (how: string, act: () => unknown) => Step): Step[] {
    const refused = this.store.refusedNow?.(held.command) ?? [];
    if (refused.length < 2) return [];
    return refused.map(only =>
      letGo(`is refused, and of ${refused.length} refusals only that of write ${only + 1} is told`, () =>
        this.deliver(held, { only }),
      ),
    );
  }

  private enter(actor: Actor) {
    actor.entrance ??= {
      after: this.actors.filter(({ answer }) => answer !== undefined),
      writes: this.store.table?.history.length ?? 0,
      unseen: this.store.table?.followers?.index.waiting ?? [],
    };
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
    actor.release(held);
    if (fault === 'conflict')
      held.fail(conflicting(isWrite(held.command) ? held.command.input.TransactItems!.length : 0));
    if (fault === 'throttle') held.fail(throttled());
    if (fault === 'cutAfter') await this.carryOut(held.command).catch(() => undefined);
    if (fault === 'cutBefore' || fault === 'cutAfter') held.fail(connectionLost());
    if (fault === 'late') {
      this.late.push({ actor, command: held.command });
      while (!held.signal.aborted) if (!actor.process.wait()) throw new Error('A call without a limit of time');
    }
  }

  async take(step: Step) {
    this.taken.push(step);
    await step.act();
    for (const change of this.store.table?.history.slice(this.lookedAt) ?? []) checkChange(change);
    this.lookedAt = this.store.table?.history.length ?? 0;
    await this.standStill();
  }

  /** The steps taken, one a line. */
  get trace(): string {
    return this.taken.map(({ text }) => text()).join('\n');
  }

  /** Equal where everything that can follow is equal. */
  get fingerprint(): string {
    const late = this.late.map(({ actor, command }) => `${actor.letter}${JSON.stringify(command.input)}`).sort();
    return `${this.store.fingerprint}|${this.actors.map(actor => actor.fingerprint).join('|')}|${late}|${this.struck}`;
  }
}
