import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { commandOf, runMain, UsageError } from './command.ts';

// No npm script, because a copy of the project needs it once (.github/CONTRIBUTING.md, "Make it yours").

const current = 'petstore';
const maxLength = 24;
const usage = `npx node cdk/rename.ts NAME
Renames the project: texts, files, identifiers, and names in AWS.
  NAME             words of a-z and 0-9 with hyphens, such as pet-shop; at most ${maxLength} characters`;

const untouched = /^(node_modules|cdk\.out|coverage|data|\.git|\.petstore)$/;
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter(entry => !untouched.test(entry.name))
    .flatMap(entry => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesIn(path);
      return entry.isFile() && !readFileSync(path).includes(0) ? [path] : [];
    });

/** Text and identifiers in turns. Code is in files of TypeScript and JavaScript, and in fences of Markdown. */
const partsOf = (path: string, text: string): string[] => {
  const fences = path.endsWith('.md')
    ? text.matchAll(/(?<=```(?:ts|js|javascript)\n).*?(?=```)/gs)
    : [];
  const pieces = /\.[jt]s$/.test(path) ? [{ 0: text, index: 0 }] : [...fences];
  const places = pieces.flatMap(({ 0: code, index }) => {
    const source = ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest);
    const placesIn = (node: ts.Node): (readonly [from: number, to: number])[] => {
      const own = ts.isIdentifier(node)
        ? [[index + node.getStart(source), index + node.end] as const]
        : [];
      ts.forEachChild(node, child => void own.push(...placesIn(child)));
      return own;
    };
    return placesIn(source).sort(([a], [b]) => a - b);
  });
  const cuts = [0, ...places.flat(), text.length];
  return cuts.slice(1).map((to, at) => text.slice(cuts[at], to));
};

/** `pet-shop`, `petShop`, `PetShop`, `PET_SHOP` and `pet_shop`. */
const formsOf = (name: string) => {
  const pascal = name.replaceAll(/(?:^|-)(.)/g, (_, letter) => letter.toUpperCase());
  const snake = name.replaceAll('-', '_');
  return { name, camel: name[0] + pascal.slice(1), pascal, upper: snake.toUpperCase(), snake };
};

const rename = (text: string, name: string, isIdentifier = false): string => {
  const [from, to] = [formsOf(current), formsOf(name)];
  return text
    .replaceAll(from.pascal, to.pascal)
    .replaceAll(from.upper, to.upper)
    .replaceAll(
      RegExp(`${from.camel}${isIdentifier || from.camel !== from.name ? '' : '(?=[A-Z])'}`, 'g'),
      to.camel,
    )
    .replaceAll(`${from.snake}_`, `${to.snake}_`)
    .replaceAll(from.name, to.name);
};

export const command = commandOf({ usage, options: {}, most: 9 }, (_, words) => {
  const name = words.join(' ');
  if (name.length > maxLength)
    throw new UsageError(
      `"${name}" is too long: names in AWS also have the stage, and lines of texts are limited.`,
    );
  if (!/^[a-z][a-z\d]*(-[a-z\d]+)*$/.test(name))
    throw new UsageError(
      name === '' ? 'Which name?' : `"${name}" cannot be part of identifiers and of names in AWS.`,
    );
  const { camel, pascal } = formsOf(name);
  if (`${pascal}Keyword` in ts.SyntaxKind)
    throw new Error(
      `No identifier can be ${camel}, a word of TypeScript. Add another word, such as ${name}-shop.`,
    );
  const root = join(import.meta.dirname, '..');
  const files = filesIn(root).map(path => ({
    path,
    parts: partsOf(path, readFileSync(path, 'utf8')),
  }));
  for (const { path, parts } of files) {
    const used = parts.find((part, at) => at % 2 === 1 && [camel, pascal].includes(part));
    if (used)
      throw new Error(
        `${used} would have two meanings: it is an identifier in ${relative(root, path)}. Add another word, such as ${name}-shop.`,
      );
  }
  for (const { path, parts } of files) {
    const renamed = parts.map((part, at) => rename(part, name, at % 2 === 1)).join('');
    if (renamed !== parts.join('')) writeFileSync(path, renamed);
    renameSync(path, join(dirname(path), rename(basename(path), name)));
  }
});

if (import.meta.main) await runMain(command);
