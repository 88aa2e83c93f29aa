import ts from 'typescript';

/** Of `it.each` and of template literals. */
const placeholders = /%[sdifjoOc#%]|\$\{[^}]*\}|\$[a-z][\w.]*/g;

/** `it` of `it(…)`, `it.each(…)(…)` and `it.skipIf(…)(…)`. */
const functionNameOf = (callee: ts.Expression): string | undefined => {
  if (ts.isIdentifier(callee)) return callee.text;
  const isChained = ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee);
  return isChained ? functionNameOf(callee.expression) : undefined;
};

/** The full names of the tests in a source text, as Vitest matches them, with U+FFFD in place of what only a run knows. */
export const testNamesOf = (source: string): string[] => {
  const names: string[] = [];
  const visit = (node: ts.Node, outer: readonly string[]): void => {
    const name = ts.isCallExpression(node) ? functionNameOf(node.expression) : undefined;
    const [title] = ts.isCallExpression(node) ? node.arguments : [];
    const isTitle = title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title));
    const path = [...outer];
    if ((name === 'it' || name === 'describe') && isTitle) {
      const text = ts.isStringLiteralLike(title) ? title.text : title.getText().slice(1, -1);
      path.push(text.replace(placeholders, '\uFFFD'));
      if (name === 'it') names.push(path.join(' > '));
    }
    ts.forEachChild(node, child => visit(child, path));
  };
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest, true), []);
  return names;
};
