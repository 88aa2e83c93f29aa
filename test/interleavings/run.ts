import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Behavior, Call, Event, Situation } from './behavior.ts';
import { type Command, keyOf, type Report, throttled, transactionConflict } from './dynamodb.ts';
import type { LaggingReplica, Table } from './table.ts';

/** A real engine does not show its table. */
export interface Store {
  send(command: Command, report?: Report): Promise<unknown>;
  rejectedWrites(command: Command): number[];
  readonly fingerprint: string;
  readonly table?: Table;
}

/**
 * - `conflict`, `throttle`: DynamoDB rejects the call without an effect.
 * - `neverConnected`: the connection is never ready, so nothing is sent.
 * - `cutBefore`, `cutAfter`: the connection breaks before the request arrives, or before the response arrives.
 * - `late`: the caller aborts the call at its timeout, and the call arrives afterwards, at any step.
 * - `unreported`: a canceled transaction reports only one of its rejected writes, or all without their items.
 */
export const kinds = [
  'conflict',
  'throttle',
  'neverConnected',
  'cutBefore',
  'cutAfter',
  'late',
  'unreported',
] as const;
export type Fault = (typeof kinds)[number];

export interface Faults {
  readonly kinds: readonly Fault[];
  /** In one run. */
  readonly max: number;
  /** These can also hit all later calls of the operation. */
  readonly permanent?: readonly Fault[];
}

/** The tests fail if a kind was never injected. */
export const injected = new Map<Fault, number>();

const textOfFault = {
  conflict: 'is rejected with TransactionConflict',
  throttle: 'is throttled',
  neverConnected: 'is not sent',
  cutBefore: 'is lost before it arrives',
  cutAfter: 'is executed, but its response is lost',
  late: 'times out',
  unreported: 'is rejected, but not fully reported',
};

const isWrite = (command: Command): command is TransactWriteCommand =>
  command instanceof TransactWriteCommand;
/** A permanent one commutes with all other steps, so it is injected at once. */
const withoutEffect: readonly Fault[] = ['conflict', 'throttle', 'neverConnected', 'cutBefore'];
/** A read can only be throttled, or not arrive. */
const canInject = (fault: Fault, command: Command) =>
  isWrite(command) || (fault !== 'conflict' && withoutEffect.includes(fault));

const connectionLost = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
const notResolved = () =>
  Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND', neverConnected: true });
const conflictOf = (command: Command) =>
  transactionConflict(isWrite(command) ? command.input.TransactItems!.length : 0);

/** Make traces readable. */
export const nameOfId = new Map<string, string>();
const textOf = (command: Command): string => {
  const text = isWrite(command)
    ? command.input
        .TransactItems!.map(write => `${Object.keys(write)} ${keyOf(write).pk}`)
        .join(' + ')
    : JSON.stringify(Object.values(command.input));
  return `${command.constructor.name} ${text.replace(/\d{6,}/g, id => nameOfId.get(id) ?? `…${id.slice(-4)}`)}`;
};

export interface Actor {
  readonly label: string;
  readonly behavior: Behavior;
  situation: Situation;
  /** At its begin: the actors that had ended, the number of writes, and the items whose indexes lagged. */
  start?: {
    readonly after: readonly Actor[];
    readonly writes: number;
    readonly lagging: readonly string[];
  };
  /** Of all its calls from some step on. */
  permanentFault?: Fault;
}

const receive = async (actor: Actor, event: Event) => {
  actor.situation = await actor.behavior.after(actor.situation, event);
};
const hasCompleted = ({ situation }: Actor) => situation.result !== undefined;
/** Equal for actors with the same possible next steps. */
const fingerprintOf = ({ situation: { received }, start, permanentFault }: Actor) =>
  `${received};${start?.after.map(({ label }) => label)};${start?.writes};${start?.lagging};${permanentFault}`;

export interface Step {
  readonly text: () => string;
  readonly act: () => unknown;
}

/** When all operations wait, the scheduler takes one of `steps`, and they run until all wait again. */
export class Run {
  readonly actors: readonly Actor[];
  readonly store: Store;
  private readonly stepsTaken: Step[] = [];
  private readonly faults: Faults;
  private faultsLeft: number;
  /** Aborted calls that may still arrive. */
  private late: { readonly actor: Actor; readonly command: Command }[] = [];

  private constructor(store: Store, faults: Faults, actors: readonly Actor[]) {
    this.store = store;
    this.faults = faults;
    this.faultsLeft = faults.max;
    this.actors = actors;
  }

  static async begin(store: Store, faults: Faults, behaviors: readonly Behavior[]): Promise<Run> {
    const actorOf = async (behavior: Behavior, index: number): Promise<Actor> => {
      return { label: 'ABCD'[index]!, behavior, situation: await behavior.first() };
    };
    const run = new Run(store, faults, await Promise.all(behaviors.map(actorOf)));
    await run.runUntilBlocked();
    return run;
  }

  /** Until each operation has completed or waits for a call. Time is virtual, so timers fire at once. */
  private async runUntilBlocked() {
    for (;;) {
      const failing = this.actors.find(
        ({ permanentFault, situation }) =>
          permanentFault && withoutEffect.includes(permanentFault) && situation.calls.length > 0,
      );
      const waiting = this.actors.find(
        actor => !hasCompleted(actor) && actor.situation.calls.length === 0,
      );
      if (failing) await this.inject(failing.permanentFault!, failing, failing.situation.calls[0]!);
      else if (waiting) await receive(waiting, 'timer');
      else return;
    }
  }

  get isCompleted(): boolean {
    return this.actors.every(hasCompleted);
  }

  /** Completed, and no aborted call can arrive any more. */
  get isFinished(): boolean {
    return this.isCompleted && this.late.length === 0;
  }

  /** Always in the same order. */
  *steps(): Generator<Step> {
    const { index, replica } = this.store.table ?? {};
    for (const actor of this.actors)
      for (const call of actor.situation.calls) yield* this.stepsOf(actor, call);
    for (const call of this.late)
      yield {
        text: () => `${call.actor.label}  ${textOf(call.command)} arrives late`,
        act: async () => {
          this.late = this.late.filter(other => other !== call);
          await this.store.send(call.command).catch(() => undefined);
        },
      };
    yield* this.replicationOf('the indexes apply', index);
    yield* this.replicationOf('the replica applies', replica);
  }

  private replicationOf(what: string, replica: LaggingReplica | undefined): Step[] {
    if (!replica || this.isCompleted) return [];
    const stepOf = (name: string) => ({
      text: () => `   ${what} ${name}`,
      act: () => replica.applyNext(name),
    });
    return replica.laggingItems.map(stepOf);
  }

  private *stepsOf(actor: Actor, call: Call): Generator<Step> {
    const step = (how: string, act: () => unknown): Step => ({
      text: () => `${actor.label}  ${textOf(call.command)} ${how}`,
      act: () => {
        const { table } = this.store;
        actor.start ??= {
          after: this.actors.filter(hasCompleted),
          writes: table?.history.length ?? 0,
          lagging: table?.index?.laggingItems ?? [],
        };
        return act();
      },
    });
    const { permanentFault } = actor;
    if (permanentFault && canInject(permanentFault, call.command)) {
      yield step(textOfFault[permanentFault], () => this.inject(permanentFault, actor, call));
      return;
    }
    yield step('is executed', () => this.deliver(actor, call));
    const faulty = (fault: Fault, how: string, act: () => unknown) =>
      step(textOfFault[fault] + how, () => {
        this.faultsLeft -= 1;
        injected.set(fault, (injected.get(fault) ?? 0) + 1);
        return act();
      });
    const faultsOf = (fault: Fault): Step[] => {
      if (fault === 'unreported') {
        const rejected = this.store.rejectedWrites(call.command);
        const reports: Report[] = rejected.length > 1 ? rejected : [];
        if (rejected.length > 0) reports.push('without items');
        return reports.map(report =>
          faulty(fault, `: ${report}`, () => this.deliver(actor, call, report)),
        );
      }
      if (!canInject(fault, call.command)) return [];
      const once = faulty(fault, '', () => this.inject(fault, actor, call));
      const always = faulty(fault, ', as are all its further calls', () => {
        actor.permanentFault = fault;
        return this.inject(fault, actor, call);
      });
      return this.faults.permanent?.includes(fault) ? [once, always] : [once];
    };
    if (this.faultsLeft > 0) yield* this.faults.kinds.flatMap(faultsOf);
  }

  private deliver(actor: Actor, { number, command }: Call, report?: Report) {
    return this.store.send(command, report).then(
      output => receive(actor, { call: number, output }),
      error => receive(actor, { call: number, error }),
    );
  }

  private async inject(fault: Fault, actor: Actor, { number, command }: Call) {
    if (fault === 'cutAfter') await this.store.send(command).catch(() => undefined);
    if (fault === 'late') {
      this.late.push({ actor, command });
      while (actor.situation.calls.some(call => call.number === number))
        await receive(actor, 'timer');
      return;
    }
    const errorOf = { conflict: conflictOf, throttle: throttled, neverConnected: notResolved }[
      fault as string
    ];
    await receive(actor, { call: number, error: (errorOf ?? connectionLost)(command) });
  }

  async take(choice: number) {
    const step = this.steps().drop(choice).next().value;
    if (!step) throw new Error(`There is no step ${choice}: something is not deterministic`);
    this.stepsTaken.push(step);
    await step.act();
    await this.runUntilBlocked();
  }

  /** One step per line. */
  get trace(): string {
    return this.stepsTaken.map(({ text }) => text()).join('\n');
  }

  /** Equal for runs with the same possible futures. */
  get fingerprint(): string {
    const late = this.late
      .map(({ actor, command }) => `${actor.label}${JSON.stringify(command.input)}`)
      .sort();
    return `${this.store.fingerprint}|${this.actors.map(fingerprintOf).join('|')}|${late}|${this.faultsLeft}`;
  }
}
