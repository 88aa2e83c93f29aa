import { it } from 'vitest';
import { dollars, sum } from '../../cdk/cost/bill.ts';
import {
  monthAtLimits,
  ordinaryMonth,
  ordinaryMonthTable,
  smallShop,
  tokensOfCalls,
} from '../../cdk/cost/ordinary-month.ts';
import { costTable } from '../../cdk/cost/tables.ts';
import { worstCaseMonth } from '../../cdk/cost/worst-case-month.ts';
import { expectTables } from '../support/markdown-table.ts';
import { inPlace, sharedBundles, synthesizeShared } from '../support/petstore.ts';
import { stages } from '../support/stages.ts';
import { commandsTable } from './commands-table.ts';
import { operationsTable } from './operations-table.ts';
import { settingsTable } from './settings-table.ts';

/** Without cents where they are more than anybody needs. */
const whole = (month: number): string => dollars(month).replace(/\.\d+$/, '');
const monthsOf = async () => ({
  ordinary: dollars(sum(Object.values(ordinaryMonth()))),
  worst: whole(sum(worstCaseMonth(await synthesizeShared({ stage: 'prod' })).map(({ month }) => month))),
});

/** What a stage costs. */
const costSentence = async (): Promise<string> => {
  const { pageViews, orders } = smallShop;
  const { ordinary, worst } = await monthsOf();
  const [tokens, flood] = [Math.round(tokensOfCalls), monthAtLimits(1)].map(whole);
  return [
    `- With ${pageViews.toLocaleString('en-US')} page views and ${orders} orders per day, a stage costs about ${ordinary} per month, without free`,
    `  tiers, and ${tokens} more if clients request a token for each call instead of caching it. An idle stage costs only its`,
    `  storage. A flood of ordinary requests costs at most ${flood}, and the worst-case month ${worst}: the tests fail if it`,
    '  exceeds a cap ([cost](cdk/cost/README.md)).',
  ].join('\n');
};

it('README.md lists operations and commands, and says what a stage costs', async () =>
  expectTables('README.md', {
    operations: operationsTable(),
    commands: commandsTable(),
    cost: await costSentence(),
  }));

it('cdk/README.md has the size and the price of a stage, and every setting', async () => {
  const { template } = await synthesizeShared({ stage: 'dev' });
  const { ordinary, worst } = await monthsOf();
  const deployed = [
    `\`dev\` is a stack of ${Object.keys(template.Resources).length} resources. An ordinary month of a small shop costs ${ordinary}, an idle month only its`,
    `storage, and the worst month ${worst} ([costs](cost/README.md)).`,
  ].join('\n');
  const settings = await settingsTable({ stage: 'prod', stages, bundles: sharedBundles(), context: inPlace });
  await expectTables('cdk/README.md', { deployed, settings });
});

it('cdk/cost/README.md has what a month costs', async () =>
  expectTables('cdk/cost/README.md', {
    ordinary: ordinaryMonthTable(),
    cost: costTable(await synthesizeShared({ stage: 'prod' })),
  }));
