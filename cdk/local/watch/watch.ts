import { basename, join } from 'node:path';
import { tempFolder } from '../../files/temp-folder.ts';
import type { Assembly } from '../../synthesis/template.ts';
import { launch } from '../launch.ts';
import { readStartOptions } from '../options.ts';
import { createBundler, createSourceLister, formatBuildError } from './bundler.ts';
import { runInBatches } from './run-in-batches.ts';
import { synthesizeInWorker, templatesDiffer } from './synthesize-in-worker.ts';
import { restartMessage, watchFiles } from './watch-files.ts';

// The server of `npm run dev`. It reloads only what a changed file affects, and keeps data and tokens.

const options = readStartOptions('npm run dev');
const outdir = tempFolder('functions');
const bundle = createBundler(outdir);
const listStackFiles = createSourceLister('cdk/synthesis/build-app.ts');
const listServerFiles = createSourceLister('cdk/local/watch/watch.ts');

const log = (text: string) => console.error(`↻ ${text}`);
const names = (paths: Iterable<string>, most = 3): string => {
  const all = [...paths].map(path => basename(path));
  return all.length <= most
    ? all.join(', ')
    : `${all.slice(0, most).join(', ')} and ${all.length - most} more`;
};
const since = (startedAt: number) => `${Math.round(performance.now() - startedAt)} ms`;
const logError = async (error: unknown, files: ReadonlySet<string>) =>
  log(
    `${names(files)}: not reloaded; the previous version is still served\n${await formatBuildError(error)}`,
  );

let stackFiles: ReadonlySet<string>;
let serverFiles: ReadonlySet<string>;
let assembly: Assembly;
const ready = Promise.withResolvers<void>();

/** The changed files of a program: a deleted file is only in `before`, a new file only in `after`. */
const changedIn = (
  files: ReadonlySet<string>,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
) => [...files].filter(file => before.has(file) || after.has(file));

const synthesize = runInBatches(async files => {
  const startedAt = performance.now();
  const next = await synthesizeInWorker(outdir, options);
  if (!templatesDiffer(assembly, next)) return;
  await running.replace(next);
  assembly = next;
  log(`${names(files)}: synthesized and served again (${since(startedAt)})`);
}, logError);

const reload = runInBatches(async files => {
  await ready.promise;
  const startedAt = performance.now();
  const folders = await bundle();
  running.reload(folders);
  if (folders.size > 0) log(`${names(files)}: reloaded ${names(folders)} (${since(startedAt)})`);
  const [stackBefore, serverBefore] = [stackFiles, serverFiles];
  [stackFiles, serverFiles] = await Promise.all([listStackFiles(), listServerFiles()]);
  const ofServer = changedIn(files, serverBefore, serverFiles);
  if (ofServer.length > 0) {
    log(`${names(ofServer)}: the local server itself changed; it restarts`);
    process.send!(restartMessage);
    await running.stop();
  }
  // Synthesis takes longer, and the next change need not wait for it.
  synthesize(changedIn(files, stackBefore, stackFiles));
}, logError);

// Before the first bundle, so that it misses no change of a file that was read already.
await watchFiles(
  join(import.meta.dirname, '../../..'),
  ['cdk', 'functions', 'lib', 'CHANGELOG.md'],
  reload,
);
const running = await launch(options, async () => {
  try {
    [, stackFiles, serverFiles] = await Promise.all([
      bundle(),
      listStackFiles(),
      listServerFiles(),
    ]);
    assembly = await synthesizeInWorker(outdir, options);
    return assembly;
  } catch (error) {
    throw new Error(await formatBuildError(error));
  }
});

// Without its parent process (cdk/commands/dev.ts), nothing could stop this process.
process.once('disconnect', () => running.stop());
ready.resolve();
