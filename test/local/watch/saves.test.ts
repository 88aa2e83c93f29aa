import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { filesBeside } from '../../../cdk/build/bundle/extra-files.ts';
import { watchSaves } from '../../../cdk/local/watch/saves.ts';
import { newFolder } from '../../support/processes.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A project with `lib/model/pets.ts`, whose saves are told. */
const followed = async () => {
  const root = await newFolder();
  const folder = join(root, 'lib/model');
  const save = (file: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), '');
  };
  save('pets.ts');
  const told = new Set<string>();
  stops.push(watchSaves(root, ['lib'], files => void files.forEach(file => void told.add(file))));
  return { folder, save, told: () => [...told].sort() };
};

describe('what is saved', () => {
  it('is told by its name from the root on, but for what only editors write', async () => {
    const { save, told } = await followed();
    for (const file of ['4913', 'pets.ts~', '.pets.ts.swp', 'pets.ts']) save(file);
    await expect.poll(told).toEqual(['lib/model/pets.ts']);
  });

  it('is told of whatever ships, code or not', async () => {
    const { save, told } = await followed();
    const beside = Object.values(filesBeside).flatMap(files => Object.values(files).map(file => basename(file)));
    expect(beside).toContain('page.css');
    for (const file of beside) save(file);
    await expect.poll(told).toEqual(expect.arrayContaining(beside.map(file => `lib/model/${file}`)));
  });

  it('is told of a new folder, also when it was there before anybody could listen', async () => {
    const { folder, told } = await followed();
    mkdirSync(join(folder, 'table/deep'), { recursive: true });
    writeFileSync(join(folder, 'table/deep/calls.ts'), '');
    await expect.poll(told).toEqual(['lib/model/table/deep/calls.ts']);
  });

  it('is told of a folder that was removed and made again, as a branch that is checked out does', async () => {
    const { folder, save, told } = await followed();
    rmSync(folder, { recursive: true });
    save('orders.ts');
    await expect.poll(told).toContain('lib/model/orders.ts');
    save('categories.ts');
    await expect.poll(told).toContain('lib/model/categories.ts');
  });
});
