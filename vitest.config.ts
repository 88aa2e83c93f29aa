import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// West of Greenwich and with summer time, because the zone of a machine, such as UTC, can hide errors of local times.
process.env.TZ ??= 'America/New_York';

/** They start processes of the project; `npm run verify` starts Vitest. */
export const endToEnd = ['test/e2e/**/*.test.ts', 'test/commands/verify.test.ts'];
const interleavings = ['test/interleavings/*.test.ts', 'test/events/publisher-faults.test.ts'];
/** Tables that are made of what other tests write. */
const generated = ['test/project/generated.test.ts'];
const virtualTime = 'test/interleavings/setup.ts';
const endsByItself = 'test/support/ends-by-itself.ts';
/** With PETSTORE_ENGINE (.ci/run dynamodb-local), only tests whose outcome depends on the engine. */
const onEngine = process.env.PETSTORE_ENGINE !== undefined;
const files = globSync(onEngine ? 'test/{api,events}/**/*.test.ts' : 'test/**/*.test.ts', {
  cwd: import.meta.dirname,
  exclude: [...endToEnd, ...interleavings, ...generated],
});

const uses = (pattern: RegExp) => (file: string) =>
  pattern.test(readFileSync(join(import.meta.dirname, file), 'utf8'));
const usesServer = uses(/support\/petstore\.ts'|\/stage\.ts'/);
/** What reaches the next file of the process. */
const replaces = uses(/\bvi\.(?:mock|doMock|stub|useFakeTimers)|support\/(?:processes|spawn-node)/);
/** One process per worker, which shares servers and syntheses. All others have a process for each file. */
const together = files.filter(file => usesServer(file) && !replaces(file));
const apart = files.filter(file => !together.includes(file));

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
    // Only a hang reaches them, however slow or busy the machine is.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 300_000 } },
    // CPU is the limit. One more, because tests also wait. Each worker starts functions of its own.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          isolate: false,
          restoreMocks: true,
          provide: { pooled: true },
          include: together,
        },
      },
      { extends: true, test: { name: 'apart', setupFiles: endsByItself, include: apart } },
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
      { extends: true, test: { name: 'e2e', setupFiles: endsByItself, include: endToEnd } },
    ],
  },
});
