import { defineConfig } from 'vitest/config';

/** Long runs, each started by its own script: npm run test:fuzz, npm run test:soak. The models of the store are in the first. */
export default defineConfig({
  test: {
    include: ['test/long/{fuzz,soak}.ts', 'test/api/store-model.test.ts', 'test/events/completeness.test.ts'],
    // One looks at its memory, and all want the whole machine.
    fileParallelism: false,
    expect: { poll: { timeout: 30_000 } },
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/clean-up.ts',
    // Hours, where somebody asks for a million.
    testTimeout: 36_000_000,
    // A leak is what remains after a collection.
    execArgv: ['--expose-gc'],
    hookTimeout: 60_000,
  },
});
