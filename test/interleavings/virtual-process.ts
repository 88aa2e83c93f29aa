import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Command } from './dynamodb.ts';

/** Of every process's clock, in milliseconds. */
export const startTime = Date.UTC(2027, 0, 1);

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

type Call = (command: Command, options: { abortSignal: AbortSignal }) => Promise<unknown>;

/**
 * Clock, random numbers and UUIDs are the same in every run, whatever other processes do.
 * @param number is unique; the UUIDs are derived from it
 * @param options `offset`, in milliseconds, is added to `startTime`; random numbers, and so ids, are derived from `seed`
 */
export const createProcess = (number: number, { offset = 0, seed = number } = {}) => {
  let [state, uuids] = [seed, 0];
  let timers: Timer[] = [];
  const process = {
    now: startTime + offset,
    call: undefined as unknown as Call,
    /** mulberry32 */
    random: () => {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    },
    uuid: () =>
      `${String(number).padStart(8, '0')}-0000-4000-8000-${String(++uuids).padStart(12, '0')}`,
    after: (milliseconds: number, callback: () => void): Timer => {
      const timer = { at: process.now + milliseconds, callback };
      timers.push(timer);
      return timer;
    },
    cancel: (timer: Timer) => {
      timers = timers.filter(other => other !== timer);
    },
    /** Fires the next timer, and advances the clock to it. @throws when no timer is set */
    wait: () => {
      const [first] = timers.toSorted((a, b) => a.at - b.at);
      if (!first) throw new Error('It waits, but no call is pending and no timer is set');
      process.cancel(first);
      process.now = Math.max(process.now, first.at);
      first.callback();
    },
  };
  return process;
};

export type VirtualProcess = ReturnType<typeof createProcess>;

const processes = new AsyncLocalStorage<VirtualProcess>();
export const runIn = <T>(process: VirtualProcess, work: () => T): T => processes.run(process, work);

/** Resolves when no process can continue: Node runs all promise jobs before the next tick. An event loop turn is slower. */
export const allWait = () => new Promise<void>(resolve => process.nextTick(resolve));

/** Replaces lib/model/table/client.ts. Each call waits until the scheduler executes it. */
export const client: { send: Call } = { send: (...call) => processes.getStore()!.call(...call) };

/** For code in a process. All other code keeps the real clock, random numbers and UUIDs. */
export const virtualize = () => {
  const { Date: RealDate, setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;
  const [realRandom, realUuid] = [Math.random, crypto.randomUUID];
  globalThis.Date = class extends RealDate {
    constructor(...values: [] | [number | string]) {
      super(values.length === 0 ? Date.now() : values[0]);
    }
    static override now = () => processes.getStore()?.now ?? RealDate.now();
  } as DateConstructor;
  globalThis.setTimeout = ((callback: () => void, milliseconds = 0) => {
    const process = processes.getStore();
    return process
      ? process.after(milliseconds, () => processes.run(process, callback))
      : realSetTimeout(callback, milliseconds);
  }) as typeof setTimeout;
  globalThis.clearTimeout = (timer: unknown) => {
    const process = processes.getStore();
    if (process) process.cancel(timer as Timer);
    else realClearTimeout(timer as NodeJS.Timeout);
  };
  const realTimeout = AbortSignal.timeout;
  AbortSignal.timeout = milliseconds => {
    const process = processes.getStore();
    if (!process) return realTimeout.call(AbortSignal, milliseconds);
    const controller = new AbortController();
    process.after(milliseconds, () => controller.abort());
    return controller.signal;
  };
  Math.random = () => processes.getStore()?.random() ?? realRandom();
  crypto.randomUUID = () =>
    (processes.getStore()?.uuid() ?? realUuid()) as ReturnType<typeof realUuid>;
  syncBuiltinESMExports();
};
