import { defineConfig } from 'vitest/config';

/** npm run interleavings: no engine, only minutes. */
export default defineConfig({
  test: {
    include: ['test/interleavings/long/*.ts'],
    exclude: ['**/vitest.config.ts'],
    testTimeout: 3_600_000,
    maxWorkers: 2,
  },
});
