import { setImmediate as nextTurn } from 'node:timers/promises';
import { Actor, type PendingCall } from './actor.ts';
import { type Change, checkChange } from './check-events.ts';
import { checkInvariants } from './check-invariants.ts';
import { throttled, transactionConflict } from './dynamodb/errors.ts';
import type { Command, ExecutionOptions } from './dynamodb/in-memory.ts';
import { canInject, connectionLost, type Fault, type Faults, hasNoEffect, isWrite, textOfFault } from './faults.ts';
import { textOf } from './text.ts';
import type { Process } from './virtual.ts';

/** The database that executes the calls: the in-memory table or a real engine. */
export interface Store {
  send(command: Command, options?: ExecutionOptions): unknown;
  /** The writes of a transaction whose conditions fail now. */
  rejectedWrites(command: Command): number[];
  readonly fingerprint?: string;
  readonly table?: { readonly history: readonly Change[]; readonly replicas?: Replicas | undefined };
}

interface Replicas {
  readonly index: LaggingReplica;
  readonly replica?: LaggingReplica | undefined;
}
interface LaggingReplica {
  readonly laggingItems: string[];
  applyNext(name: string): void;
}

export interface Step {
  readonly text: () => string;
  readonly act: () => unknown;
}

/** The kinds of fault that were injected in this process: a kind that never is proves nothing. */
export const injected = new Set<Fault>();

/**
 * Concurrent operations. All are blocked until the scheduler takes one of `steps`; then they run until all are blocked
 * again.
 */
export class Run {
  readonly actors: readonly Actor[];
  readonly store: Store;
  private readonly faults: Faults;
  private readonly onlyInvariants: boolean;
  private readonly stepsTaken: Step[] = [];
  private injectedFaults = 0;
  /** Committed writes whose events were checked. */
  private checkedChanges = 0;
  /** Calls that their sender aborted and that may still arrive. */
  private lateCalls: { readonly actor: Actor; readonly command: Command }[] = [];

  /** @param onlyInvariants whether a step is checked by what the publisher checks alone */
  constructor(store: Store, processes: readonly Process[], faults: Faults, onlyInvariants = false) {
    this.store = store;
    this.faults = faults;
    this.onlyInvariants = onlyInvariants;
    this.actors = processes.map((process, index) => new Actor('ABCD'[index]!, process));
  }

  async start(operations: readonly (() => Promise<unknown>)[]) {
    for (const [index, perform] of operations.entries()) this.actors[index]!.start(perform);
    await this.runUntilBlocked();
  }

  /** Runs until each operation has completed or waits for a call. Timers fire at once, in virtual time. */
  private async runUntilBlocked() {
    for (;;) {
      await nextTurn();
      const failing = this.actors.find(
        ({ permanentFault, pendingCalls }) => permanentFault && hasNoEffect(permanentFault) && pendingCalls.length > 0,
      );
      const waiting = this.actors.find(({ result, pendingCalls }) => !result && pendingCalls.length === 0);
      if (failing) await this.inject(failing.permanentFault!, failing, failing.pendingCalls[0]!);
      else if (!waiting) return;
      else if (!waiting.process.wait())
        throw new Error(`${waiting.label} waits, but no call is pending and no timer is set`);
    }
  }

  /** Whether every operation has completed. */
  get isCompleted(): boolean {
    return this.actors.every(({ result }) => result !== undefined);
  }

  /** Whether every operation has completed and no aborted call may still arrive. */
  get isFinished(): boolean {
    return this.isCompleted && this.lateCalls.length === 0;
  }

  /** The possible next steps, always in the same order. */
  steps(): Step[] {
    return [
      ...this.actors.flatMap(actor => actor.pendingCalls.flatMap(call => this.stepsOf(actor, call))),
      ...this.lateCalls.map(call => ({
        text: () => `${call.actor.label}  ${textOf(call.command)} arrives late`,
        act: async () => {
          this.lateCalls = this.lateCalls.filter(other => other !== call);
          await this.execute(call.command).catch(() => undefined);
        },
      })),
      ...this.replicationSteps('the indexes apply', this.store.table?.replicas?.index),
      ...this.replicationSteps('the replica applies', this.store.table?.replicas?.replica),
    ];
  }

  private replicationSteps(what: string, replica: LaggingReplica | undefined): Step[] {
    if (!replica || this.isCompleted) return [];
    return replica.laggingItems.map(name => ({
      text: () => `   ${what} the next write of ${textOf(name)}`,
      act: () => replica.applyNext(name),
    }));
  }

  private stepsOf(actor: Actor, call: PendingCall): Step[] {
    const release = (how: string, act: () => unknown): Step => ({
      text: () => `${actor.label}  ${textOf(call.command)} ${how}`,
      act: () => {
        this.recordStart(actor);
        actor.release(call);
        return act();
      },
    });
    const injecting = (fault: keyof typeof textOfFault) =>
      release(textOfFault[fault], () => this.inject(fault, actor, call));
    if (actor.permanentFault && canInject(actor.permanentFault, call.command))
      return [injecting(actor.permanentFault as keyof typeof textOfFault)];

    const isExhausted = this.injectedFaults === this.faults.max;
    const stepsWith = (fault: Fault): Step[] => {
      if (fault === 'unreported') return this.partiallyReported(call, release);
      if (!canInject(fault, call.command)) return [];
      const permanent = release(`${textOfFault[fault]}, as are all its further calls`, () => {
        actor.permanentFault = fault;
        return this.inject(fault, actor, call);
      });
      return [injecting(fault), ...(this.faults.permanent.includes(fault) ? [permanent] : [])];
    };
    const faultSteps = (isExhausted ? [] : this.faults.kinds).flatMap(fault =>
      stepsWith(fault).map(step => ({ ...step, fault })),
    );
    const counted = faultSteps.map(({ fault, text, act }) => ({
      text,
      act: () => {
        this.injectedFaults += 1;
        injected.add(fault);
        return act();
      },
    }));
    return [release('is executed', () => this.deliver(call)), ...counted];
  }

  private partiallyReported(call: PendingCall, release: (how: string, act: () => unknown) => Step): Step[] {
    const rejected = this.store.rejectedWrites(call.command);
    const manners: ExecutionOptions[] = [
      ...(rejected.length > 1 ? rejected.map(reportOnly => ({ reportOnly })) : []),
      ...(rejected.length > 0 ? [{ withoutItems: true }] : []),
    ];
    return manners.map(manner =>
      release(`is rejected, and reported ${JSON.stringify(manner)}`, () => this.deliver(call, manner)),
    );
  }

  private recordStart(actor: Actor) {
    actor.startPoint ??= {
      after: this.actors.filter(({ result }) => result !== undefined),
      writesBefore: this.store.table?.history.length ?? 0,
      laggingItems: this.store.table?.replicas?.index.laggingItems ?? [],
    };
  }

  private async execute(command: Command, options?: ExecutionOptions): Promise<unknown> {
    return this.store.send(command, options);
  }

  private async deliver(call: PendingCall, options?: ExecutionOptions) {
    try {
      call.respond(await this.execute(call.command, options));
    } catch (error) {
      call.fail(error);
    }
  }

  private async inject(fault: Fault, actor: Actor, call: PendingCall) {
    actor.release(call);
    if (fault === 'conflict')
      call.fail(transactionConflict(isWrite(call.command) ? call.command.input.TransactItems!.length : 0));
    if (fault === 'throttle') call.fail(throttled());
    if (fault === 'cutAfter') await this.execute(call.command).catch(() => undefined);
    if (fault === 'cutBefore' || fault === 'cutAfter') call.fail(connectionLost());
    if (fault === 'late') {
      this.lateCalls.push({ actor, command: call.command });
      while (!call.signal.aborted) if (!actor.process.wait()) throw new Error('A call without a timeout');
    }
  }

  async take(step: Step) {
    this.stepsTaken.push(step);
    await step.act();
    for (const change of this.store.table?.history.slice(this.checkedChanges) ?? []) {
      checkInvariants(change);
      if (!this.onlyInvariants) checkChange(change);
    }
    this.checkedChanges = this.store.table?.history.length ?? 0;
    await this.runUntilBlocked();
  }

  /** The steps taken, one per line. */
  get trace(): string {
    return this.stepsTaken.map(({ text }) => text()).join('\n');
  }

  /** Equal for runs that have the same possible futures. */
  get fingerprint(): string {
    const late = this.lateCalls.map(({ actor, command }) => `${actor.label}${JSON.stringify(command.input)}`).sort();
    return `${this.store.fingerprint}|${this.actors.map(actor => actor.fingerprint).join('|')}|${late}|${this.injectedFaults}`;
  }
}
