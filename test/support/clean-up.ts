import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, expect, vi } from 'vitest';
import { watchFile } from './left-behind.ts';
import { replacements } from './process-wide.ts';
import { cleanUp } from './processes.ts';

// The test files of a worker share a process, so nothing of a file may reach the next one: what Vitest can undo is undone here,
// modules are loaded again, and a file that leaves anything else behind fails.

afterEach(cleanUp);

// Each reload of a module adds its listener again.
process.setMaxListeners(0);

const { stubEnv } = vi;
replacements.any = /\bvi\.(mock|doMock)\(/.test(readFileSync(expect.getState().testPath!, 'utf8'));
vi.stubEnv = (...variable) => {
  replacements.any = true;
  return stubEnv(...variable);
};

const leftBehind = watchFile();
// The last hook of a file: it runs after those of `afterAll`, and the functions that others of `beforeAll` return.
beforeAll(() => async () => {
  vi.stubEnv = stubEnv;
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.resetModules();
  const left = await leftBehind();
  if (left.length === 0) return;
  throw new Error(
    `This file leaves behind, for the next file of its process:\n${left.join('\n')}\nStop what it starts (afterAll, onTestFinished), and replace with vi.stubEnv, vi.stubGlobal, vi.spyOn or vi.doMock.`,
  );
});
