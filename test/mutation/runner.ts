import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BaseSequencer, createVitest, type TestSpecification } from 'vitest/node';
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

/** `lib/operations/listOrders.ts` → `lib`, `operations`, `list`, `orders`. */
const wordsOf = (path: string) => new Set(path.split(/[/.-]|(?=[A-Z])/).map(word => word.toLowerCase()));

/** Runs mutants in a copy of the project. All share one DynamoDB engine and one Vitest instance. */
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

  /** The words of the path of the mutated file. */
  let mutated = new Set<string>();
  /** Test files whose paths have words of the mutated file's path come first, because they are likely to fail. */
  class SimilarFirst extends BaseSequencer {
    override sort = async (files: TestSpecification[]) => {
      const shared = ({ moduleId }: TestSpecification) => mutated.intersection(wordsOf(moduleId)).size;
      return files.toSorted((a, b) => shared(b) - shared(a));
    };
  }
  let progressAt = Date.now();
  const progress = () => {
    progressAt = Date.now();
  };
  let failure: string | undefined;
  const fail = (name: string, error: { readonly message: string } | undefined) => {
    failure ??= `${name}: ${firstLine(error?.message)}`;
  };
  const vitest = await createVitest('test', {
    root: folder,
    project: ['shared', 'isolated', 'interleavings'],
    watch: false,
    maxWorkers: 1,
    bail: 1,
    testTimeout: 45_000,
    hookTimeout: 45_000,
    sequence: { sequencer: SimilarFirst },
    reporters: [
      {
        onTestModuleCollected: progress,
        onTestCaseResult: test => {
          progress();
          const { state, errors } = test.result();
          if (state === 'failed') fail(test.fullName, errors[0]);
        },
        onTestModuleEnd: module => {
          progress();
          if (!module.ok()) fail(module.moduleId, module.errors()[0]);
        },
      },
    ],
  });

  /** Runs all tests until one fails. @returns the failure */
  const run = async (): Promise<string | undefined> => {
    failure = undefined;
    progress();
    // Nothing else ends a worker in an endless loop. Vitest reports that the worker has exited.
    const watchdog = setInterval(() => {
      if (Date.now() - progressAt < longestPause) return;
      progress();
      spawnSync('pkill', ['-KILL', '-P', String(process.pid), '-f', 'vitest']);
    }, 1_000);
    const { unhandledErrors } = await vitest.runTestSpecifications(await vitest.globTestSpecifications(), false);
    clearInterval(watchdog);
    return failure ?? (unhandledErrors as Error[])[0]?.message;
  };

  const close = async () => {
    await vitest.close();
    process.chdir(root);
    rmSync(folder, { recursive: true, force: true });
  };

  console.log('Running the tests without a mutant first …');
  const before = await run();
  if (before) {
    await close();
    throw new Error(`A test fails without a mutant: ${before}`);
  }
  const project = vitest.getRootProject();
  const { template, assets, bundles } = project.getProvidedContext();
  const provide = (stack: Assembly) => {
    project.provide('template', stack.template);
    project.provide('assets', [...stack.assets]);
  };

  /** Whether bundles and stack still contain an earlier mutant. */
  let areBundlesMutated = false;
  let isStackMutated = false;
  /** Bundles and synthesizes if the mutant changes the result. @returns the error of the synthesis */
  const prepare = async (file: string): Promise<string | undefined> => {
    const changesBundles = /^(?:lib|functions)\//.test(file);
    if (changesBundles || areBundlesMutated) await bundler.bundle(functionNames, bundles.outdir);
    areBundlesMutated = changesBundles;
    if (isStackMutated) provide({ template, assets: new Map(assets) });
    // The stack does not import the commands and the local server.
    isStackMutated = /^(?:cdk\/(?!(?:commands|local)\/)|lib\/operations\/)/.test(file);
    if (!isStackMutated) return undefined;
    try {
      provide(await worker.synthesizeInWorker(bundles.outdir, { webhook: undefined, throttle: false }));
      return undefined;
    } catch (error) {
      return `the synthesis: ${firstLine((error as Error).message)}`;
    }
  };

  const runMutant = async ({ file, start, end, replacement }: Mutant): Promise<Outcome> => {
    const path = join(folder, file);
    const original = readFileSync(path, 'utf8');
    writeFileSync(path, original.slice(0, start) + replacement + original.slice(end));
    vitest.invalidateFile(path);
    mutated = wordsOf(file);
    try {
      const by = (await prepare(file)) ?? (await run());
      if (!by) return { status: 'survived' };
      return { status: by.includes('Transform failed') ? 'invalid' : 'killed', by };
    } catch (error) {
      return { status: 'invalid', by: firstLine((error as Error).message) };
    } finally {
      writeFileSync(path, original);
      vitest.invalidateFile(path);
    }
  };
  return { runMutant, close };
};
