import type { Worker } from 'node:worker_threads';

/** Watches the worker threads that this process starts from now on. */
export const watchThreads = () => {
  const threads = new Set<Worker>();
  const add = (thread: Worker) => {
    threads.add(thread);
    thread.once('exit', () => threads.delete(thread));
  };
  process.on('worker', add);
  return {
    killOne: () => [...threads][Math.floor(Math.random() * threads.size)]?.terminate(),
    /** Heaps and external memory of all threads after a garbage collection, in bytes. */
    liveBytes: async () => {
      let bytes = 0;
      for (const thread of threads) {
        // Only a heap snapshot triggers a garbage collection in another thread.
        (await thread.getHeapSnapshot()).destroy();
        const statistics = await thread.getHeapStatistics();
        bytes += statistics.used_heap_size + statistics.external_memory;
      }
      return bytes;
    },
    stop: () => process.off('worker', add),
  };
};
