import { basename, join } from 'node:path';
import type { Assembly } from '../../build/synthesize.ts';
import { tempFolder } from '../../build/temp-folder.ts';
import { launch } from '../launch.ts';
import { readStartOptions } from '../options.ts';
import { createBundler, createSourceLister, formatBuildError } from './bundler.ts';
import { restartExitCode } from './restart-exit-code.ts';
import { runInBatches } from './run-in-batches.ts';
import { synthesizeInWorker, templatesDiffer } from './synthesize-in-worker.ts';
import { watchFiles } from './watch-files.ts';

// The server of `npm run dev`. It reloads only what a changed file affects, and keeps data and tokens.

const options = readStartOptions('npm run dev');
const outdir = tempFolder('functions');
const bundle = createBundler(outdir);
const listStackFiles = createSourceLister('cdk/build/build-app.ts');
const listServerFiles = createSourceLister('cdk/local/watch/watch.ts');

const log = (text: string) => console.error(`↻ ${text}`);
const names = (paths: Iterable<string>, most = 3): string => {
  const all = [...paths].map(path => basename(path));
  return all.length <= most ? all.join(', ') : `${all.slice(0, most).join(', ')} and ${all.length - most} more`;
};
const since = (startedAt: number) => `${Math.round(performance.now() - startedAt)} ms`;
const logError = async (error: unknown, files: ReadonlySet<string>) =>
  log(`${names(files)}: not reloaded; the previous version is still served\n${await formatBuildError(error)}`);

let stackFiles: ReadonlySet<string> = new Set();
let serverFiles: ReadonlySet<string> = new Set();

/** Which changed files belong to the stack and to the local server, before the change or after it: a file may be deleted. */
const listFiles = async () => {
  const [stackBefore, serverBefore] = [stackFiles, serverFiles];
  [stackFiles, serverFiles] = await Promise.all([listStackFiles(), listServerFiles()]);
  const inAny = (files: ReadonlySet<string>, ...sets: ReadonlySet<string>[]) =>
    [...files].filter(file => sets.some(set => set.has(file)));
  return {
    inStack: (files: ReadonlySet<string>) => inAny(files, stackFiles, stackBefore),
    inServer: (files: ReadonlySet<string>) => inAny(files, serverFiles, serverBefore),
  };
};

let assembly!: Assembly;
const running = await launch(options, async () => {
  try {
    await Promise.all([bundle(), listFiles()]);
    assembly = await synthesizeInWorker(outdir, options);
    return assembly;
  } catch (error) {
    throw new Error(await formatBuildError(error));
  }
});

const synthesize = runInBatches(async files => {
  const startedAt = performance.now();
  const next = await synthesizeInWorker(outdir, options);
  if (!templatesDiffer(assembly, next)) return;
  await running.replace(next);
  assembly = next;
  log(`${names(files)}: synthesized and served again (${since(startedAt)})`);
}, logError);

const functionsInUse = () => new Set([...running.inUse()].map(folder => basename(folder)));

const logReloaded = (folders: ReadonlySet<string>, files: ReadonlySet<string>, startedAt: number) => {
  const inUse = functionsInUse();
  const [called, uncalled] = [true, false].map(isCalled =>
    [...folders].filter(folder => inUse.has(basename(folder)) === isCalled),
  ) as [string[], string[]];
  if (called.length > 0) log(`${names(files)}: reloaded ${names(called)} (${since(startedAt)})`);
  if (uncalled.length > 0) log(`${names(files)}: bundled ${names(uncalled)}, not called yet (${since(startedAt)})`);
};

const reload = runInBatches(async files => {
  const startedAt = performance.now();
  // The functions in use come first.
  const first = await bundle(files, functionsInUse());
  running.reload(first);
  logReloaded(first, files, startedAt);
  const rest = await bundle(files);
  running.reload(rest);
  logReloaded(rest, files, startedAt);
  const { inServer, inStack } = await listFiles();
  if (inServer(files).length > 0) {
    log(`${names(inServer(files))}: the local server itself changed; it restarts`);
    await running.stop(restartExitCode);
  }
  // Synthesis takes longer, and the next change need not wait for it.
  synthesize(inStack(files));
}, logError);

// Without its parent process (cdk/commands/dev.ts) nothing can stop it.
process.once('disconnect', () => running.stop());

await watchFiles(join(import.meta.dirname, '../../..'), ['cdk', 'functions', 'lib'], reload);
