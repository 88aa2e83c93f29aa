import type { Worker } from 'node:worker_threads';

/** The threads of this process from now on. */
export const watchThreads = () => {
  const threads = new Set<Worker>();
  const add = (thread: Worker) => {
    threads.add(thread);
    thread.once('exit', () => threads.delete(thread));
  };
  process.on('worker', add);
  return {
    /** Ends one of them, whatever it does. */
    killOne: () => [...threads][Math.floor(Math.random() * threads.size)]?.terminate(),
    /** In bytes: what lives on the heaps of all together after a collection, and beside the heaps because of it. */
    living: async () => {
      let bytes = 0;
      for (const thread of threads) {
        // Only a snapshot makes another thread collect.
        (await thread.getHeapSnapshot()).destroy();
        const statistics = await thread.getHeapStatistics();
        bytes += statistics.used_heap_size + statistics.external_memory;
      }
      return bytes;
    },
    stop: () => process.off('worker', add),
  };
};
