import { defineConfig } from 'vitest/config';

/** `npm run test:long`: the fuzz test, the soak test, and the model test with more runs. */
export default defineConfig({
  test: {
    include: ['test/long/{fuzz,soak}.ts', 'test/events/model.test.ts'],
    // Each test needs the whole machine, and the fuzz test measures memory.
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
