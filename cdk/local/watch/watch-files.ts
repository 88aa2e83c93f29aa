import { existsSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { watch } from 'chokidar';
import { servedFiles } from '../../bundle/served-files.ts';

/** The files that ship. Editors write temporary files with other extensions. */
const extensions = new Set([
  '.ts',
  ...Object.values(servedFiles).flatMap(files => Object.keys(files).map(extname)),
]);

/** Milliseconds. An editor writes a file in several steps, and chokidar drops further changes within 50 ms of one. */
const debounce = 60;

/**
 * @param onChange gets the paths of changed files, relative to the root
 * @returns a function that stops watching
 */
export const watchFiles = async (
  onChange: (files: ReadonlySet<string>) => void,
  root = join(import.meta.dirname, '../../..'),
  paths = ['cdk', 'functions', 'lib', 'CHANGELOG.md'],
): Promise<() => Promise<void>> => {
  let changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    onChange(changed);
    changed = new Set();
  };
  const watcher = watch(paths, {
    cwd: root,
    ignored: (path, stats) => stats?.isFile() === true && !extensions.has(extname(path)),
  });
  // All other files stay watched.
  const warnings = new Set<string>();
  watcher.on('error', error => {
    const { code, message } = error as NodeJS.ErrnoException;
    const remedy =
      'This system watches no more files: sudo sysctl fs.inotify.max_user_watches=524288';
    // One for each folder would be some hundred lines (inotify(7), ENOSPC).
    const reason = code === 'ENOSPC' ? remedy : message;
    if (!warnings.has(reason)) console.error(`↻ Changes of some files are missed: ${reason}`);
    warnings.add(reason);
  });
  await new Promise<void>(resolve => void watcher.once('ready', resolve));
  watcher.on('all', (event, path) => {
    if (event.endsWith('Dir')) return;
    changed.add(path.replaceAll('\\', '/'));
    clearTimeout(timer);
    timer = setTimeout(report, debounce);
  });
  // If a folder is removed and created again, as by `git checkout`, chokidar keeps watching the removed folder.
  watcher.on('raw', (event, name, details) => {
    const { watchedPath } = details as { watchedPath: string };
    if (
      event !== 'rename' ||
      name !== basename(watchedPath) ||
      extensions.has(extname(watchedPath))
    )
      return;
    const watchAgain = () =>
      !watcher.closed && existsSync(watchedPath) && watcher.unwatch(watchedPath).add(watchedPath);
    setTimeout(watchAgain, debounce);
  });
  return async () => {
    clearTimeout(timer);
    await watcher.close();
  };
};
