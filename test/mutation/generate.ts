import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** A change of a source file, because of which a test should fail. */
export interface Mutant {
  /** File, change and code of the line, so it stays the same when other code changes. Equal names are numbered. */
  readonly name: string;
  readonly file: string;
  /** The first line is 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The reason why no test can notice the mutant, from a comment `// mutant: reason` at its line or on the line before. */
  readonly reason: string | undefined;
}

const pairs = '=== !==, !== ===, < <=, <= <, > >=, >= >, && ||, || &&, + -, - +, * /, / *, % *';
const operators = new Map(pairs.split(', ').map(pair => pair.split(' ') as [string, string]));

/** A string with a space is for people, and is not mutated. */
const isProse = (node: ts.Node): boolean => /^['"`].* .*['"`]$/s.test(node.getText());

type Change = readonly [node: ts.Node, replacement: string];

/** Without those of its children. */
const changesOf = (node: ts.Node): Change[] => {
  if (ts.isBinaryExpression(node)) {
    const { left, operatorToken, right } = node;
    // An empty default value often exists only for the compiler, so it is not mutated.
    if (operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
      return /^(?:''|\[\]|\{\})$/.test(right.getText()) ? [] : [[node, left.getText()]];
    // This + joins a text for people with something else.
    if (isProse(left) || isProse(right)) return [];
    const other = operators.get(operatorToken.getText());
    return other ? [[operatorToken, other]] : [];
  }
  const condition = ts.isIfStatement(node)
    ? node.expression
    : ts.isConditionalExpression(node) && node.condition;
  if (condition) return ['true', 'false'].map(value => [condition, value]);
  if (ts.isWhileStatement(node)) return [[node.expression, 'false']];
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [[node, node.operand.getText()]];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, 'false']];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, 'true']];
  if (ts.isNumericLiteral(node)) return [[node, String(Number(node.text) + 1)]];
  if (ts.isExpressionStatement(node) && !/^super\b/.test(node.getText())) return [[node, ';']];
  if (ts.isSpreadAssignment(node) || ts.isShorthandPropertyAssignment(node)) return [[node, '']];
  if (ts.isSpreadElement(node) && ts.isArrayLiteralExpression(node.parent)) return [[node, '']];
  if (ts.isPropertyAssignment(node) && !isProse(node.initializer)) return [[node, '']];
  return [];
};

const isSkipped = (node: ts.Node): boolean =>
  ts.isTypeNode(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node);

const short = (code: string) => {
  const line = code.replaceAll(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
};

/** Sorted by line. */
export const mutantsOf = (file: string): Mutant[] => {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const lines = source.text.split('\n');
  const reasonAt = (line: number): string | undefined => {
    const comment = /\/\/ mutant: (.+)/;
    const before = lines[line - 1] ?? '';
    return (
      comment.exec(lines[line]!)?.[1] ??
      (before.trim().startsWith('//') ? comment.exec(before)?.[1] : undefined)
    );
  };
  const mutants: Mutant[] = [];
  const names = new Map<string, number>();
  const add = ([node, replacement]: Change) => {
    const start = node.getStart();
    // With an element of a list, its comma is removed.
    const end =
      replacement === ''
        ? node.end + (/^\s*,/.exec(source.text.slice(node.end))?.[0].length ?? 0)
        : node.end;
    const { line } = source.getLineAndCharacterOfPosition(start);
    const change = `${short(node.getText())} → ${short(replacement) || 'nothing'}`;
    const text = `${file}: ${change}   in   ${short(lines[line]!)}`;
    const count = (names.get(text) ?? 0) + 1;
    names.set(text, count);
    const name = count > 1 ? `${text} (${count})` : text;
    mutants.push({ name, file, line: line + 1, start, end, replacement, reason: reasonAt(line) });
  };
  const visit = (node: ts.Node) => {
    if (isSkipped(node)) return;
    changesOf(node).forEach(add);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
};
