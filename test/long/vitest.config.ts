import { defineConfig } from 'vitest/config';

/** Long runs, each started by its own script: npm run fuzz, npm run soak. */
export default defineConfig({
  test: {
    include: ['test/long/*.ts'],
    exclude: ['**/vitest.config.ts'],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
  },
});
