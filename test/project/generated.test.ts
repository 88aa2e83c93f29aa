import { it } from 'vitest';
import { ordinaryMonthTable } from '../../cdk/cost/ordinary-month.ts';
import { costTable, settingsTable } from '../../cdk/cost/tables.ts';
import { expectTables } from '../support/markdown-table.ts';
import { inPlace, sharedBundles, synthesizeShared } from '../support/petstore.ts';
import { stages } from '../support/stages.ts';
import { commandsTable, operateTable, workTable } from './commands-table.ts';
import { operationsTable } from './operations-table.ts';

it('README.md lists operations and commands', () =>
  expectTables('README.md', { operations: operationsTable(), commands: commandsTable() }));

it('cdk/RUNBOOK.md lists the commands of operators', () =>
  expectTables('cdk/RUNBOOK.md', { commands: operateTable() }));

it('.github/CONTRIBUTING.md lists the commands of contributors', () =>
  expectTables('.github/CONTRIBUTING.md', { commands: workTable() }));

it('cdk/cost/README.md has what a month and what a setting costs', async () =>
  expectTables('cdk/cost/README.md', {
    ordinary: ordinaryMonthTable(),
    cost: costTable(await synthesizeShared({ stage: 'prod' })),
    settings: await settingsTable({ stage: 'prod', stages, bundles: sharedBundles(), context: inPlace }),
  }));
