import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Command } from './dynamodb/in-memory.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** The time at which every process starts, in milliseconds. */
export const startTime = Date.UTC(2027, 0, 1);

/** A process with its own clock, random numbers and UUIDs: the same in every run, whatever other processes do. */
export class Process {
  now: number;
  /** Executes its calls to DynamoDB. */
  call: (command: Command, options: { abortSignal: AbortSignal }) => Promise<unknown> = () => {
    throw new Error('no store executes calls');
  };
  private seed: number;
  private uuids = 0;
  private timers: Timer[] = [];
  private readonly number: number;

  /**
   * @param number unique; the UUIDs are derived from it
   * @param options `offset`: milliseconds after `startTime`; `seed`: of the random numbers, which ids are derived from
   */
  constructor(number: number, { offset = 0, seed = number } = {}) {
    this.number = number;
    this.seed = seed;
    this.now = startTime + offset;
  }

  /** The mulberry32 generator. */
  random(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let t = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  uuid(): string {
    const digits = (value: number, length: number) => value.toString(16).padStart(length, '0');
    return `${digits(this.number, 8)}-0000-4000-8000-${digits(++this.uuids, 12)}`;
  }

  after(milliseconds: number, callback: () => void): Timer {
    const timer = { at: this.now + milliseconds, callback };
    this.timers.push(timer);
    return timer;
  }

  cancel(timer: Timer) {
    this.timers = this.timers.filter(other => other !== timer);
  }

  /** Advances the clock to the next timer and fires it. Returns false when no timer is set. */
  wait(): boolean {
    const [first] = this.timers.toSorted((a, b) => a.at - b.at);
    if (!first) return false;
    this.cancel(first);
    this.now = Math.max(this.now, first.at);
    first.callback();
    return true;
  }
}

export const processes = new AsyncLocalStorage<Process>();
const currentProcess = () => processes.getStore();

const real = {
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  random: Math.random,
  timeout: AbortSignal.timeout,
  randomUUID: crypto.randomUUID,
};

class VirtualDate extends real.Date {
  constructor(...values: [] | [number | string]) {
    super(values.length === 0 ? VirtualDate.now() : values[0]);
  }
  static override now = () => currentProcess()?.now ?? real.Date.now();
}

const virtualTimeout = (callback: (...values: unknown[]) => void, milliseconds = 0, ...values: unknown[]) => {
  const process = currentProcess();
  if (!process) return real.setTimeout(callback, milliseconds, ...values);
  const timer = process.after(
    milliseconds,
    AsyncLocalStorage.bind(() => callback(...values)),
  );
  return Object.assign(timer, { unref: () => timer, ref: () => timer, hasRef: () => true });
};

const cancelTimeout = (timer: unknown) => {
  const process = currentProcess();
  if (process) process.cancel(timer as Timer);
  else real.clearTimeout(timer as NodeJS.Timeout);
};

const virtualAbort = (milliseconds: number): AbortSignal => {
  const process = currentProcess();
  if (!process) return real.timeout.call(AbortSignal, milliseconds);
  const controller = new AbortController();
  process.after(milliseconds, () => controller.abort(new DOMException('The operation timed out', 'TimeoutError')));
  return controller.signal;
};

/** Gives code that runs within a process its clock, random numbers and UUIDs. Other code keeps the real ones. */
export const virtualize = () => {
  globalThis.Date = VirtualDate as DateConstructor;
  globalThis.setTimeout = virtualTimeout as typeof setTimeout;
  globalThis.clearTimeout = cancelTimeout as typeof clearTimeout;
  Math.random = () => currentProcess()?.random() ?? real.random();
  AbortSignal.timeout = virtualAbort;
  crypto.randomUUID = options =>
    (currentProcess()?.uuid() as ReturnType<typeof real.randomUUID>) ?? real.randomUUID(options);
  syncBuiltinESMExports();
};
