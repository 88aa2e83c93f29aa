/**
 * Works one after the other: what comes meanwhile is taken together, next. What failed is tried again with what comes
 * next, so a save that breaks something does not make the one before it forgotten.
 * @param fail is told why a piece of work failed, and what of
 */
export const inTurn = (
  work: (files: ReadonlySet<string>) => Promise<void>,
  fail: (error: unknown, files: ReadonlySet<string>) => Promise<void>,
) => {
  let waiting = new Set<string>();
  let failed = new Set<string>();
  let busy = false;
  return async (files: Iterable<string>): Promise<void> => {
    waiting = new Set([...waiting, ...files]);
    if (busy) return;
    busy = true;
    while (waiting.size > 0) {
      const now = new Set([...failed, ...waiting]);
      waiting = new Set();
      failed = new Set();
      await work(now).catch(error => {
        failed = now;
        return fail(error, now);
      });
    }
    busy = false;
  };
};
