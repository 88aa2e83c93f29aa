import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, vi } from 'vitest';
import { cleanUp } from './processes.ts';

// Hooks of an imported module would run only for the first file of a process.
afterEach(cleanUp);

// Each reload of a module adds its listener again.
process.setMaxListeners(0);

const environment = { ...process.env };

/** Whether the file stubbed a variable. Modules that it loaded meanwhile may have read the variable, also if the stub is gone. */
let stubbed = false;
const { stubEnv } = vi;
vi.stubEnv = (...variable) => {
  stubbed = true;
  return stubEnv(...variable);
};

/** Restores the clock and the environment, and unloads modules that may have read another environment. */
afterAll(() => {
  vi.stubEnv = stubEnv;
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  if (!stubbed && isDeepStrictEqual({ ...process.env }, environment)) return;
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  vi.resetModules();
});
