import { once } from 'node:events';
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { stop } from 'esbuild';
import { tempFolder } from '../../files/temp-folder.ts';
import type { Assembly } from '../../synthesis/template.ts';
import { launch } from '../launch.ts';
import type { StartOptions } from '../options.ts';
import { createBundler, formatBuildError, listSources } from './bundler.ts';
import { watchFiles } from './watch-files.ts';

// The server of `npm run dev`. It reloads changed functions. When it or the stack imports a changed file, cdk/commands/dev.ts
// starts it again, with the same data, port and tokens.

const options: StartOptions = JSON.parse(process.argv[2]!);
const outdir = tempFolder('functions');
const bundle = createBundler(outdir);
const listImported = () =>
  listSources('cdk/local/watch/watch.ts', 'cdk/local/watch/synthesis-worker.ts');

/** A new thread loads the changed modules. */
const synthesize = async (): Promise<Assembly> => {
  const workerData = { ...options, outdir };
  const worker = new Worker(new URL('synthesis-worker.ts', import.meta.url), { workerData });
  const [first] = await Promise.race(['message', 'exit'].map(name => once(worker, name)));
  if (typeof first === 'object') return first;
  throw new Error('The synthesis ended without a template.');
};

const log = (text: string) => console.error(`↻ ${text}`);
const names = (paths: Iterable<string>, most = 3): string => {
  const all = [...paths].map(path => basename(path));
  return all.length <= most
    ? all.join(', ')
    : `${all.slice(0, most).join(', ')} and ${all.length - most} more`;
};

let imported: ReadonlySet<string>;
/** Since the last reload. */
let changed = new Set<string>();
/** Changed files that this process or its stack has imported. */
const stale = new Set<string>();

const reload = async (): Promise<void> => {
  if (changed.size === 0) return;
  const files = changed;
  changed = new Set();
  try {
    const startedAt = performance.now();
    for (const file of files) if (imported.has(file)) stale.add(file);
    const folders = await bundle();
    running.reload(folders);
    const time = Math.round(performance.now() - startedAt);
    if (folders.size > 0) log(`${names(files)}: reloaded ${names(folders)} (${time} ms)`);
    if (stale.size === 0) return;
    // Without a parent, for example in a debugger.
    if (!process.send) return log(`${names(stale)}: start the server again to load it`);
    // Names the line of a syntax error in a file that the synthesis does not load.
    await listImported();
    await synthesize();
    // The next reload checks these changes, too.
    if (changed.size > 0) return;
    log(`${names(stale)}: the server restarts, because it or the stack imports this`);
    process.send(running.port);
    await running.stop();
  } catch (error) {
    const reason = await formatBuildError(error);
    log(`${names(files)}: not reloaded; the previous version is still served\n${reason}`);
  }
};

// First, because esbuild prints stack traces if this process ends while it waits for a response.
process.prependOnceListener('exit', stop);
const started = Promise.withResolvers<void>();
let reloads = started.promise;
// Before the first bundle, so that it misses no change of a file that was read already.
await watchFiles(files => {
  changed = changed.union(files);
  reloads = reloads.then(reload);
});
const running = await launch(options, async () => {
  try {
    [, imported] = await Promise.all([bundle(), listImported()]);
    return await synthesize();
  } catch (error) {
    throw new Error(await formatBuildError(error));
  }
});

// Without its parent process (cdk/commands/dev.ts), nothing could stop this process.
process.once('disconnect', () => running.stop());
started.resolve();
