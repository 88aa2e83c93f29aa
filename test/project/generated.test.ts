import { it } from 'vitest';
import { dollars, sum } from '../../cdk/cost/bill.ts';
import {
  monthAtLimits,
  ordinaryMonth,
  ordinaryMonthTable,
  smallShop,
  tokensOfCalls,
} from '../../cdk/cost/ordinary-month.ts';
import { costTable, settingsTable } from '../../cdk/cost/tables.ts';
import { worstCaseMonth } from '../../cdk/cost/worst-case-month.ts';
import type { Assembly } from '../../cdk/synthesis/template.ts';
import { expectTables } from '../support/markdown-table.ts';
import { inPlace, sharedBundles, synthesizeShared } from '../support/petstore.ts';
import { stages } from '../support/stages.ts';
import { commandsTable, operateTable, workTable } from './commands-table.ts';
import { operationsTable } from './operations-table.ts';

/** What a stage costs, without cents where they are more than anybody needs. */
const costOf = (assembly: Assembly): string => {
  const { pageViews, orders } = smallShop;
  const ordinary = dollars(sum(Object.values(ordinaryMonth())));
  const worst = sum(worstCaseMonth(assembly).map(({ month }) => month));
  const [tokens, flood, most] = [Math.round(tokensOfCalls), monthAtLimits(1), worst].map(month =>
    dollars(month).replace(/\.\d+$/, ''),
  );
  return [
    `- With ${pageViews.toLocaleString('en-US')} page views and ${orders} orders per day, a stage costs about ${ordinary} per month, without free`,
    `  tiers, and ${tokens} more if clients request a token for each call instead of caching it. An idle stage costs only its`,
    `  storage. A flood of ordinary requests costs at most ${flood}, and the worst-case month ${most}: the tests fail if it`,
    '  exceeds a cap ([cost](cdk/cost/README.md)).',
  ].join('\n');
};

it('README.md lists operations and commands, and says what a stage costs', async () =>
  expectTables('README.md', {
    operations: operationsTable(),
    commands: commandsTable(),
    cost: costOf(await synthesizeShared({ stage: 'prod' })),
  }));

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
