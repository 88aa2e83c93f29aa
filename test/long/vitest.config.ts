import { defineConfig } from 'vitest/config';

process.env.TZ ??= 'America/New_York';

/** `npm run test:long`: the soak test, the tests of hostile input, of the model and of a killed import with more runs, and copies without a feature. */
export default defineConfig({
  test: {
    include: [
      'test/long/{soak,removals}.ts',
      'test/api/hostile-input.test.ts',
      'test/events/model.test.ts',
      'test/e2e/import-kills.test.ts',
    ],
    // Each test needs the whole machine, and one measures memory.
    fileParallelism: false,
    expect: { poll: { timeout: 30_000 } },
    globalSetup: 'test/support/global-setup.ts',
    env: {
      MODEL_RUNS: process.env.MODEL_RUNS ?? '20',
      FUZZ_RUNS: process.env.FUZZ_RUNS ?? '40000',
    },
    // A million operations take hours.
    testTimeout: 36_000_000,
    // The test of hostile input collects garbage before it measures memory.
    execArgv: ['--expose-gc'],
    hookTimeout: 60_000,
  },
});
