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
import { allOperations } from '../../lib/operations/index.ts';
import { expectTables, markdownTable } from '../support/markdown-table.ts';
import { inPlace, sharedBundles, synthesizeShared } from '../support/petstore.ts';
import { stages } from '../support/stages.ts';
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
    `- With ${pageViews.toLocaleString('en-US')} page views and ${orders} orders a day, a stage costs about ${ordinary} a month, without free tiers. Clients that`,
    `  request a token for each call add ${tokens}. An idle stage costs only its storage, a flood of ordinary requests at most`,
    `  ${flood}, and the worst month ${worst}: the tests fail above a cap ([cost](cdk/cost/README.md)).`,
  ].join('\n');
};

/** All operations of the API, one in each row. */
const operationsTable = (): string => {
  const rows = allOperations.map(({ id, deprecated, stability, method, path, access }) => {
    const mark = deprecated ? 'deprecated' : stability;
    return [mark ? `${id} (${mark})` : id, `\`${method} ${path}\``, access];
  });
  return markdownTable(['Operation', 'Request', 'Scope'], ['---', '---', '---'], rows);
};

it('README.md lists the operations, and says what a stage costs', async () =>
  expectTables('README.md', { operations: operationsTable(), cost: await costSentence() }));

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
