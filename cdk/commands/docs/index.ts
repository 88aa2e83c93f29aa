import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../build/bundle/bundle.ts';
import { functionNames } from '../../build/bundle/function-names.ts';
import { synthesize } from '../../build/synthesize.ts';
import { withOwnTable } from '../../config/settings.ts';
import { growthTable } from '../../cost/growth.ts';
import { choicesTable, costTable } from '../../cost/tables.ts';
import { commandsTable, operateTable, workTable } from './commands.ts';
import { withTable } from './marked.ts';
import { operationsTable } from './operations.ts';

const root = join(import.meta.dirname, '../../..');

/** Puts a table into its place in a file. */
export const writeTable = (file: string, name: string, table: string): void => {
  const path = join(root, file);
  writeFileSync(path, withTable(readFileSync(path, 'utf8'), name, table));
  console.log(`Written: the table "${name}" of ${file}`);
};

// Those that need nothing but the code. What the access patterns cost is measured by their test, which writes theirs.
if (import.meta.main) {
  writeTable('README.md', 'operations', operationsTable());
  writeTable('README.md', 'commands', commandsTable());
  writeTable('.github/CONTRIBUTING.md', 'commands', workTable());
  writeTable('cdk/RUNBOOK.md', 'commands', operateTable());
  const bundles = await bundle(functionNames);
  const assembly = await synthesize({ stage: 'prod', settings: withOwnTable, bundles });
  writeTable('cdk/README.md', 'cost', costTable(assembly));
  writeTable('cdk/README.md', 'growth', growthTable(assembly));
  writeTable('cdk/README.md', 'choices', await choicesTable({ bundles }));
}
