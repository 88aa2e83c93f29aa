import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endToEnd } from '../../vitest.config.ts';
import { coverageFile, type TestCoverage } from '../support/coverage-reports.ts';
import { type Mutant, mutantsOf } from './generate.ts';

/** Without generated files. */
const sources = globSync(['lib/**/*.ts', 'functions/*.ts', 'cdk/**/*.ts'], {
  exclude: ['cdk/openapi/paths.ts'],
}).sort();

/** @param path a file or a folder */
export const mutantsBelow = (path: string): Mutant[] =>
  sources.filter(file => file === path || file.startsWith(`${path}/`)).flatMap(mutantsOf);

export const mutantsSince = (base: string): Mutant[] => {
  const diff = execFileSync('git', ['diff', '--unified=0', '--no-ext-diff', base, '--', ...sources], {
    encoding: 'utf8',
  });
  return diff.split(/^diff --git /m).flatMap(text => {
    const file = /^\+\+\+ b\/(.+)$/m.exec(text)?.[1];
    if (!file) return [];
    const changed = Array.from(text.matchAll(/^@@ .* \+(\d+)(?:,(\d+))? @@/gm), ([, from, count]) => {
      const first = Number(from);
      return { first, last: first + Number(count ?? 1) - 1 };
    });
    return mutantsOf(file).filter(({ line }) => changed.some(({ first, last }) => first <= line && line <= last));
  });
};

/** The newest tag, or else the commit before the current one. */
export const defaultBase = (): string => {
  try {
    return execFileSync('git', ['describe', '--tags', '--abbrev=0'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'HEAD~1';
  }
};

/** A mutant stays in the sample as long as its code does not change. */
export const sampleOf = (mutants: readonly Mutant[], size: number, seed: string): Mutant[] => {
  const rankOf = ({ name }: Mutant) => hash('sha256', seed + name);
  return mutants.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1)).slice(0, size);
};

/** With coverage, the most test files for a mutant. Further ones would hardly notice what these miss. */
const mostTests = 35;

const testFiles = globSync('test/**/*.test.ts', { exclude: endToEnd }).sort();

/** The project's files that a file imports at run time, or whose paths it has as strings, such as `'cdk/commands/query.ts'`. */
const importsOf = (file: string): string[] => {
  const text = readFileSync(file, 'utf8').replaceAll(/^(?:import|export) type .*$/gm, '');
  const relative = Array.from(text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g), ([, path]) =>
    join(dirname(file), path!),
  );
  const named = Array.from(text.matchAll(/['`]((?:cdk|lib|functions)\/[\w./-]+)(?:\$\{\w+\})?([\w./]*)['`]/g)).flatMap(
    ([, start, end]) =>
      end === '' ? [start!] : sources.filter(path => path.startsWith(start!) && path.endsWith(end!)),
  );
  return [...relative, ...named].filter(path => existsSync(path) && path.endsWith('.ts'));
};

const importers = new Map<string, string[]>();
for (const file of [...sources, ...globSync('test/**/*.ts')])
  for (const imported of importsOf(file)) importers.set(imported, [...(importers.get(imported) ?? []), file]);

/** The test files that import a file → how many imports are between the two. */
const distancesTo = (file: string): Map<string, number> => {
  const distances = new Map([[file, 0]]);
  for (const [path, distance] of distances)
    for (const importer of importers.get(path) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  return new Map([...distances].filter(([path]) => testFiles.includes(path)));
};

/** From the last whole run. */
const coverage: TestCoverage[] = existsSync(coverageFile) ? JSON.parse(readFileSync(coverageFile, 'utf8')) : [];
export const hasCoverage = coverage.length > 0;

/** `lib/operations/listOrders.ts` → `operations`, `list`, `orders`. */
const words = (path: string) =>
  path
    .replace(/\.(test\.)?ts$/, '')
    .split(/[/.-]|(?=[A-Z])/)
    .slice(1)
    .map(word => word.toLowerCase());

/**
 * The test files that can notice a change of a file: those that import it, and those that call a function whose bundle contains
 * it. Similar paths come first, then few imports in between (for test/api at most two), then few called functions. Without
 * coverage, all are returned.
 * @param bundled the functions whose bundles contain the file
 */
export const testsOf = (file: string, bundled: ReadonlySet<string>): string[] => {
  if (!hasCoverage) return testFiles;
  // A test with more than three imports to a module of lib/ uses it only in a bundle, or not at all.
  const farthest = /^(?:lib|functions)\//.test(file) ? 3 : Number.POSITIVE_INFINITY;
  const isNear = (test: string) => test.startsWith(`test/${dirname(file)}/`);
  const distances = new Map([...distancesTo(file)].filter(([test, far]) => far <= farthest || isNear(test)));
  const calls = new Map(
    coverage.flatMap(({ file: test, functions }) =>
      functions.some(name => bundled.has(name)) ? [[test, functions.length] as const] : [],
    ),
  );
  const sharedWords = (test: string) => words(file).filter(word => words(test).includes(word)).length;
  // The tests in test/api use the file in a bundle.
  const distanceTo = (test: string) => Math.min(distances.get(test) ?? 4, test.startsWith('test/api/') ? 2 : 4);
  const rank = (test: string) => distanceTo(test) * 50 + (calls.get(test) ?? 0) - sharedWords(test) * 10_000;
  return testFiles
    .filter(test => distances.has(test) || calls.has(test))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, mostTests);
};
