import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Names that several files export with the same meaning, and the reason. */
const allowed: Readonly<Record<string, string>> = {
  handler: 'the Lambda handler of every function',
  get: 'a verb of a module that is imported as a whole: pets.get, orders.get',
  list: 'the same',
  create: 'the same',
  change: 'the same',
  remove: 'the same',
  Key: 'the primary key of the table; the audit shares no code with the model',
};

const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'lib', 'functions', 'cdk'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  // paths.ts is generated.
  .filter(file => file.endsWith('.ts') && !file.endsWith('/index.ts') && file !== 'cdk/openapi/paths.ts');

const declaration = /^export (?:async )?(?:const|let|function\*?|class|interface|type) (?:(\w+)|{([^}]*)})/gm;

/** The names that a file declares and exports; `a: b` of a pattern is exported as `b`. */
const exportsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(declaration)].flatMap(([, name, pattern = '']) =>
    name ? [name] : pattern.split(',').map(part => part.split(':').at(-1)!.trim()),
  );

const filesOf = new Map<string, string[]>();
for (const file of sources)
  for (const name of new Set(exportsOf(file))) filesOf.set(name, [...(filesOf.get(name) ?? []), file]);
const shared = [...filesOf].filter(([, files]) => files.length > 1);

describe('an exported name', () => {
  it('is exported by only one file', () => {
    const found = shared
      .filter(([name]) => !Object.hasOwn(allowed, name))
      .map(
        ([name, files]) => `${name} is exported by ${files.join(' and ')}: rename one, or add a reason to this test`,
      );
    expect(found).toEqual([]);
  });

  it('has an exception only when several files export it', () => {
    const names = shared.map(([name]) => name);
    expect(Object.keys(allowed).filter(name => !names.includes(name))).toEqual([]);
  });
});
