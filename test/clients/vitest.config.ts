import { defineConfig } from 'vitest/config';

/** Clients and judges that others wrote, with packages of their own: npm ci --prefix test/clients && npm run test:clients. */
export default defineConfig({
  test: {
    include: ['test/clients/{client-libraries,generated-requests,workflow-lint}.ts'],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/clean-up.ts',
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
