import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** Tests that serve the stack, but for those that look at the gateway, the page, clients and texts and never at the table. */
const testsOfAnEngine = (): string[] => {
  const others =
    /(verify|gateway|tokens|public-url|queries|docs-\w+|openapi|documented-responses|petstore-client|typed-client|readme|all-settings|traces|journal|compression|life-cycle|delivery|guide)\.test\.ts$/;
  return globSync('test/**/*.test.ts', { cwd: import.meta.dirname })
    .filter(file => !others.test(file))
    .filter(file => /usePetstore\(|startPetstore\(|inject\('endpoint'\)/.test(readFileSync(file, 'utf8')));
};

export default defineConfig({
  test: {
    // On a chosen engine (npm run test:dynamodb-local) what an engine decides.
    include: process.env.PETSTORE_ENGINE ? testsOfAnEngine() : ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores: more workers only wait for each other.
    maxWorkers: 2,
  },
});
