import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../build/bundle/bundle.ts';
import { functionNames } from '../../build/bundle/function-names.ts';
import { synthesize } from '../../build/synthesize.ts';
import { withOwnTable } from '../../config/settings.ts';
import { ordinaryMonthTable } from '../../cost/ordinary-month.ts';
import { costTable, settingsTable } from '../../cost/tables.ts';
import { commandOf } from '../shared/command.ts';
import { commandsTable, operateTable, workTable } from './commands.ts';
import { withTable } from './markdown-table.ts';
import { operationsTable } from './operations.ts';

const root = join(import.meta.dirname, '../../..');

/** Replaces a generated table in a file. */
export const writeTable = (file: string, name: string, table: string): void => {
  const path = join(root, file);
  writeFileSync(path, withTable(readFileSync(path, 'utf8'), name, table));
  console.log(`Written: the table "${name}" of ${file}`);
};

const usage = `npm run docs
Writes the generated tables of README.md, cdk/RUNBOOK.md, cdk/cost/README.md, .github/CONTRIBUTING.md and lib/model/README.md.
  --help  print this`;

/** Tests that write the table of what they measure or simulate. */
const measuring = ['test/api/access-patterns.test.ts', 'test/cost/hot-item.test.ts'];

if (import.meta.main) {
  const { readOptions, run } = commandOf(usage);
  readOptions({});
  await run(async () => {
    writeTable('README.md', 'operations', operationsTable());
    writeTable('README.md', 'commands', commandsTable());
    writeTable('.github/CONTRIBUTING.md', 'commands', workTable());
    writeTable('cdk/RUNBOOK.md', 'commands', operateTable());
    const bundles = await bundle(functionNames);
    const assembly = await synthesize({ stage: 'prod', settings: withOwnTable, bundles });
    writeTable('cdk/cost/README.md', 'ordinary', ordinaryMonthTable());
    writeTable('cdk/cost/README.md', 'cost', costTable(assembly));
    writeTable('cdk/cost/README.md', 'settings', await settingsTable({ stage: 'prod', bundles }));
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const env = { ...process.env, PETSTORE_WRITE_TABLES: '1' };
    const [code] = await once(
      spawn(process.execPath, [vitest, 'run', ...measuring], { cwd: root, stdio: 'inherit', env }),
      'exit',
    );
    return code ?? 1;
  });
}
