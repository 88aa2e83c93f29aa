import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createVitest, type TestModule } from 'vitest/node';
import type { bundle } from '../../cdk/build/bundle/bundle.ts';
import type { functionNames } from '../../cdk/build/bundle/function-names.ts';
import type { synthesizeInWorker } from '../../cdk/local/watch/synthesize-in-worker.ts';
import type { Mutant } from './generate.ts';

const root = join(import.meta.dirname, '../..');

/** Milliseconds without a result, after which the worker is killed. The slowest test takes half a minute. */
const longestPause = 100_000;

/** `invalid`: the functions could not be bundled, or the mutated code does not parse. */
export interface Outcome {
  readonly status: 'killed' | 'survived' | 'invalid';
  /** The first failure, with its error: a timeout may be due to the machine. */
  readonly by?: string;
}

const firstLine = (text = '') => text.split('\n', 1)[0]!;

const failureIn = (modules: readonly TestModule[]): string | undefined => {
  for (const module of modules) {
    for (const test of module.children.allTests('failed'))
      return `${test.fullName}: ${firstLine(test.result().errors?.[0]?.message)}`;
    if (!module.ok()) return `${module.moduleId}: ${firstLine(module.errors()[0]?.message)}`;
  }
  return undefined;
};

const uses = (pattern: RegExp) => (tests: readonly string[]) =>
  tests.some(file => pattern.test(readFileSync(file, 'utf8')));
const useBundles = uses(/[sS]tartPetstore|usePetstore|sharedBundles|inject\('/);
/** The stack of the global setup. */
const useStack = uses(/[sS]tartPetstore|usePetstore|sharedAssembly|inject\('template/);

/**
 * Runs mutants in a copy of the project. One engine, one synthesis and one Vitest instance serve all mutants, so a mutant
 * costs only its tests, the bundling of the functions and, when it changes the stack that its tests use, another synthesis.
 */
export const createRunner = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-mutants-'));
  const isCopied = (path: string) => !/[\\/](?:node_modules|cdk\.out|\.git|data)$/.test(path);
  for (const name of readdirSync(root))
    if (isCopied(join(root, name))) cpSync(join(root, name), join(folder, name), { recursive: true, filter: isCopied });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  // Tests list the project's files with git.
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  process.chdir(folder);
  const inCopy = (path: string) => import(pathToFileURL(join(folder, path)).href);
  const bundler: { bundle: typeof bundle } = await inCopy('cdk/build/bundle/bundle.ts');
  const names: { functionNames: typeof functionNames } = await inCopy('cdk/build/bundle/function-names.ts');
  const synthesis: { synthesizeInWorker: typeof synthesizeInWorker } = await inCopy(
    'cdk/local/watch/synthesize-in-worker.ts',
  );

  // An argument that selects files, so that the global setup does not check coverage (test/support/global-setup.ts).
  process.argv.push('selected');
  let progressAt = Date.now();
  const progress = () => {
    progressAt = Date.now();
  };
  const vitest = await createVitest('test', {
    ...{ root: folder, watch: false, maxWorkers: 1, retry: 0, bail: 1, testTimeout: 45_000, hookTimeout: 45_000 },
    project: ['shared', 'isolated', 'interleavings'],
    reporters: [{ onTestCaseResult: progress, onTestModuleCollected: progress, onTestModuleEnd: progress }],
  });

  /** @returns the first failure */
  const run = async (tests: readonly string[]): Promise<string | undefined> => {
    const specifications = await vitest.globTestSpecifications([...tests]);
    progress();
    // No other way ends a worker in an endless loop. Vitest reports that it exited.
    const watchdog = setInterval(() => {
      if (Date.now() - progressAt < longestPause) return;
      progress();
      spawnSync('pkill', ['-KILL', '-P', String(process.pid), '-f', 'vitest']);
    }, 1_000);
    const result = await vitest.runTestSpecifications(specifications, false);
    clearInterval(watchdog);
    // Vitest also reports the modules of earlier runs.
    const requested = new Set(specifications.map(({ moduleId }) => moduleId));
    const [unhandled] = result.unhandledErrors as Error[];
    return failureIn(result.testModules.filter(({ moduleId }) => requested.has(moduleId))) ?? unhandled?.message;
  };

  const provided = () => vitest.getRootProject().getProvidedContext();

  // A first run starts the engine and creates the bundles. The functions' assets are copies; they must refer to the bundles.
  await run(['test/lib/digest.test.ts']);
  const codeIn = (path: string) => {
    const file = join(path, 'index.mjs');
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  const folders = names.functionNames.map(name => join(provided().bundles.outdir, name));
  const byCode = new Map(folders.map(path => [codeIn(path), path]));
  vitest.getRootProject().provide(
    'assets',
    provided().assets.map(([key, path]) => [key, byCode.get(codeIn(path)) ?? path]),
  );

  let areBundlesMutated = false;
  /** Bundles and synthesizes again as far as the tests need it. */
  const prepare = async (
    { file }: Mutant,
    tests: readonly string[],
  ): Promise<{ failure?: string; restore?: () => void }> => {
    const changesBundles = /^(?:lib|functions)\//.test(file);
    const { template, assets, bundles } = provided();
    if (useBundles(tests) && (changesBundles || areBundlesMutated)) {
      await bundler.bundle(names.functionNames, bundles.outdir);
      areBundlesMutated = changesBundles;
    }
    // The stack imports neither the commands nor the local server.
    const changesStack = /^(?:cdk\/(?!(?:commands|local)\/)|lib\/operations\/)/.test(file);
    if (!changesStack || !useStack(tests)) return {};
    const project = vitest.getRootProject();
    try {
      const made = await synthesis.synthesizeInWorker(bundles.outdir, { webhook: undefined, throttle: false });
      project.provide('template', made.template);
      project.provide('assets', [...made.assets]);
    } catch (error) {
      return { failure: `the synthesis: ${firstLine((error as Error).message)}` };
    }
    const restore = () => {
      project.provide('template', template);
      project.provide('assets', assets);
    };
    return { restore };
  };

  return {
    /** Source → the functions whose bundles contain it. */
    functionsWith: (file: string): Set<string> => {
      const { outputs } = JSON.parse(provided().bundles.metafile) as {
        outputs: Record<string, { inputs: Record<string, object> }>;
      };
      const containing = Object.entries(outputs).filter(([, { inputs }]) => file in inputs);
      return new Set(names.functionNames.filter(name => containing.some(([path]) => path.includes(`/${name}/`))));
    },

    /** Runs tests without a mutant. @returns the first failure */
    run,

    /** @param tests most likely first */
    runMutant: async (mutant: Mutant, tests: readonly string[]): Promise<Outcome> => {
      const path = join(folder, mutant.file);
      const original = readFileSync(path, 'utf8');
      writeFileSync(path, original.slice(0, mutant.start) + mutant.replacement + original.slice(mutant.end));
      vitest.invalidateFile(path);
      try {
        for (const batch of [tests.slice(0, 3), tests.slice(3)]) {
          if (batch.length === 0) continue;
          const prepared = await prepare(mutant, batch);
          const failure = prepared.failure ?? (await run(batch));
          prepared.restore?.();
          if (failure?.includes('Transform failed')) return { status: 'invalid', by: failure };
          if (failure) return { status: 'killed', by: failure };
        }
        return { status: 'survived' };
      } catch (error) {
        return { status: 'invalid', by: firstLine((error as Error).message) };
      } finally {
        writeFileSync(path, original);
        vitest.invalidateFile(path);
      }
    },

    close: async () => {
      await vitest.close();
      process.chdir(root);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
