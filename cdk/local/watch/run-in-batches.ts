/**
 * Runs one batch at a time: files that change meanwhile are the next batch. A failed batch is part of the next one, so that its
 * changes are not missed when the build works again.
 */
export const runInBatches = (
  work: (files: ReadonlySet<string>) => Promise<void>,
  onError: (error: unknown, files: ReadonlySet<string>) => Promise<void>,
) => {
  let waiting = new Set<string>();
  let failed = new Set<string>();
  let isRunning = false;
  return async (files: Iterable<string>): Promise<void> => {
    waiting = new Set([...waiting, ...files]);
    if (isRunning) return;
    isRunning = true;
    while (waiting.size > 0) {
      const batch = new Set([...failed, ...waiting]);
      waiting = new Set();
      failed = new Set();
      await work(batch).catch(error => {
        failed = batch;
        return onError(error, batch);
      });
    }
    isRunning = false;
  };
};
