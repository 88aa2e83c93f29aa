import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { globSync } from 'node:fs';
import { type Mutant, mutantsOf } from './generate.ts';

const generated = ['cdk/openapi/paths.ts'];
const sources = globSync(['lib/**/*.ts', 'functions/*.ts', 'cdk/**/*.ts'], {
  exclude: generated,
}).sort();

/** @param path a file or a folder */
export const mutantsBelow = (path: string): Mutant[] =>
  sources.filter(file => file === path || file.startsWith(`${path}/`)).flatMap(mutantsOf);

export const mutantsSince = (base: string): Mutant[] => {
  const diffOptions = ['--unified=0', '--no-ext-diff', base, '--', ...sources];
  const diff = execFileSync('git', ['diff', ...diffOptions], { encoding: 'utf8' });
  return diff.split(/^diff --git /m).flatMap(text => {
    const file = /^\+\+\+ b\/(.+)$/m.exec(text)?.[1];
    if (!file) return [];
    const changed = Array.from(
      text.matchAll(/^@@ .* \+(\d+)(?:,(\d+))? @@/gm),
      ([, from, count]) => {
        const first = Number(from);
        return { first, last: first + Number(count ?? 1) - 1 };
      },
    );
    return mutantsOf(file).filter(({ line }) =>
      changed.some(({ first, last }) => first <= line && line <= last),
    );
  });
};

/** The newest tag, or else the commit before the current one. */
export const defaultBase = (): string => {
  try {
    return execFileSync('git', ['describe', '--tags', '--abbrev=0'], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  } catch {
    return 'HEAD~1';
  }
};

/** A mutant stays in the sample as long as its code does not change. */
export const sampleOf = (mutants: readonly Mutant[], size: number, seed: string): Mutant[] => {
  const rankOf = ({ name }: Mutant) => hash('sha256', seed + name);
  return mutants.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1)).slice(0, size);
};
