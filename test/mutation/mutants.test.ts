import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mutants } from './list/index.ts';
import { applyMutant } from './mutant.ts';

const root = join(import.meta.dirname, '../..');

describe('the mutants', () => {
  it('apply: the code of each occurs exactly once', () => {
    const stale = mutants.flatMap(mutant => {
      try {
        const source = readFileSync(join(root, mutant.file), 'utf8');
        return applyMutant(source, mutant) === source ? [`${mutant.name}: changes nothing`] : [];
      } catch (error) {
        return [(error as Error).message];
      }
    });
    expect(stale).toEqual([]);
  });

  it('have unique names', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it('name existing tests', () => {
    const missing = mutants
      .map(({ test }) => test)
      .filter(
        ({ file, name = '' }) =>
          !existsSync(join(root, file)) || !readFileSync(join(root, file), 'utf8').includes(name),
      );
    expect(missing).toEqual([]);
  });
});
