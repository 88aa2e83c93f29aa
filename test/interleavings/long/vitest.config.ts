import { defineConfig } from 'vitest/config';

/** npm run test:interleavings: needs no engine, and takes minutes. */
export default defineConfig({
  test: {
    include: ['test/interleavings/long/*.ts'],
    exclude: ['**/vitest.config.ts'],
    testTimeout: 3_600_000,
    maxWorkers: 2,
  },
});
