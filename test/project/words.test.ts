import { describe, expect, it } from 'vitest';
import { problemsOf } from './words.ts';

describe('the word check', () => {
  it.each([
    ['a comment', 'lib/a.ts', '// What is told'],
    ['a string', 'lib/a.ts', "log('untold');"],
    ['a part of an identifier', 'lib/a.ts', 'const isUntold = 1;'],
    ['an identifier of other rules', 'lib/a.ts', 'const seenPets = 1;'],
    ['a template literal', 'lib/a.ts', `const text = \`\${walk(pets)} pets\`;`],
    ['a template literal of several lines', 'lib/a.ts', `\`text\n\${settled}\`;`],
    ['a destructured name', 'lib/a.ts', 'const { a, shown } = page;'],
    ['a private name', 'lib/a.js', 'class A { #patience = 1 }'],
    ['a quoted property name', 'lib/a.ts', "const a = { 'last-seen': 1 };"],
    ['a file name', 'lib/judge.ts', ''],
    ['a folder name', 'lib/walks/a.ts', ''],
    ['a JSON value', 'package.json', '{ "a": "told" }'],
    ['a JSON key', 'package.json', '{ "lastSeen": 1 }'],
    ['YAML', 'ci.yml', 'walk: true # a comment'],
    ['a YAML comment', 'ci.yml', 'a: true # mend it'],
    ['a shell script', '.ci/run', 'patience=5'],
    ['CSS', 'page.css', '.seen { color: red }'],
    ['Python', 'a.py', 'def walk_items(): pass'],
    ['HTML', 'page.html', '<p>told</p>'],
    ['Markdown', 'README.md', 'The catalogue'],
    ['a phrase', 'README.md', 'The kept records'],
    ['a phrase as an identifier', 'lib/a.ts', 'const keptRecordsUrl = 1;'],
    ['a constant', 'lib/a.ts', 'const KEPT_RECORDS_URL = 1;'],
    ['a long line of Markdown', 'README.md', 'word '.repeat(25)],
    ['a long table cell', 'README.md', `| short | ${'word '.repeat(16)}|`],
  ])('finds a problem in %s', (_, file, text) => {
    expect(problemsOf(file, text)).toHaveLength(1);
  });

  it.each([
    ['a longer word', 'lib/a.ts', 'const intelligent = scaffold;'],
    ['a word that only identifiers must not have', 'lib/a.ts', "// Not seen yet\nlog('Shown above');"],
    ['a YAML text', 'ci.yml', "name: 'Walk through' # seen"],
    ['Promise.allSettled', 'lib/a.ts', 'await Promise.allSettled([]);'],
    ['an exception with a reason', 'lib/a.ts', 'const seen = 1; // word: the name in RFC 1'],
    ['an exception in YAML', 'ci.yml', 'walk: true # word: the name of the option'],
    ['an exception in Markdown', 'README.md', 'told <!-- word: a quotation -->'],
    ['a long table row', 'README.md', `| ${`${'word '.repeat(15)}| `.repeat(3)}`],
    ['a table cell with code', 'README.md', `| ${'`code` '.repeat(20)}|`],
    ['a long line of code', 'README.md', `\`\`\`sh\n${'word '.repeat(25)}\n\`\`\``],
    ['a long URL', 'README.md', `[text](https://example.com/${'a'.repeat(120)})`],
  ])('accepts %s', (_, file, text) => {
    expect(problemsOf(file, text)).toEqual([]);
  });

  it('rejects an exception without a reason', () => {
    expect(problemsOf('lib/a.ts', 'const seen = 1; // word:')).toHaveLength(1);
  });

  it('prints file, line, word and replacement', () => {
    expect(problemsOf('lib/a.ts', '\n// mended')).toEqual(['lib/a.ts:2: "mended": fix']);
  });
});
