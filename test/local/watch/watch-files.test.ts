import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { extraFiles } from '../../../cdk/build/bundle/extra-files.ts';
import { watchFiles } from '../../../cdk/local/watch/watch-files.ts';
import { newFolder } from '../../support/processes.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Watches a project that has `lib/model/pets.ts`. */
const watchProject = async () => {
  const root = await newFolder();
  const folder = join(root, 'lib/model');
  const save = (file: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), 'saved');
  };
  save('pets.ts');
  const changes: string[][] = [];
  stops.push(await watchFiles(root, ['lib'], files => void changes.push([...files].sort())));
  return { folder, save, changes, changed: () => [...new Set(changes.flat())].sort() };
};

describe('watchFiles', () => {
  it('reports a changed file by its path from the root, and no temporary files of editors', async () => {
    const { save, changed } = await watchProject();
    for (const file of ['4913', 'pets.ts~', '.pets.ts.swp', 'pets.ts']) save(file);
    await expect.poll(changed).toEqual(['lib/model/pets.ts']);
  });

  it('reports every file that ships, such as page.css', async () => {
    const { save, changed } = await watchProject();
    const beside = Object.values(extraFiles).flatMap(files => Object.keys(files));
    expect(beside).toContain('page.css');
    for (const file of beside) save(file);
    await expect.poll(changed).toEqual(expect.arrayContaining(beside.map(file => `lib/model/${file}`)));
  });

  it('reports each save once: of several writes, by renaming, and a deletion', async () => {
    const { folder, save, changes } = await watchProject();
    for (const text of ['', 'half', 'whole']) writeFileSync(join(folder, 'pets.ts'), text);
    await expect.poll(() => changes).toHaveLength(1);
    for (const count of [2, 3]) {
      save('pets.ts~');
      renameSync(join(folder, 'pets.ts~'), join(folder, 'pets.ts'));
      await expect.poll(() => changes).toHaveLength(count);
    }
    rmSync(join(folder, 'pets.ts'));
    await expect.poll(() => changes).toEqual(Array(4).fill(['lib/model/pets.ts']));
  });

  it('reports files in new folders, and in a folder that was removed and made again, as git checkout does', async () => {
    const { folder, save, changes, changed } = await watchProject();
    for (const round of [1, 2]) {
      rmSync(folder, { recursive: true });
      mkdirSync(join(folder, 'table/deep'), { recursive: true });
      save(`orders-${round}.ts`);
      await expect.poll(changed).toContain(`lib/model/orders-${round}.ts`);
      for (const file of ['pets.ts', 'categories.ts', 'table/deep/calls.ts']) {
        changes.length = 0;
        save(file);
        await expect.poll(changed).toContain(`lib/model/${file}`);
      }
    }
  });
});
