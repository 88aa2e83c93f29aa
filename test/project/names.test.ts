import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Names that several files export, since they mean the same in each: why. */
const alike: Readonly<Record<string, string>> = {
  handler: 'what Lambda calls, in every function',
  get: 'a verb of a noun, which is imported whole: pets.get, orders.get',
  list: 'the same',
  create: 'the same',
  change: 'the same',
  remove: 'the same',
  Answer: 'what comes back for a request: as a sentence gives it, as a check looks at it',
  DeadLetter: 'an event that no webhook took: where it is given up, and where it is sent again',
  Key: 'the primary key of the table; the audit derives anew and takes nothing from the model',
  Throttle: 'a rate and a burst: as they are decided, and as a template that knows no decisions has them',
  judge: 'says what an answer is worth: DynamoDB’s to the model, a stage’s to who verifies it',
};

const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'lib', 'functions', 'cdk'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  // The names of paths.ts are the generator's.
  .filter(file => file.endsWith('.ts') && !file.endsWith('/index.ts') && file !== 'cdk/openapi/paths.ts');

const declaration = /^export (?:async )?(?:const|let|function\*?|class|interface|type) (?:(\w+)|{([^}]*)})/gm;

/** What a file exports of its own; `a: b` of a pattern is exported as `b`. */
const exportsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(declaration)].flatMap(([, name, pattern = '']) =>
    name ? [name] : pattern.split(',').map(part => part.split(':').at(-1)!.trim()),
  );

const filesOf = new Map<string, string[]>();
for (const file of sources)
  for (const name of new Set(exportsOf(file))) filesOf.set(name, [...(filesOf.get(name) ?? []), file]);
const shared = [...filesOf].filter(([, files]) => files.length > 1);

describe('a name that is exported', () => {
  it('means one thing: no other file exports it', () => {
    const found = shared
      .filter(([name]) => !Object.hasOwn(alike, name))
      .map(([name, files]) => `${name} is exported by ${files.join(' and ')}: rename one, or say why it is the same`);
    expect(found).toEqual([]);
  });

  it('is excused only where several files have it', () => {
    const names = shared.map(([name]) => name);
    expect(Object.keys(alike).filter(name => !names.includes(name))).toEqual([]);
  });
});
