import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, vi } from 'vitest';
import { cleanUp } from './processes.ts';

// Hooks of an imported module would run only for the first file of a process.
afterEach(cleanUp);

// Each reload of a module adds its listener again.
process.setMaxListeners(0);

const environment = { ...process.env };

/** Also unloads modules, because they have read another environment. */
afterAll(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  if (isDeepStrictEqual({ ...process.env }, environment)) return;
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  vi.resetModules();
});
