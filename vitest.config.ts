import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** They start processes of the project; `npm run verify` starts Vitest. */
export const endToEnd = ['test/e2e/**/*.test.ts', 'test/commands/verify.test.ts'];
const interleavings = ['test/interleavings/*.test.ts', 'test/events/publisher-faults.test.ts'];
/** Tables that are made of what other tests write. */
const generated = ['test/project/generated.test.ts'];
const virtualTime = 'test/interleavings/setup.ts';
/** With PETSTORE_ENGINE (.ci/run dynamodb-local), only tests whose outcome depends on the engine. */
const onEngine = process.env.PETSTORE_ENGINE !== undefined;
const files = globSync(onEngine ? 'test/{api,events}/**/*.test.ts' : 'test/**/*.test.ts', {
  cwd: import.meta.dirname,
  exclude: [...endToEnd, ...interleavings, ...generated],
});

export default defineConfig({
  // The stages in cdk/stages.ts belong to the user. What imports them gets those of the tests, unless it is a process.
  resolve: {
    alias: [
      {
        find: /^(\.\.?\/)+stages\.ts$/,
        replacement: join(import.meta.dirname, 'test/support/stages.ts'),
      },
    ],
  },
  test: {
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/clean-up.ts',
    // Only a hang reaches them, however slow or busy the machine is.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 300_000 } },
    // CPU is the limit. One more, because tests also wait. Each worker starts functions of its own.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { extends: true, test: { name: 'shared', isolate: false, include: files } },
      {
        extends: true,
        test: {
          name: 'interleavings',
          setupFiles: virtualTime,
          include: onEngine ? ['test/interleavings/fidelity.test.ts'] : interleavings,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          setupFiles: virtualTime,
          testTimeout: 3_600_000,
          include: ['test/interleavings/{long,guards}.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'generated', include: generated, sequence: { groupOrder: 1 } },
      },
      { extends: true, test: { name: 'e2e', include: endToEnd } },
    ],
  },
});
