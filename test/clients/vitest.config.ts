import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

process.env.TZ ??= 'America/New_York';

/** For `.ci/run clients`, which runs client libraries and linters of other projects. */
export default defineConfig({
  test: {
    include: ['test/clients/{client-libraries,postman,spreadsheet,workflow-lint}.ts'],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 300_000,
    hookTimeout: 60_000,
    maxWorkers: availableParallelism(),
  },
});
