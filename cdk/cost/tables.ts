import { prices, secondsPerMonth } from '../config/prices.ts';
import { type StageSettings, settingsOf } from '../config/settings.ts';
import type { AppOptions } from '../synthesis/build-app.ts';
import { synthesize } from '../synthesis/synthesize.ts';
import type { Assembly } from '../synthesis/template.ts';
import { type CostLine, dollars, sum } from './bill.ts';
import { slowestAttempt } from './webhooks.ts';
import { accessLogBytes, worstCaseMonth } from './worst-case-month.ts';

/** Read request units of an item that does not exist, eventually consistent (lib/model/table/warm-up.ts). */
const warmUpUnits = 0.5;

const totals = (lines: readonly CostLine[]) => ({
  month: sum(lines.map(({ month }) => month)),
  idle: sum(lines.map(({ idle }) => idle)),
});

export const costTable = (assembly: Assembly): string => {
  const lines = worstCaseMonth(assembly);
  const { month: worstTotal, idle: idleTotal } = totals(lines);
  return [
    '| | Bounded by | Worst-case month | Idle month |',
    '|---|---|---:|---:|',
    ...lines.map(({ what, bound, month, idle }) => `| ${what} | ${bound} | ${dollars(month)} | ${dollars(idle)} |`),
    `| **Total** | | **${dollars(worstTotal)}** | **${dollars(idleTotal)}** |`,
    '',
    `Prices of ${prices.date}, us-east-1, without free tiers (cdk/config/prices.ts).`,
    'These costs depend on what you store and request:',
    '',
    `- The table: ${dollars(prices.tableGigabyteMonth)} per GB-month, and its backup ${dollars(prices.backupGigabyteMonth)}. While a table is adopted, you pay for both.`,
    `- Logs: ${dollars(prices.logGigabyteMonth)} per GB-month, for ${settingsOf('prod').logRetention} days by default.`,
    `- Cold starts: $${(10_000 * warmUpUnits * prices.readRequestUnit).toFixed(4)} per 10,000, for the call of \`warmUp\`. The reads above include it.`,
    `- Access tokens: $${prices.token} each.`,
    `- 429s in the access log (\`accessLog\`), which nothing limits: ${dollars((100 * accessLogBytes * secondsPerMonth * prices.logGigabyte) / 1e9)} a month for 100 a second.`,
    `- Webhooks: ${dollars(prices.secretMonth)} a month for the secret of each, and Lambda's polling of its queue.`,
  ].join('\n');
};

/** The keys are what a user writes into the settings. */
export const costlySettings = (region = 'us-east-1'): Readonly<Record<string, StageSettings>> => {
  const certificateArn = `arn:aws:acm:${region}:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef`;
  const one = { url: 'https://example.com/', types: ['petstore.*'], secret: 'petstore-webhook', concurrency: 2 };
  return {
    'alarms: { email }': { alarms: { email: 'oncall@example.com' } },
    'dashboard: true': { dashboard: true },
    'accessLog: true': { accessLog: true },
    'requestsPerAddress: 2400': { requestsPerAddress: 2_400 },
    'tracing: true': { tracing: true },
    'webhooks: one, concurrency 2': { webhooks: { one } },
    'domain: { name, certificateArn }': { domain: { name: 'pets.example.com', certificateArn } },
    'events: false': { events: false },
    'functionMemory: 512': { functionMemory: 512 },
  };
};

/** Skips settings that the stage has. */
export const settingRows = async function* (options: AppOptions): AsyncGenerator<string> {
  const assemble = (settings: StageSettings) => synthesize({ ...options, settings });
  const given: StageSettings = options.stages?.[options.stage ?? ''] ?? {};
  const isNew = (name: string) => !(name in given) && !(name === 'events' && given.webhooks);
  yield '| Setting | Added to the worst-case month | Added to the idle month |';
  yield '|---|---:|---:|';
  const plain = totals(worstCaseMonth(await assemble({})));
  const row = (what: string, lines: readonly CostLine[]) => {
    const { month, idle } = totals(lines);
    return `| ${what} | ${dollars(month - plain.month)} | ${dollars(idle - plain.idle)} |`;
  };
  for (const [setting, settings] of Object.entries(costlySettings(given.region))) {
    if (!Object.keys(settings).every(isNew)) continue;
    const assembly = await assemble(settings);
    yield row(`\`${setting}\``, worstCaseMonth(assembly));
    const slow = `the same, with a receiver that takes ${slowestAttempt} seconds for every attempt`;
    if (settings.webhooks) yield row(slow, worstCaseMonth(assembly, slowestAttempt));
  }
};
