import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** `.ci/run clients` runs the client libraries and validators of other projects with this configuration. */
export default defineConfig({
  test: {
    include: ['test/clients/{client-libraries,deliveries,generated-requests,spreadsheet,workflow-lint}.ts'],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/clean-up.ts',
    testTimeout: 300_000,
    hookTimeout: 60_000,
    maxWorkers: availableParallelism(),
  },
});
