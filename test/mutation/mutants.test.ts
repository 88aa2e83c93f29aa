import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mutants } from './list/index.ts';
import { mutated } from './mutant.ts';

const root = join(import.meta.dirname, '../..');

describe('the mutants', () => {
  it('apply: the code that each changes is there, once', () => {
    const stale = mutants.flatMap(mutant => {
      try {
        const source = readFileSync(join(root, mutant.file), 'utf8');
        return mutated(source, mutant) === source ? [`${mutant.name}: changes nothing`] : [];
      } catch (error) {
        return [(error as Error).message];
      }
    });
    expect(stale).toEqual([]);
  });

  it('have names of their own', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it('name tests that are there', () => {
    const missing = mutants
      .map(({ killer }) => killer)
      .filter(
        ({ file, name = '' }) =>
          !existsSync(join(root, file)) || !readFileSync(join(root, file), 'utf8').includes(name),
      );
    expect(missing).toEqual([]);
  });
});
