import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FSWatcher } from 'chokidar';
import { expect, it, onTestFinished, vi } from 'vitest';
import { servedFiles } from '../../../cdk/bundle/served-files.ts';
import { tempFolder } from '../../../cdk/files/temp-folder.ts';
import { watchFiles } from '../../../cdk/local/watch/watch-files.ts';

/** A project with `lib/model/pets.ts`. */
const watchProject = async () => {
  const root = tempFolder('data');
  const folder = join(root, 'lib/model');
  const save = (file: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), 'saved');
  };
  save('pets.ts');
  const changes: string[][] = [];
  onTestFinished(await watchFiles(files => void changes.push([...files].sort()), root, ['lib']));
  return { folder, save, changes, changed: () => [...new Set(changes.flat())].sort() };
};

it('watchFiles reports every file that ships, and no temporary files of editors', async () => {
  const { save, changed } = await watchProject();
  const shipped = ['pets.ts', ...Object.values(servedFiles).flatMap(files => Object.keys(files))];
  expect(shipped).toContain('page.css');
  for (const file of ['4913', 'pets.ts~', '.pets.ts.swp', ...shipped]) save(file);
  await expect.poll(changed).toEqual([...new Set(shipped)].map(file => `lib/model/${file}`).sort());
});

it('watchFiles reports each save and deletion once, also after an error', async () => {
  const [unwatch, on] = [
    vi.spyOn(FSWatcher.prototype, 'unwatch'),
    vi.spyOn(FSWatcher.prototype, 'on'),
  ];
  const warn = vi.spyOn(console, 'error').mockReturnValue();
  const { folder, save, changes } = await watchProject();
  const onError = on.mock.calls.find(([event]) => event === 'error')![1] as (error: Error) => void;
  for (const path of ['a', 'b', 'c'])
    onError(Object.assign(new Error(`ENOSPC: watch '${path}'`), { code: 'ENOSPC' }));
  const remedy =
    'This system watches no more files: sudo sysctl fs.inotify.max_user_watches=524288';
  expect(warn.mock.calls).toEqual([[`↻ Changes of some files are missed: ${remedy}`]]);
  const [file, temporary] = ['pets.ts', 'pets.ts~'].map(name => join(folder, name)) as [
    string,
    string,
  ];
  for (const text of ['', 'half', 'whole']) writeFileSync(file, text);
  await expect.poll(() => changes).toHaveLength(1);
  for (const count of [2, 3]) {
    save('pets.ts~');
    renameSync(temporary, file);
    await expect.poll(() => changes).toHaveLength(count);
  }
  rmSync(file);
  await expect.poll(() => changes).toEqual(Array(4).fill(['lib/model/pets.ts']));
  expect(unwatch, 'only a removed folder is watched again').not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

it('watchFiles reports files in new folders, also if they existed before', async () => {
  const { folder, save, changes, changed } = await watchProject();
  for (const round of [1, 2]) {
    rmSync(folder, { recursive: true });
    mkdirSync(join(folder, 'table/deep'), { recursive: true });
    for (const file of [`orders-${round}.ts`, 'pets.ts', 'categories.ts', 'table/deep/calls.ts']) {
      changes.length = 0;
      save(file);
      await expect.poll(changed).toContain(`lib/model/${file}`);
    }
  }
});
