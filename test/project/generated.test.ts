import { it } from 'vitest';
import { type Settings, settingsOf } from '../../cdk/config/settings.ts';
import { dollars, sum } from '../../cdk/cost/bill.ts';
import {
  monthAtLimits,
  ordinaryMonth,
  ordinaryMonthTable,
  smallShop,
  tokensOfCalls,
} from '../../cdk/cost/ordinary-month.ts';
import { costTable, settingRows } from '../../cdk/cost/tables.ts';
import { worstCaseMonth } from '../../cdk/cost/worst-case-month.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { expectTables, markdownTable } from '../support/markdown-table.ts';
import { inPlace, sharedBundles, synthesizeShared } from '../support/petstore.ts';
import { stages } from '../support/stages.ts';

/** A price in dollars without cents, for large amounts. */
const whole = (month: number): string => dollars(month).replace(/\.\d+$/, '');
const monthsOf = async () => ({
  ordinary: dollars(sum(Object.values(ordinaryMonth()))),
  worst: whole(sum(worstCaseMonth(await synthesizeShared({ stage: 'prod' })).map(({ month }) => month))),
});

/** The sentences about costs in README.md. */
const costSentence = async (): Promise<string> => {
  const { pageViews, orders } = smallShop;
  const { ordinary, worst } = await monthsOf();
  const [tokens, flood] = [Math.round(tokensOfCalls), monthAtLimits(1)].map(whole);
  return [
    `- With ${pageViews.toLocaleString('en-US')} page views and ${orders} orders a day, a stage costs about ${ordinary} a month, without free tiers. Clients that`,
    `  request a token for each call add ${tokens}. An idle stage costs only its storage. A flood of ordinary requests costs at`,
    `  most ${flood}, and the worst month ${worst}. The tests cap the worst month ([cost](cdk/cost/README.md)).`,
  ].join('\n');
};

/** A table of all operations of the API. */
const operationsTable = (): string => {
  const rows = allOperations.map(({ id, deprecated, stability, method, path, access }) => {
    const mark = deprecated ? 'deprecated' : stability;
    return [mark ? `${id} (${mark})` : id, `\`${method} ${path}\``, access];
  });
  return markdownTable(['Operation', 'Request', 'Scope'], ['---', '---', '---'], rows);
};

/** When to change each setting. The docstrings in settings.ts describe what the settings mean. */
const settingReasons: Readonly<Record<keyof Settings, string>> = {
  region: 'for prod, before the first deployment; never after it',
  account: 'if your credentials can reach several accounts',
  terminationProtection: 'true for prod',
  keepsData: 'false for a stage whose data you can lose',
  alarms: 'before callers depend on the stage: the email address of the person on call',
  runbookUrl: 'with alarms: a page that the person on call can open',
  dashboard: 'with alarms',
  accessLog: 'before callers depend on the stage: no other log has all 401 and 429. Needs the account stack',
  logRetention: 'days, as your rules of data protection demand',
  reportLines: 'to measure cold starts and memory',
  tracing: 'to follow single requests through AWS',
  domain: 'before callers know the URL of the gateway: a new API has another URL',
  publicUrl: 'if a CDN or proxy is in front',
  requestsPerAddress: 'in five minutes: if anonymous callers could use up the rate that all callers share',
  limits: 'when callers get 429: `{ placeOrder: { rate, burst, timeout } }`',
  defaultThrottle: 'when preflights, or requests for unknown paths or methods, get 429',
  maxRequestUnits: 'when the alarm Throttled names the table or an index',
  worstMonthCap: 'when you raise a limit: above the worst month of `npm run cost`',
  functionMemory: 'after you measured with `reportLines`',
  warmUp: 'the same',
  clients:
    'for each partner. Repeat the four defaults, which it replaces. Never rename a client: its orders would keep the old id',
  userPoolArn: 'for an existing user pool, before the first deployment; never after it',
  tokenUrl: 'with `userPoolArn`',
  tokenLifetime: 'minutes; with fewer, a leaked token ends sooner, but tokens cost more',
  tokensValidFrom: 'after a leak: to end all earlier tokens',
  webhooks: 'for each partner that receives events',
  events: 'false if nobody receives events',
  lifeCycle: 'to move the sunset of a deprecated operation',
  enforceSunset: 'true to return 410 after the sunset; otherwise the operation continues to work',
  indexShards: 'above 1,000 writes a second of pets, or of orders; never lower it',
  adoptedTable: 'after a restore: `npm run adopt` prints the value',
  eventsGeneration: 'with `adoptedTable`',
};

const textOf = (value: unknown): string => {
  if (value === undefined || JSON.stringify(value) === '{}') return 'none';
  if (typeof value !== 'object') return String(value);
  const text = JSON.stringify(value).replaceAll('"', '').replaceAll(/[:,]/g, '$& ');
  return text.length > 30 ? 'several' : text;
};

/** Each setting: its default, when to change it, and what an example value adds to the worst month and to the idle month. */
const settingsTable = async (): Promise<string> => {
  const defaults = settingsOf('any');
  const added = new Map<string, string>();
  for await (const row of settingRows({ stage: 'prod', stages, bundles: sharedBundles(), context: inPlace })) {
    const [, example, name, month, idle] = /^\| (`(\w+).*`) \| (\S+) \| (\S+) \|$/.exec(row) ?? [];
    if (name) added.set(name, `${example}: ${month}${idle === '$0.00' ? '' : `, idle ${idle}`}`);
  }
  const rows = Object.entries(settingReasons).map(([name, reason]) => {
    return [`\`${name}\``, textOf(defaults[name as keyof Settings]), reason, added.get(name) ?? ''];
  });
  const head = ['Setting', 'Default', 'When to change it', 'Added to the worst month, and to an idle one'];
  return markdownTable(head, Array(4).fill('---'), rows);
};

it('README.md lists the operations, and says what a stage costs', async () =>
  expectTables('README.md', { operations: operationsTable(), cost: await costSentence() }));

it('cdk/README.md has the size and the price of a stage, and every setting', async () => {
  const { template } = await synthesizeShared({ stage: 'dev' });
  const { ordinary, worst } = await monthsOf();
  const deployed = [
    `\`dev\` is a stack of ${Object.keys(template.Resources).length} resources. An ordinary month of a small shop costs ${ordinary}. An idle month costs only`,
    `its storage. The worst month costs ${worst} ([details](cost/README.md)).`,
  ].join('\n');
  await expectTables('cdk/README.md', { deployed, settings: await settingsTable() });
});

it('cdk/cost/README.md has what a month costs', async () =>
  expectTables('cdk/cost/README.md', {
    ordinary: ordinaryMonthTable(),
    cost: costTable(await synthesizeShared({ stage: 'prod' })),
  }));
