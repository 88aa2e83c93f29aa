import { expect, it } from 'vitest';
import { defaultTokens } from '../../cdk/config/account-options.ts';
import { Settings, settingsOf } from '../../cdk/config/settings.ts';
import { dollars, sum } from '../../cdk/cost/bill.ts';
import * as cost from '../../cdk/cost/ordinary-month.ts';
import { costTable, tokensAtRate, totals } from '../../cdk/cost/tables.ts';
import { worstCaseMonth } from '../../cdk/cost/worst-case-month.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { type Feature, features, removalText } from '../support/features.ts';
import { expectTables, markdownTable } from '../support/markdown-table.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { read } from '../support/project.ts';

/** Large amounts have no cents. */
const whole = (month: number): string => dollars(Math.ceil(month)).replace(/\.\d+$/, '');
const prod = { assembly: await synthesizeShared({ stage: 'prod' }), settings: settingsOf('prod') };

/** About costs, in README.md. */
const costSentence = (): string => {
  const { pageViews, orders } = cost.smallShop;
  const month = cost.ordinaryMonth(prod);
  const ordinary = dollars(sum(Object.values(month)));
  const worst = whole(totals(worstCaseMonth(prod.assembly)).month);
  const noticed = tokensAtRate(defaultTokens / 900);
  const months = [
    Math.round(cost.tokensOfCalls - month['Cognito, tokens']!),
    cost.monthAtLimits(1, prod),
    noticed,
  ];
  const [tokens, flood, unnoticed] = months.map(whole);
  return [
    `- **An idle deployment costs only its storage**, with the default settings. A website with ${pageViews.toLocaleString('en-US')} page views and ${orders}`,
    `  orders a day pays about ${ordinary} a month, without free tiers, and ${tokens} more if its programs do not cache their tokens`,
    `  ([cost](cdk/cost/README.md)).`,
    `- **You know what a flood costs.** A month in which callers use up every rate limit costs ${flood} with ordinary requests,`,
    `  at most ${worst} with the costliest (\`npm run cost\`). A test fails above your cap. Access tokens come on top, and have no`,
    `  cap: fewer than ${defaultTokens} in 15 minutes cost at most ${unnoticed} a month, and [the account`,
    `  stack](cdk/README.md#the-account-stack) adds an alarm on more. Nothing at AWS stops at a bill.`,
  ].join('\n');
};

/** An operation and its handler, without their imports. */
const codeOf = (id: string): string => {
  const codes = ['lib/operations', 'functions'].map(folder => {
    const code = read(`${folder}/${id}.ts`);
    return `// ${folder}/${id}.ts${code.replace(/^import .*\n/gm, '').trimEnd()}`;
  });
  return `\`\`\`ts\n${codes.join('\n\n')}\n\`\`\``;
};

const operationsTable = (): string => {
  const rows = allOperations.map(({ id, deprecated, stability, method, path, access }) => {
    const mark = deprecated ? 'deprecated' : stability;
    return [mark ? `${id} (${mark})` : id, `\`${method} ${path}\``, access];
  });
  return markdownTable(['Operation', 'Request', 'Scope'], ['---', '---', '---'], rows);
};

const textOf = (value: unknown): string => {
  if (value === undefined || JSON.stringify(value) === '{}') return 'none';
  if (typeof value !== 'object') return String(value);
  const text = JSON.stringify(value).replaceAll('"', '').replaceAll(/[:,]/g, '$& ');
  return text.length > 30 ? 'several' : text;
};

/** "When to change it" and the order of the rows come from the current table in cdk/README.md. */
const settingsTable = (): string => {
  const text = read('cdk/README.md');
  const reasons = [...text.matchAll(/^\| `(\w+)` \|[^|\n]*\| *([^|\s][^|\n]*?) *\|$/gm)];
  const todo =
    'cdk/README.md: one row for each setting, | `name` | | when to change it |, then npm run generate';
  expect(reasons.map(([, name]) => name).sort(), todo).toEqual(Object.keys(Settings.shape).sort());
  const defaults: Readonly<Record<string, unknown>> = settingsOf('any');
  const rows = reasons.map(([, name, reason]) => [`\`${name}\``, textOf(defaults[name!]), reason!]);
  return markdownTable(['Setting', 'Default', 'When to change it'], Array(3).fill('---'), rows);
};

it('README.md has the code of an operation, lists all operations, and says what a stage costs', async () => {
  const sentence = costSentence();
  await expectTables('README.md', {
    cost: sentence,
    operation: codeOf('placeOrder'),
    operations: operationsTable(),
  });
});

it('CONTRIBUTING.md has what each feature that a shop may not want leaves behind', async () => {
  const names = Object.keys(features) as Feature[];
  const lists = Object.fromEntries(names.map(name => [name, removalText(name)]));
  await expectTables('.github/CONTRIBUTING.md', lists);
});

it('cdk/README.md has every setting', async () => {
  await expectTables('cdk/README.md', { settings: settingsTable() });
});

it('cdk/cost/README.md has what a month costs', async () => {
  const ordinary = cost.ordinaryMonthTable(prod);
  await expectTables('cdk/cost/README.md', { ordinary, cost: costTable(prod.assembly) });
});
