import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests of the gateway, the page, clients, texts and commands: what an engine answers decides none of them. */
const others = [
  ...['verify', 'gateway', 'tokens', 'public-url', 'queries', 'compression', 'life-cycle', 'traces', 'journal'],
  ...['docs-page', 'docs-looks', 'openapi', 'documented-responses', 'readme', 'petstore-client', 'typed-client'],
  ...['all-settings', 'restore-drill', 'deliveries', 'delivery', 'guide', 'redrive'],
];

const testsOfAnEngine = (): string[] =>
  globSync('test/**/*.test.ts', { cwd: import.meta.dirname })
    .filter(file => !others.includes(basename(file, '.test.ts')))
    .filter(file => /usePetstore\(|startPetstore\(|inject\('endpoint'\)/.test(readFileSync(file, 'utf8')));

export default defineConfig({
  test: {
    // On a chosen engine (npm run test:dynamodb-local) what an engine decides.
    include: process.env.PETSTORE_ENGINE ? testsOfAnEngine() : ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes at once, or on a busy machine later: no test needs a patience of its own.
    expect: { poll: { timeout: 30_000 } },
    // Two cores: more workers only wait for each other.
    maxWorkers: 2,
  },
});
