import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';

// Prints rejected words and long lines of Markdown prose: node test/project/words.ts [PATH …].
// A line with a comment `word: reason` is exempt.

type Rule = readonly [rejected: RegExp, replacement: string];

const everywhere: readonly Rule[] = [
  [/\b(un|re)?(tells?|told|telling)\b/gi, 'publish (events), print, report, say'],
  [/\bmend(s|ed|ing)?\b/gi, 'fix'],
  [/\b(bury|buries|buried|burying)\b/gi, 'dead-letter'],
  [/\b(un)?fold(s|ed|ing)?\b/gi, 'apply (events), rebuild'],
  [/\banew\b/gi, 'again, or what happens: republish, recompute'],
  [/\bwhoever\b/gi, 'the reader, the caller, the operator'],
  [/\bcatalogues?\b/gi, 'catalog'],
  [/\bbusiness sentences?\b/gi, 'handler'],
  [/\bburn(s|ed|t|ing)? the token\b/gi, 'resolve an ambiguous write'],
  [/\bkept records?\b/gi, 'dead-letter queue, dead-lettered records'],
  [/\bcomes again\b/gi, 'retryFrom'],
];
const inIdentifiers: readonly Rule[] = [
  [/\b(un)?settle[sdr]?\b|\bsettling\b/gi, 'resolve, retry on conflict'],
  [/\bjudge?(s|d|ments?|ing)?\b/gi, 'classify, check'],
  [/\b(im)?patien(ce|t)\b/gi, 'timeout, grace period, max attempts'],
  [/\b(un)?(seen|shown)\b/gi, 'current, received, printed'],
  [/\bwalk(s|ed|er|ing)?\b/gi, 'paginate, traverse'],
];

/** Splits identifiers into words first. `allSettled` is JavaScript's. */
const rejectedIn = (text: string, rules: readonly Rule[]): string[] => {
  const words = text
    .replace(/\ballSettled\b/g, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_\-/.]+/g, ' ');
  return rules.flatMap(([rejected, instead]) => (words.match(rejected) ?? []).map(word => `"${word}": ${instead}`));
};

/** The identifiers of each line; in JSON the keys, elsewhere what is neither comment nor string. */
const identifiersOf = (file: string, text: string): string[] => {
  const lines = text.split('\n');
  if (/\.(md|html)$/.test(file)) return [];
  if (file.endsWith('.json')) return lines.map(line => (line.match(/"[^"]*"(?=\s*:)/g) ?? []).join(' '));
  if (!/\.[cm]?[jt]s$/.test(file)) return lines.map(line => line.replace(/'[^']*'|"[^"]*"|(^|\s)(#|\/\*) .*/g, ''));
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found = lines.map(() => '');
  const visit = (node: ts.Node): void => {
    const name = ts.isPropertyAssignment(node) && ts.isStringLiteral(node.name) ? node.name : node;
    if (ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || (name !== node && ts.isStringLiteral(name)))
      found[source.getLineAndCharacterOfPosition(name.end).line] += ` ${name.text}`;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

/** Without code and punctuation. */
const wordsOf = (cell: string): number => cell.replace(/`[^`]*`/g, '').match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0;

export const problemsOf = (file: string, text: string): string[] => {
  const identifiers = identifiersOf(file, text);
  let isCode = false;
  const inLines = text.split('\n').flatMap((line, index) => {
    if (line.startsWith('```')) isCode = !isCode;
    if (/(\/\/|\/\*|#|<!--) word: \S/.test(line)) return [];
    const isProse = file.endsWith('.md') && !isCode && !line.startsWith('|');
    const length = isProse ? line.replace(/\]\([^)]*\)|https?:\S+/g, '').length : 0;
    const cells = file.endsWith('.md') && !isCode && line.startsWith('|') ? line.split(' | ') : [];
    const problems = [...rejectedIn(line, everywhere), ...rejectedIn(identifiers[index] ?? '', inIdentifiers)];
    if (length > 120) problems.push(`${length} characters: a line of prose has at most 120`);
    if (cells.some(cell => wordsOf(cell) > 15)) problems.push('a table cell has at most 15 words');
    return problems.map(problem => `${file}:${index + 1}: ${problem}`);
  });
  return [...rejectedIn(file, [...everywhere, ...inIdentifiers]).map(problem => `${file}: ${problem}`), ...inLines];
};

if (import.meta.main) {
  // Files of other programs, and those that list the words.
  const excluded =
    /package-lock\.json$|openapi\/(openapi\.json|paths\.ts)$|\.(png|ico|gz)$|project\/words(\.test)?\.ts$/;
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...process.argv.slice(2)]).toString();
  const files = tracked.split('\n').filter(file => existsSync(file) && !excluded.test(file));
  const problems = files.flatMap(file => problemsOf(file, readFileSync(file, 'utf8')));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0)
    console.error(`${problems.length} rejected words, long lines or long cells. Rewrite the sentences.`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
