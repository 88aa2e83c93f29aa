import type { Command } from './dynamodb/in-memory.ts';
import { processes } from './virtual.ts';

/** Replaces lib/model/table/client.ts: each call of a process waits until the scheduler executes it. */
export const client = {
  send: (command: Command, options: { abortSignal: AbortSignal }): Promise<unknown> => {
    const process = processes.getStore();
    if (!process) throw new Error('A call to DynamoDB outside of a process');
    return process.call(command, options);
  },
};
