import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../reference/commands.ts';
import type { Answer } from '../../support/petstore.ts';
import { callOf, commands, type Living, learn } from './known-resources.ts';

export type Send = (call: Call, headers: Record<string, string>) => Promise<Answer>;

/** What became of all commands. */
export interface Done {
  count: number;
  repeated: number;
  readonly statuses: Map<number, number>;
  /** The order that each key brought about. */
  readonly placed: Map<string, number>;
  /** Orders that somebody has tried to cancel. */
  readonly cancelled: Set<number>;
}

export interface Shift {
  /** Of keys and lines. */
  readonly label: string;
  readonly living: Living;
  readonly send: Send;
  readonly operations: number;
  /** Milliseconds since the epoch, when no further command is begun. */
  readonly until: number;
  /** Resolves while the service can be reached. */
  readonly reachable?: () => Promise<unknown>;
}

const parallel = 24;
const longestWait = 1_000;
/** For how long one command is repeated: what lasts longer is no fault that passes. In milliseconds. */
const patience = 600_000;

/** Performs commands from many callers at once, each insisting until its answer is definite. */
export const work = async ({ label, living, send, operations, until, reachable }: Shift): Promise<Done> => {
  const done: Done = { count: 0, repeated: 0, statuses: new Map(), placed: new Map(), cancelled: new Set() };
  const startedAt = Date.now();

  const insist = async (call: Call, key: string): Promise<Answer> => {
    const patient = Date.now() + patience;
    for (let wait = 25; ; wait = Math.min(2 * wait, longestWait)) {
      await reachable?.();
      try {
        const answer = await send(call, { 'Idempotency-Key': key });
        if (answer.status < 500) return answer;
      } catch {
        // The connection broke: the same request again, as any careful client would.
      }
      if (Date.now() > patient)
        throw new Error(`${call.method} ${call.path} was not answered for ${patience / 60_000} minutes`);
      done.repeated += 1;
      await sleep(wait * Math.random());
    }
  };

  const source = commands();
  let next = 0;
  const worker = async () => {
    while (next < operations && Date.now() < until) {
      const key = `${label}-${next++}`;
      const command = source.next().value;
      const call = callOf(command, living);
      if (command.do === 'cancelOrder') done.cancelled.add(Number(call.path.split('/').at(-1)));
      const answer = await insist(call, key);
      learn(living, command, call, answer);
      if (command.do === 'placeOrder' && answer.status === 201) done.placed.set(key, answer.body.id);
      done.statuses.set(answer.status, (done.statuses.get(answer.status) ?? 0) + 1);
      done.count += 1;
      if (done.count % 5_000 === 0) {
        const rate = Math.round((done.count * 1_000) / (Date.now() - startedAt));
        console.log(`${label}: ${done.count} of ${operations} operations, ${done.repeated} repeated, ${rate} a second`);
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return done;
};
