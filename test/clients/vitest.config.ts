import { defineConfig } from 'vitest/config';

/** Client libraries and validators of other projects: .ci/run clients. */
export default defineConfig({
  test: {
    include: ['test/clients/{client-libraries,generated-requests,workflow-lint}.ts'],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/clean-up.ts',
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
