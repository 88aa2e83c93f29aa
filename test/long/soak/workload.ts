import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '../../reference/commands.ts';
import type { ApiResponse } from '../../support/petstore.ts';
import { callOf, commands, type KnownResources, learn } from './known-resources.ts';

export type Send = (call: Call, headers: Record<string, string>) => Promise<ApiResponse>;

export interface WorkloadResult {
  count: number;
  retries: number;
  readonly statuses: Map<number, number>;
  /** Idempotency key → the id of its order. */
  readonly placed: Map<string, number>;
  /** The orders for which a cancellation was sent. */
  readonly canceled: Set<number>;
}

export interface WorkloadOptions {
  /** The prefix of idempotency keys and of log lines. */
  readonly label: string;
  readonly known: KnownResources;
  readonly send: Send;
  readonly operations: number;
  /** When the last command may start, in milliseconds since 1970. */
  readonly until: number;
}

const parallel = 24;
const maxDelay = 1_000;
/** In milliseconds. No injected fault lasts as long. */
const retryTimeout = 600_000;

/** The commands of many concurrent virtual users, who retry until the response is below 500. */
export const runWorkload = async (options: WorkloadOptions): Promise<WorkloadResult> => {
  const { label, known, send, operations, until } = options;
  const done: WorkloadResult = { count: 0, retries: 0, statuses: new Map(), placed: new Map(), canceled: new Set() };
  const startedAt = Date.now();

  const sendWithRetries = async (call: Call, key: string): Promise<ApiResponse> => {
    const deadline = Date.now() + retryTimeout;
    for (let wait = 25; ; wait = Math.min(2 * wait, maxDelay)) {
      try {
        const response = await send(call, { 'Idempotency-Key': key });
        if (response.status < 500) return response;
      } catch {
        // The connection broke. The loop retries with the same idempotency key.
      }
      if (Date.now() > deadline)
        throw new Error(`${call.method} ${call.path} got no response below 500 for ${retryTimeout / 60_000} minutes`);
      done.retries += 1;
      await sleep(wait * Math.random());
    }
  };

  const source = commands();
  let next = 0;
  const worker = async () => {
    while (next < operations && Date.now() < until) {
      const key = `${label}-${next++}`;
      const command = source.next().value;
      const call = callOf(command, known);
      if (command.do === 'cancelOrder') done.canceled.add(Number(call.path.split('/').at(-1)));
      const response = await sendWithRetries(call, key);
      learn(known, command, call, response);
      if (command.do === 'placeOrder' && response.status === 201) done.placed.set(key, response.body.id);
      done.statuses.set(response.status, (done.statuses.get(response.status) ?? 0) + 1);
      done.count += 1;
      if (done.count % 5_000 === 0) {
        const rate = Math.round((done.count * 1_000) / (Date.now() - startedAt));
        console.log(`${label}: ${done.count} of ${operations} operations, ${done.retries} retries, ${rate} per second`);
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return done;
};
