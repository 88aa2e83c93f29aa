import { basename, join } from 'node:path';
import type { Assembly } from '../../build/synthesize.ts';
import { scratchFolder } from '../../build/temp-folder.ts';
import { launch } from '../launch.ts';
import type { StartOptions } from '../options.ts';
import { createBuilder, createReader, readable } from './bundler.ts';
import { again } from './restart-exit-code.ts';
import { inTurn } from './run-in-batches.ts';
import { differ, synthesizeAnew } from './synthesize-in-worker.ts';
import { watchFiles } from './watch-files.ts';

/** A server that follows the source: what a save changes, and no more, is made anew. Data and tokens are kept. */

const outdir = scratchFolder('functions');
const build = createBuilder(outdir);
/** The files that the template follows from, and those of this very program. */
const readStack = createReader('cdk/build/build-app.ts');
const readSelf = createReader('cdk/local/watch/watch.ts');

const say = (words: string) => console.error(`↻ ${words}`);
const names = (paths: Iterable<string>, most = 3): string => {
  const all = [...paths].map(path => basename(path));
  return all.length <= most ? all.join(', ') : `${all.slice(0, most).join(', ')} and ${all.length - most} more`;
};
const since = (began: number) => `${Math.round(performance.now() - began)} ms`;
const sayFailure = async (error: unknown, files: ReadonlySet<string>) =>
  say(`${names(files)}: not reloaded, what was served before still is\n${await readable(error)}`);

let ofStack: ReadonlySet<string> = new Set();
let ofSelf: ReadonlySet<string> = new Set();

/** Which files belong to what, those included that did before: they may be gone. */
const read = async () => {
  const [stackBefore, selfBefore] = [ofStack, ofSelf];
  [ofStack, ofSelf] = await Promise.all([readStack(), readSelf()]);
  const any = (files: ReadonlySet<string>, ...sets: ReadonlySet<string>[]) =>
    [...files].filter(file => sets.some(set => set.has(file)));
  return {
    inStack: (files: ReadonlySet<string>) => any(files, ofStack, stackBefore),
    inSelf: (files: ReadonlySet<string>) => any(files, ofSelf, selfBefore),
  };
};

let webhook: string | undefined;

const assemble = async (options: StartOptions) => {
  webhook = options.webhook;
  try {
    await Promise.all([build(), read()]);
    return await synthesizeAnew(outdir, webhook);
  } catch (error) {
    throw new Error(await readable(error));
  }
};

let assembly!: Assembly;
const running = await launch(process.argv.slice(2), async options => {
  assembly = await assemble(options);
  return assembly;
});

const synthesize = inTurn(async files => {
  const began = performance.now();
  const next = await synthesizeAnew(outdir, webhook);
  if (!differ(assembly, next)) return;
  await running.replace(next);
  assembly = next;
  say(`${names(files)}: synthesized and served again (${since(began)})`);
}, sayFailure);

const foldersInUse = () => new Set([...running.inUse()].map(folder => basename(folder)));

const sayReloaded = (folders: ReadonlySet<string>, files: ReadonlySet<string>, began: number) => {
  const inUse = foldersInUse();
  const called = [...folders].filter(folder => inUse.has(basename(folder)));
  const uncalled = [...folders].filter(folder => !inUse.has(basename(folder)));
  if (called.length > 0) say(`${names(files)}: reloaded ${names(called)} (${since(began)})`);
  if (uncalled.length > 0)
    say(`${names(files)}: rebuilt ${names(uncalled)}, which nobody has called yet (${since(began)})`);
};

const reload = inTurn(async files => {
  const began = performance.now();
  // Those first that somebody calls, and waits for.
  const first = await build(files, foldersInUse());
  running.renew(first);
  sayReloaded(first, files, began);
  const rest = await build(files);
  running.renew(rest);
  sayReloaded(rest, files, began);
  const { inSelf, inStack } = await read();
  if (inSelf(files).length > 0) {
    say(`${names(inSelf(files))}: the local server itself, which starts again`);
    await running.stop(again);
  }
  // It takes longer, and the next save need not wait for it.
  synthesize(inStack(files));
}, sayFailure);

// Without its parent process (cdk/commands/dev.ts) nobody could stop it.
process.once('disconnect', () => running.stop());

await watchFiles(join(import.meta.dirname, '../../..'), ['cdk', 'functions', 'lib'], reload);
