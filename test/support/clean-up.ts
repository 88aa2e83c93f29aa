import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, vi } from 'vitest';
import { cleanUp } from './processes.ts';

// A setup file, because test files that share a process load a module once: its hooks would apply only to the first file.
afterEach(cleanUp);

// A module that is loaded again adds its listener for the end of the process again.
process.setMaxListeners(0);

const environment = { ...process.env };

/** The next file of this process gets the environment of before, and no module that was loaded with another one. */
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  if (isDeepStrictEqual({ ...process.env }, environment)) return;
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  vi.resetModules();
});
