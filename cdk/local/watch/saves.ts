import { type Dirent, type FSWatcher, readdirSync, type WatchListener, watch } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { filesBeside } from '../../build/bundle/extra-files.ts';

/** Editors write in several steps; so many milliseconds after the last one a save is whole. */
const calm = 25;

/** Endings of what ships: code, and whatever lies beside it. Editors use other names on the way. */
const endings = new Set(['.ts', ...Object.values(filesBeside).flatMap(files => Object.values(files).map(extname))]);

/** None of a folder that is gone meanwhile. */
const entriesOf = (path: string): Dirent[] => {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
};
const filesIn = (path: string): string[] => entriesOf(path).flatMap(entry => (entry.isFile() ? [entry.name] : []));

/** A folder and all below it. */
const foldersIn = (path: string): string[] => [
  path,
  ...entriesOf(path).flatMap(entry => (entry.isDirectory() ? foldersIn(join(path, entry.name)) : [])),
];

/** A folder may go before it is watched. */
const watchIfThere = (path: string, listener: WatchListener<string>): FSWatcher | undefined => {
  try {
    return watch(path, listener);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

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

  /** A folder that is gone is watched no more, nor what was in it; one that is made again by its name is another. */
  const forget = (folder: string) => {
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(join(folder, '/'))) continue;
      watcher.close();
      watchers.delete(path);
    }
  };

  const hear = (path: string, name: string) => {
    if (endings.has(extname(name))) heard(join(path, name));
  };

  /** @returns the folders that are watched from now on */
  const follow = (folder: string): string[] => {
    const news = foldersIn(folder).filter(path => !watchers.has(path));
    for (const path of news) {
      const watcher = watchIfThere(path, (event, name) => {
        if (!name) return;
        if (event === 'rename') {
          forget(join(path, name));
          // What was written into a new folder before it was watched is as good as saved.
          for (const added of follow(path)) for (const file of filesIn(added)) hear(added, file);
        }
        hear(path, name);
      });
      if (!watcher) continue;
      watcher.on('error', () => watchers.delete(path));
      watchers.set(path, watcher);
    }
    return news;
  };
  for (const folder of folders) follow(join(root, folder));

  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
};
