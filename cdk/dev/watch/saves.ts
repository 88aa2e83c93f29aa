import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join, relative } from 'node:path';

/** Editors write in several steps; so many milliseconds after the last one a save is whole. */
const calm = 25;

const subfolders = (path: string): string[] => {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(entry => join(path, entry.name));
  } catch {
    return [];
  }
};

/** A folder and all below it. */
const foldersIn = (path: string): string[] => [path, ...subfolders(path).flatMap(foldersIn)];

/**
 * Tells of every save below some folders of a root. Folders are watched, one by one, not files: `sed -i`, vim and other
 * editors write a new file and rename it over the old one, and whoever watches the old file hears nothing more. (So does
 * Node's own recursive watching on Linux, which watches files; chokidar would do, as a dependency for these lines.)
 * @param tell is given the files, named from the root on
 */
export const watchSaves = (root: string, folders: readonly string[], tell: (files: ReadonlySet<string>) => void) => {
  const watchers = new Map<string, FSWatcher>();
  let files = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const heard = (file: string) => {
    files.add(relative(root, file).replaceAll('\\', '/'));
    clearTimeout(timer);
    timer = setTimeout(() => {
      const saved = files;
      files = new Set();
      tell(saved);
    }, calm);
  };

  const follow = (folder: string) => {
    for (const path of foldersIn(folder)) {
      if (watchers.has(path)) continue;
      const watcher = watch(path, (event, name) => {
        if (!name) return;
        if (event === 'rename') follow(folder);
        // Not the names that editors use on the way.
        if (/\.(ts|js|json|html)$/.test(name)) heard(join(path, name));
      });
      // The folder is gone.
      watcher.on('error', () => watchers.delete(path));
      watchers.set(path, watcher);
    }
  };
  for (const folder of folders) follow(join(root, folder));

  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
};
