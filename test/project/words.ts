import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Rejects words that the field does not use, in every file of the repository, and long lines of Markdown prose.
 * `npm run check` runs it. A line with `word:` and a reason in a comment is exempt.
 */

const root = join(import.meta.dirname, '../..');

/** A word, whole or as a part of an identifier → what to write instead. */
const everywhere: [rejected: RegExp, replacement: string][] = [
  [/^(un|re)?(tells?|told|telling)$/, 'publish (events), print, say, report'],
  [/^mend(s|ed|ing)?$/, 'fix'],
  [/^(bury|buries|buried|burying)$/, 'dead-letter'],
  [/^fold(s|ed|ing)?$/, 'apply (events), rebuild'],
  [/^anew$/, 'again, or the name of what happens: republish, recompute'],
  [/^whoever$/, 'the reader, the caller, the operator'],
  [/^catalogues?$/, 'catalog'],
];
const phrases: [rejected: RegExp, replacement: string][] = [
  [/business sentence/i, 'handler'],
  [/burn(s|ed|t|ing)? the token/i, 'resolve an ambiguous write'],
  [/kept[ _-]?records?/i, 'dead-letter queue, dead-lettered records'],
  [/comesAgain|comes_again/i, 'retryFrom'],
];
const inIdentifiers: [rejected: RegExp, replacement: string][] = [
  [/^(un)?settle[sdr]?$|^settling$/, 'resolve, retry on conflict'],
  [/^judge(s|d|ment)?$|^judging$/, 'classify, check'],
  [/^patien(ce|t)$/, 'timeout, grace period, max attempts'],
  [/^(un)?(seen|shown)$/, 'current, received, printed'],
  [/^walk(s|ed|er|ing)?$/, 'paginate, traverse'],
];

const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
const generated =
  /package-lock\.json$|^cdk\/openapi\/(openapi\.json|paths\.ts)$|\.(png|ico|gz)$|^test\/project\/words\.ts$/;

const partsOf = (text: string) => text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').match(/[A-Za-z]+/g) ?? [];

/** A line of TypeScript without its comments and the text of its strings. */
const codeOf = (line: string) =>
  /^\s*(\/?\*|\/\/)/.test(line)
    ? ''
    : line.replace(/'[^']*'|"[^"]*"|`[^`$]*`?|\/\/ .*/g, '').replace(/allSettled/g, '');

const rejectedIn = (file: string, line: string) => {
  const found = (list: typeof everywhere, text: string) =>
    partsOf(text).flatMap(part =>
      list.filter(([rejected]) => rejected.test(part.toLowerCase())).map(([, instead]) => ({ part, instead })),
    );
  const identifiers = /\.[cm]?[jt]s$/.test(file) ? codeOf(line) : '';
  return [
    ...found(everywhere, line),
    ...phrases
      .filter(([rejected]) => rejected.test(line))
      .map(([rejected, instead]) => ({ part: rejected.source, instead })),
    ...found(inIdentifiers, identifiers),
  ];
};

const problems: string[] = [];
for (const file of tracked.split('\n').filter(name => name && !generated.test(name))) {
  for (const { part, instead } of rejectedIn(`x.ts`, file))
    problems.push(`${file}: the path has "${part}"; write: ${instead}`);
  let inCode = false;
  for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
    if (/\bword: \S/.test(line)) continue;
    const at = `${file}:${index + 1}`;
    for (const { part, instead } of rejectedIn(file, line)) problems.push(`${at}: "${part}"; write: ${instead}`);
    if (!file.endsWith('.md')) continue;
    if (line.startsWith('```')) inCode = !inCode;
    const prose = !inCode && !line.startsWith('|') ? line.replace(/\]\([^)]*\)|https?:\S+/g, '') : '';
    if (prose.length > 120) problems.push(`${at}: ${prose.length} characters; a line of prose has at most 120`);
  }
}
const asked = process.argv.slice(2);
const reported = problems.filter(problem => asked.length === 0 || asked.some(path => problem.startsWith(path)));
for (const problem of reported) console.error(problem);
if (reported.length > 0) {
  console.error(
    `${reported.length} rejected words or long lines. A line that needs its word says why: // word: reason`,
  );
  process.exitCode = 1;
}
