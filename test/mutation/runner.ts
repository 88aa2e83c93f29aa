import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Metafile } from 'esbuild';
import { createVitest, type TestModule } from 'vitest/node';
import type { bundle } from '../../cdk/bundle/bundle.ts';
import { functionNames } from '../../cdk/bundle/function-names.ts';
import type { synthesizeInWorker } from '../../cdk/local/watch/synthesize-in-worker.ts';
import type { Assembly } from '../../cdk/synthesis/template.ts';
import type { Mutant } from './generate.ts';

const root = join(import.meta.dirname, '../..');

/** After so many milliseconds without a result, the worker is killed. The slowest test takes half a minute. */
const longestPause = 100_000;

/** `invalid`: the functions cannot be bundled, or the mutated code does not parse. */
export interface Outcome {
  readonly status: 'killed' | 'survived' | 'invalid';
  /** The first failure. It shows whether a timeout, which the machine may have caused, killed the mutant. */
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
const useStack = uses(/[sS]tartPetstore|usePetstore|sharedAssembly|inject\('template/);

/**
 * Runs mutants in a copy of the project. All share one DynamoDB engine and one Vitest instance, so a mutant takes only the time
 * to bundle and to run its tests, and to synthesize if it changes their stack.
 */
export const createRunner = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-mutants-'));
  const isCopied = (path: string) => !/[\\/](?:node_modules|cdk\.out|\.git|data)$/.test(path);
  cpSync(root, folder, { recursive: true, filter: isCopied });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  process.chdir(folder);
  const inCopy = (path: string) => import(pathToFileURL(join(folder, path)).href);
  const bundler: { bundle: typeof bundle } = await inCopy('cdk/bundle/bundle.ts');
  const worker: { synthesizeInWorker: typeof synthesizeInWorker } = await inCopy(
    'cdk/local/watch/synthesize-in-worker.ts',
  );

  // Looks like a selected file, so the global setup does not check coverage (test/support/global-setup.ts).
  process.argv.push('selected');
  let progressAt = Date.now();
  const progress = () => {
    progressAt = Date.now();
  };
  const vitest = await createVitest('test', {
    root: folder,
    project: ['shared', 'isolated', 'interleavings'],
    watch: false,
    maxWorkers: 1,
    bail: 1,
    testTimeout: 45_000,
    hookTimeout: 45_000,
    reporters: [{ onTestCaseResult: progress, onTestModuleCollected: progress, onTestModuleEnd: progress }],
  });

  /** @returns the first failure */
  const run = async (tests: readonly string[]): Promise<string | undefined> => {
    const specifications = await vitest.globTestSpecifications([...tests]);
    progress();
    // Nothing else ends a worker in an endless loop. Vitest reports that the worker has exited.
    const watchdog = setInterval(() => {
      if (Date.now() - progressAt < longestPause) return;
      progress();
      spawnSync('pkill', ['-KILL', '-P', String(process.pid), '-f', 'vitest']);
    }, 1_000);
    const result = await vitest.runTestSpecifications(specifications, false);
    clearInterval(watchdog);
    // The result also has the modules of earlier runs.
    const requested = new Set(specifications.map(({ moduleId }) => moduleId));
    const [unhandled] = result.unhandledErrors as Error[];
    return failureIn(result.testModules.filter(({ moduleId }) => requested.has(moduleId))) ?? unhandled?.message;
  };

  // The first run starts the engine, bundles and synthesizes.
  await run(['test/lib/digest.test.ts']);
  const project = vitest.getRootProject();
  const { template, assets, bundles } = project.getProvidedContext();
  const { outputs }: Metafile = JSON.parse(bundles.metafile);
  const provide = (stack: Assembly) => {
    project.provide('template', stack.template);
    project.provide('assets', [...stack.assets]);
  };

  /** Whether bundles and stack still contain an earlier mutant. */
  let areBundlesMutated = false;
  let isStackMutated = false;
  /** Bundles and synthesizes if the tests need it. @returns the error of the synthesis */
  const prepare = async ({ file }: Mutant, tests: readonly string[]): Promise<string | undefined> => {
    const changesBundles = /^(?:lib|functions)\//.test(file);
    if (useBundles(tests) && (changesBundles || areBundlesMutated)) {
      await bundler.bundle(functionNames, bundles.outdir);
      areBundlesMutated = changesBundles;
    }
    // The stack does not import the commands and the local server.
    const changesStack = /^(?:cdk\/(?!(?:commands|local)\/)|lib\/operations\/)/.test(file);
    if (isStackMutated) provide({ template, assets: new Map(assets) });
    isStackMutated = changesStack && useStack(tests);
    if (!isStackMutated) return undefined;
    try {
      provide(await worker.synthesizeInWorker(bundles.outdir, { webhook: undefined, throttle: false }));
      return undefined;
    } catch (error) {
      return `the synthesis: ${firstLine((error as Error).message)}`;
    }
  };

  return {
    /** Without a mutant. @returns the first failure */
    run,

    functionsWith: (file: string): Set<string> => {
      const containing = Object.keys(outputs).filter(path => file in outputs[path]!.inputs);
      return new Set(functionNames.filter(name => containing.some(path => path.includes(`/${name}/`))));
    },

    /** @param tests the most likely to fail come first */
    runMutant: async (mutant: Mutant, tests: readonly string[]): Promise<Outcome> => {
      const path = join(folder, mutant.file);
      const original = readFileSync(path, 'utf8');
      writeFileSync(path, original.slice(0, mutant.start) + mutant.replacement + original.slice(mutant.end));
      vitest.invalidateFile(path);
      try {
        for (const batch of [tests.slice(0, 3), tests.slice(3)]) {
          if (batch.length === 0) continue;
          const failure = (await prepare(mutant, batch)) ?? (await run(batch));
          if (failure) return { status: failure.includes('Transform failed') ? 'invalid' : 'killed', by: failure };
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
