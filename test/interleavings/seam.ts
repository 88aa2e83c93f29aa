import type { Command } from './dynamodb/in-memory.ts';
import { processes } from './virtual.ts';

/** Stands in for lib/model/table/client.ts: what a process sends is held at the door until the scheduler lets it go. */
export const client = {
  send: (command: Command, options: { abortSignal: AbortSignal }): Promise<unknown> => {
    const process = processes.getStore();
    if (!process) throw new Error('A call to DynamoDB from outside of any process');
    return process.call(command, options);
  },
};
