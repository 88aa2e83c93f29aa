import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createVitest, type TestModule } from 'vitest/node';
import type { bundle } from '../../cdk/build/bundle/bundle.ts';
import type { functionNames } from '../../cdk/build/bundle/function-names.ts';
import type { synthesizeInWorker } from '../../cdk/local/watch/synthesize-in-worker.ts';
import { type Killer, type Mutant, mutated } from './mutant.ts';

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
  'tsconfig.json',
  'vitest.config.ts',
  'README.md',
];

/** What came of a mutant. `broken`: it does not even build, which says nothing of the tests. */
export type Outcome =
  | { readonly verdict: 'killed' | 'survived'; readonly by?: string }
  | { readonly verdict: 'broken'; readonly by: string };

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The first test that fails, or the file that cannot even begin. */
const failureIn = (modules: readonly TestModule[]): string | undefined => {
  for (const module of modules) {
    for (const test of module.children.allTests('failed')) return test.fullName;
    if (!module.ok()) return `${module.moduleId}: ${module.errors()[0]?.message}`;
  }
  return undefined;
};

/** Whether a test looks at what was bundled. */
const needsBundles = ({ file }: Killer) =>
  /[sS]tartPetstore|usePetstore|sharedBundles|inject\('/.test(readFileSync(file, 'utf8'));

/** Whether a test looks at the stack that the run was set up with, and not at one of its own. */
const needsStack = ({ file }: Killer) =>
  /[sS]tartPetstore|usePetstore|sharedAssembly|inject\('template/.test(readFileSync(file, 'utf8'));

/**
 * A copy of the project in which one mutant after the other is tried, with one engine, one synthesis and one Vitest for all
 * of them: what a mutant costs is the tests that must notice it, the bundling of the functions and, where it changes the
 * stack that these look at, another synthesis.
 */
export const openLaboratory = async () => {
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

  // The setup of the tests takes a run of picked files for what it is (test/support/global-setup.ts).
  process.argv.push('picked');
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

  const run = async (killers: readonly Killer[]): Promise<{ tests: number; failure: string | undefined }> => {
    const [{ name } = { name: undefined }] = killers;
    if (name === undefined) vitest.resetGlobalTestNamePattern();
    else vitest.setGlobalTestNamePattern(new RegExp(escaped(name)));
    const specifications = await vitest.globTestSpecifications([...new Set(killers.map(({ file }) => file))]);
    const result = await vitest.runTestSpecifications(specifications, false);
    // Vitest tells of the runs before as well.
    const asked = new Set(specifications.map(({ moduleId }) => moduleId));
    const testModules = result.testModules.filter(({ moduleId }) => asked.has(moduleId));
    const tests = testModules
      .flatMap(module => [...module.children.allTests()])
      .filter(test => test.result().state !== 'skipped');
    const [unhandled] = result.unhandledErrors as Error[];
    return { tests: tests.length, failure: failureIn(testModules) ?? unhandled?.message };
  };

  /** The functions' code where the one synthesis of the run says that it is. */
  const rebundle = async () => {
    const { outdir } = vitest.getRootProject().getProvidedContext().bundles;
    await bundler.bundle(names.functionNames, outdir);
  };
  /** Assets are copies that a synthesis made; from now on those of functions are what was bundled last. */
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

  /** Lets tests see the stack as its sources are now, until the function that this gives is called. */
  const resynthesize = async () => {
    const project = vitest.getRootProject();
    const { template, assets, bundles } = project.getProvidedContext();
    const made = await synthesis.synthesizeInWorker(bundles.outdir, undefined);
    project.provide('template', made.template);
    project.provide('assets', [...made.assets]);
    return () => {
      project.provide('template', template);
      project.provide('assets', assets);
    };
  };

  /** The mutant that is in what was bundled last. */
  let bundled: Mutant | undefined;
  const tryOut = async (mutant: Mutant): Promise<Outcome> => {
    const path = join(folder, mutant.file);
    const original = readFileSync(path, 'utf8');
    writeFileSync(path, mutated(original, mutant));
    vitest.invalidateFile(path);
    let restore: (() => void) | undefined;
    try {
      if (mutant.file.startsWith('cdk/') && needsStack(mutant.killer)) restore = await resynthesize();
      const changesBundles = /^(?:lib|functions)\//.test(mutant.file);
      if (needsBundles(mutant.killer) && (changesBundles || bundled !== undefined)) {
        await rebundle();
        bundled = changesBundles ? mutant : undefined;
      }
      const { tests, failure } = await run([mutant.killer]);
      if (failure) return { verdict: 'killed', by: failure };
      if (tests === 0)
        return { verdict: 'broken', by: `no test of ${mutant.killer.file} is named “${mutant.killer.name}”` };
      return { verdict: 'survived' };
    } catch (error) {
      return { verdict: 'broken', by: (error as Error).message };
    } finally {
      restore?.();
      writeFileSync(path, original);
      vitest.invalidateFile(path);
    }
  };

  return {
    /** Begins with a run of a file without a mutant, which sets everything up. */
    begin: async (killer: Killer) => {
      const result = await run([killer]);
      pointAtBundles();
      return result;
    },
    run,
    rebundle,
    tryOut,
    close: async () => {
      await vitest.close();
      process.chdir(root);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
