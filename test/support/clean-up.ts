import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, vi } from 'vitest';
import { cleanUp } from './processes.ts';

// This setup file runs for every test file. An imported module runs once per process, so its hooks would miss later files.
afterEach(cleanUp);

// When a module is loaded again, it adds its listener for the end of the process again.
process.setMaxListeners(0);

const environment = { ...process.env };

/** Restores the clock and the environment, and unloads modules that have read another environment. */
afterAll(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  if (isDeepStrictEqual({ ...process.env }, environment)) return;
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  vi.resetModules();
});
