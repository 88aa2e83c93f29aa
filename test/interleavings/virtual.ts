import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Command } from './dynamodb/in-memory.ts';

interface Timer {
  readonly at: number;
  readonly ring: () => void;
}

/** When every process here begins, in milliseconds. */
export const beginning = Date.UTC(2027, 0, 1);

/** A process's own time, luck and ids: the same in every run, whatever other processes do. */
export class Process {
  now: number;
  /** What becomes of its calls to DynamoDB. */
  call: (command: Command, options: { abortSignal: AbortSignal }) => Promise<unknown> = () => {
    throw new Error('nobody takes calls');
  };
  private luck: number;
  private uuids = 0;
  private timers: Timer[] = [];
  private readonly number: number;

  /**
   * @param number its own; its UUIDs follow from it
   * @param options `later`: milliseconds after the beginning; `luck`: processes of the same draw the same ids
   */
  constructor(number: number, { later = 0, luck = number } = {}) {
    this.number = number;
    this.luck = luck;
    this.now = beginning + later;
  }

  /** The mulberry32 generator. */
  random(): number {
    this.luck = (this.luck + 0x6d2b79f5) | 0;
    let t = Math.imul(this.luck ^ (this.luck >>> 15), 1 | this.luck);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  uuid(): string {
    const digits = (value: number, length: number) => value.toString(16).padStart(length, '0');
    return `${digits(this.number, 8)}-0000-4000-8000-${digits(++this.uuids, 12)}`;
  }

  after(milliseconds: number, ring: () => void): Timer {
    const timer = { at: this.now + milliseconds, ring };
    this.timers.push(timer);
    return timer;
  }

  cancel(timer: Timer) {
    this.timers = this.timers.filter(other => other !== timer);
  }

  /** Time passes until the next timer rings. False when there is none. */
  wait(): boolean {
    const [first] = this.timers.toSorted((a, b) => a.at - b.at);
    if (!first) return false;
    this.cancel(first);
    this.now = Math.max(this.now, first.at);
    first.ring();
    return true;
  }
}

export const processes = new AsyncLocalStorage<Process>();
const present = () => processes.getStore();

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
  static override now = () => present()?.now ?? real.Date.now();
}

const virtualTimeout = (ring: (...values: unknown[]) => void, milliseconds = 0, ...values: unknown[]) => {
  const process = present();
  if (!process) return real.setTimeout(ring, milliseconds, ...values);
  const timer = process.after(
    milliseconds,
    AsyncLocalStorage.bind(() => ring(...values)),
  );
  return Object.assign(timer, { unref: () => timer, ref: () => timer, hasRef: () => true });
};

const cancelTimeout = (timer: unknown) => {
  const process = present();
  if (process) process.cancel(timer as Timer);
  else real.clearTimeout(timer as NodeJS.Timeout);
};

const virtualAbort = (milliseconds: number): AbortSignal => {
  const process = present();
  if (!process) return real.timeout.call(AbortSignal, milliseconds);
  const controller = new AbortController();
  process.after(milliseconds, () => controller.abort(new DOMException('The operation timed out', 'TimeoutError')));
  return controller.signal;
};

/** What runs within a process has its time, its luck and its ids. Everything else has the machine's, as before. */
export const virtualise = () => {
  globalThis.Date = VirtualDate as DateConstructor;
  globalThis.setTimeout = virtualTimeout as typeof setTimeout;
  globalThis.clearTimeout = cancelTimeout as typeof clearTimeout;
  Math.random = () => present()?.random() ?? real.random();
  AbortSignal.timeout = virtualAbort;
  crypto.randomUUID = options => (present()?.uuid() as ReturnType<typeof real.randomUUID>) ?? real.randomUUID(options);
  syncBuiltinESMExports();
};
