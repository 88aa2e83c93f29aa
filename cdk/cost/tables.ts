import type { AppOptions } from '../build/build-app.ts';
import { type Assembly, synthesize } from '../build/synthesize.ts';
import { prices } from '../config/prices.ts';
import { type Settings, withOwnTable } from '../config/settings.ts';
import { dollars, sum } from './numbers.ts';
import type { CostLine } from './standing-costs.ts';
import { worstMonth } from './worst-case-month.ts';

const totals = (lines: readonly CostLine[]) => ({
  month: sum(lines.map(({ month }) => month)),
  idle: sum(lines.map(({ idle = 0 }) => idle)),
});

/** The bill as a table. */
export const costTable = (assembly: Assembly): string => {
  const lines = worstMonth(assembly);
  const { month: worst, idle: least } = totals(lines);
  return [
    '| | Bounded by | Worst month | Idle month |',
    '|---|---|---:|---:|',
    ...lines.map(({ what, bound, month, idle = 0 }) => `| ${what} | ${bound} | ${dollars(month)} | ${dollars(idle)} |`),
    `| **Total** | | **${dollars(worst)}** | **${dollars(least)}** |`,
    '',
    `Prices as written down on ${prices.date}, us-east-1, without free tiers (cdk/config/prices.ts; compare them with AWS's pages). Beside these, by what you keep or ask for: table ${dollars(prices.tableGigabyteMonth)} and its backup ${dollars(prices.backupGigabyteMonth)} per GB-month (both tables', while one is adopted), logs ${dollars(prices.logGigabyteMonth)} per GB-month for 30 days, and $${prices.token} per access token (cache each for its \`expires_in\` seconds). Each webhook costs ${dollars(prices.secretMonth)} a month for its secret and ${dollars(prices.webhookRequest * 1e6)} per million requests, those that fail included; with webhooks set, the table has their lines.`,
  ].join('\n');
};

/** What a stage may have beside the default, as the settings say it. */
export const choices: readonly { readonly words: string; readonly settings: Partial<Settings> }[] = [
  { words: 'alarms: { email }', settings: { alarms: { email: 'oncall@example.com' } } },
  { words: 'dashboard: true', settings: { dashboard: true } },
  { words: 'accessLog: true', settings: { accessLog: true } },
  { words: 'reportLines: true', settings: { reportLines: true } },
  {
    words: 'webhooks: { one, of one request a second }',
    settings: {
      webhooks: { one: { url: 'https://example.com/', types: ['petstore.*'], secret: 'petstore-webhook', rate: 1 } },
    },
  },
  {
    words: 'domain: { name, certificateArn }',
    settings: {
      domain: {
        name: 'pets.example.com',
        certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef',
      },
    },
  },
  { words: 'events: false', settings: { events: false } },
];

/** What each choice adds to the bill of a stage, computed from its template: the rows of a table. */
export const choiceRows = async function* (options: AppOptions): AsyncGenerator<string> {
  const billOf = async (settings: Partial<Settings>) =>
    totals(worstMonth(await synthesize({ ...options, settings: { ...withOwnTable, ...settings } })));
  yield '| Setting | Worst month, more | Idle month, more |';
  yield '|---|---:|---:|';
  const plain = await billOf({});
  for (const { words, settings } of choices) {
    const { month, idle } = await billOf(settings);
    yield `| \`${words}\` | ${dollars(month - plain.month)} | ${dollars(idle - plain.idle)} |`;
  }
};

export const choicesTable = async (options: AppOptions): Promise<string> => {
  const rows: string[] = [];
  for await (const row of choiceRows(options)) rows.push(row);
  return rows.join('\n');
};
