import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createVitest, type TestModule } from 'vitest/node';
import type { bundle } from '../../cdk/build/bundle/bundle.ts';
import type { functionNames } from '../../cdk/build/bundle/function-names.ts';
import type { synthesizeInWorker } from '../../cdk/local/watch/synthesize-in-worker.ts';
import { applyMutant, type KillingTest, type Mutant } from './mutant.ts';

const root = join(import.meta.dirname, '../..');
const copied = [
  '.ci',
  '.github',
  '.vscode',
  'cdk',
  'functions',
  'lib',
  'test',
  'cdk.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vitest.config.ts',
  'CHANGELOG.md',
  'README.md',
];

/** The result of a mutant. `invalid`: it does not build, or no test matches its name. */
export type Outcome =
  | { readonly status: 'killed' | 'survived'; readonly by?: string }
  | { readonly status: 'invalid'; readonly by: string };

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const firstLine = (text = '') => text.split('\n', 1)[0]!;

/** The first test that fails, with its error: a timeout may be due to the machine. Or the file that fails to load. */
const failureIn = (modules: readonly TestModule[]): string | undefined => {
  for (const module of modules) {
    for (const test of module.children.allTests('failed'))
      return `${test.fullName}: ${firstLine(test.result().errors?.[0]?.message)}`;
    if (!module.ok()) return `${module.moduleId}: ${module.errors()[0]?.message}`;
  }
  return undefined;
};

/** Whether a test uses the bundles. */
const needsBundles = ({ file }: KillingTest) =>
  /[sS]tartPetstore|usePetstore|sharedBundles|inject\('/.test(readFileSync(file, 'utf8'));

/** Whether a test uses the stack of the global setup. */
const needsStack = ({ file }: KillingTest) =>
  /[sS]tartPetstore|usePetstore|sharedAssembly|inject\('template/.test(readFileSync(file, 'utf8'));

/**
 * Runs mutants in a copy of the project. One engine, one synthesis and one Vitest instance serve all mutants, so a mutant costs
 * only its tests, the bundling of the functions and, when it changes the stack that its tests use, another synthesis.
 */
export const createMutationRunner = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-mutants-'));
  for (const name of copied)
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: path => !path.includes('node_modules') });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  process.chdir(folder);
  const inCopy = (path: string) => import(pathToFileURL(join(folder, path)).href);
  const bundler: { bundle: typeof bundle } = await inCopy('cdk/build/bundle/bundle.ts');
  const names: { functionNames: typeof functionNames } = await inCopy('cdk/build/bundle/function-names.ts');
  const synthesis: { synthesizeInWorker: typeof synthesizeInWorker } = await inCopy(
    'cdk/local/watch/synthesize-in-worker.ts',
  );

  // An argument that selects files, so that the global setup does not check coverage (test/support/global-setup.ts).
  process.argv.push('selected');
  const vitest = await createVitest('test', {
    ...{
      root: folder,
      watch: false,
      maxWorkers: 1,
      retry: 0,
      testTimeout: 45_000,
      hookTimeout: 45_000,
      reporters: [{}],
    },
    bail: 1,
  });

  const run = async (killingTests: readonly KillingTest[]): Promise<{ tests: number; failure: string | undefined }> => {
    const [{ name } = { name: undefined }] = killingTests;
    if (name === undefined) vitest.resetGlobalTestNamePattern();
    else vitest.setGlobalTestNamePattern(new RegExp(escaped(name)));
    const specifications = await vitest.globTestSpecifications([...new Set(killingTests.map(({ file }) => file))]);
    const result = await vitest.runTestSpecifications(specifications, false);
    // Vitest also reports the modules of earlier runs.
    const requested = new Set(specifications.map(({ moduleId }) => moduleId));
    const testModules = result.testModules.filter(({ moduleId }) => requested.has(moduleId));
    const tests = testModules
      .flatMap(module => [...module.children.allTests()])
      .filter(test => test.result().state !== 'skipped');
    const [unhandled] = result.unhandledErrors as Error[];
    return { tests: tests.length, failure: failureIn(testModules) ?? unhandled?.message };
  };

  /** Bundles the functions into the folder to which the synthesis of the run refers. */
  const rebundle = async () => {
    const { outdir } = vitest.getRootProject().getProvidedContext().bundles;
    await bundler.bundle(names.functionNames, outdir);
  };
  /** Makes the functions' assets, which are copies, refer to the folder of the bundles. */
  const pointAtBundles = () => {
    const project = vitest.getRootProject();
    const { assets, bundles } = project.getProvidedContext();
    const codeIn = (path: string) => {
      const file = join(path, 'index.mjs');
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    };
    const folders = names.functionNames.map(id => join(bundles.outdir, id));
    const byCode = new Map(folders.map(path => [codeIn(path), path]));
    project.provide(
      'assets',
      assets.map(([key, path]) => [key, byCode.get(codeIn(path)) ?? path]),
    );
  };

  /** Provides the stack of the current sources to the tests. Returns a function that restores the original one. */
  const resynthesize = async () => {
    const project = vitest.getRootProject();
    const { template, assets, bundles } = project.getProvidedContext();
    const made = await synthesis.synthesizeInWorker(bundles.outdir, { webhook: undefined, throttle: false });
    project.provide('template', made.template);
    project.provide('assets', [...made.assets]);
    return () => {
      project.provide('template', template);
      project.provide('assets', assets);
    };
  };

  /** The mutant in the current bundles. */
  let bundled: Mutant | undefined;
  const runMutant = async (mutant: Mutant): Promise<Outcome> => {
    const path = join(folder, mutant.file);
    const original = readFileSync(path, 'utf8');
    writeFileSync(path, applyMutant(original, mutant));
    vitest.invalidateFile(path);
    let restore: (() => void) | undefined;
    try {
      // The stack imports neither the commands nor the local server.
      const changesStack = /^(?:cdk\/(?!(?:commands|local)\/)|lib\/operations\/)/.test(mutant.file);
      if (changesStack && needsStack(mutant.test)) restore = await resynthesize();
      const changesBundles = /^(?:lib|functions)\//.test(mutant.file);
      if (needsBundles(mutant.test) && (changesBundles || bundled !== undefined)) {
        await rebundle();
        bundled = changesBundles ? mutant : undefined;
      }
      const { tests, failure } = await run([mutant.test]);
      if (failure?.includes('Transform failed')) return { status: 'invalid', by: failure };
      if (failure) return { status: 'killed', by: failure };
      if (tests === 0)
        return {
          status: 'invalid',
          by: `no test of ${mutant.test.file} has a name that contains “${mutant.test.name}”`,
        };
      return { status: 'survived' };
    } catch (error) {
      return { status: 'invalid', by: (error as Error).message };
    } finally {
      restore?.();
      writeFileSync(path, original);
      vitest.invalidateFile(path);
    }
  };

  return {
    /** Runs a test without a mutant, which starts the engine and creates the bundles. */
    warmUp: async (test: KillingTest) => {
      const result = await run([test]);
      pointAtBundles();
      return result;
    },
    run,
    rebundle,
    runMutant,
    close: async () => {
      await vitest.close();
      process.chdir(root);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
