import { defineConfig } from 'vitest/config';

/** Long runs, each started by its own script: npm run test:fuzz, npm run test:soak. */
export default defineConfig({
  test: {
    include: ['test/long/{fuzz,soak}.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // Hours, where somebody asks for a million.
    testTimeout: 36_000_000,
    // A leak is what remains after a collection.
    execArgv: ['--expose-gc'],
    hookTimeout: 60_000,
  },
});
