import { defineConfig } from 'vitest/config';

/** `npm run test:long`: the fuzz test, the model test with more runs, and the soak test. */
export default defineConfig({
  test: {
    include: ['test/long/{fuzz,soak}.ts', 'test/events/model.test.ts'],
    // The fuzz test measures memory, and each needs the whole machine.
    fileParallelism: false,
    expect: { poll: { timeout: 30_000 } },
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/clean-up.ts',
    env: { MODEL_RUNS: process.env.MODEL_RUNS ?? '20' },
    // A million operations take hours.
    testTimeout: 36_000_000,
    // The fuzz test collects garbage before it measures memory.
    execArgv: ['--expose-gc'],
    hookTimeout: 60_000,
  },
});
