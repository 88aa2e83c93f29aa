import { AsyncLocalStorage } from 'node:async_hooks';

const values: Record<symbol, unknown> = globalThis as never;

/** Shared by all test files of a process, although each file loads its modules again. */
export const processWide = <T>(name: string, make: () => T): T => {
  const key = Symbol.for(`petstore.${name}`);
  values[key] ??= make();
  return values[key] as T;
};

const context = processWide('context', () => new AsyncLocalStorage<true>());

/** What `start` starts, now or later, may outlive the test file. */
export const startProcessWide = <T>(start: () => T): T => context.run(true, start);

export const isProcessWide = (): boolean => context.getStore() === true;

/** Of the current test file. */
export const replacements = processWide('replacements', () => ({ any: false }));
