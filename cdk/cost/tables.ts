import { defaultTokens } from '../config/account-options.ts';
import { prices, secondsPerMonth } from '../config/prices.ts';
import { settingsOf } from '../config/settings.ts';
import type { Assembly } from '../synthesis/template.ts';
import { type CostLine, dollars, sum } from './bill.ts';
import { idleWebhook } from './webhooks.ts';
import { accessLogBytes, worstCaseMonth } from './worst-case-month.ts';

/** Read request units of an item that does not exist, eventually consistent (lib/model/table/warm-up.ts). */
const warmUpUnits = 0.5;

/** Dollars of a month, which the worst-case month does not have. @param perSecond access tokens */
export const tokensAtRate = (perSecond: number): number =>
  perSecond * secondsPerMonth * prices.token;

/** Dollars. */
export const totals = (lines: readonly CostLine[]) => ({
  month: sum(lines.map(({ month }) => month)),
  idle: sum(lines.map(({ idle }) => idle)),
});

export const costTable = (assembly: Assembly): string => {
  const lines = worstCaseMonth(assembly);
  const { month: worstTotal, idle: idleTotal } = totals(lines);
  return [
    '| | Bounded by | Worst-case month | Idle month |',
    '|---|---|---:|---:|',
    ...lines.map(
      ({ what, bound, month, idle }) =>
        `| ${what} | ${bound} | ${dollars(month)} | ${dollars(idle)} |`,
    ),
    `| **Total** | | **${dollars(worstTotal)}** | **${dollars(idleTotal)}** |`,
    '',
    `Prices of ${prices.date}, us-east-1, without free tiers (cdk/config/prices.ts).`,
    'These costs depend on what you store and request:',
    '',
    `- The table: ${dollars(prices.tableGigabyteMonth)} per GB-month, and its backup ${dollars(prices.backupGigabyteMonth)}. While a table is adopted, you pay for both.`,
    `- Logs: ${dollars(prices.logGigabyteMonth)} per GB-month, for ${settingsOf('prod').logRetention} days by default.`,
    `- Cold starts: $${(10_000 * warmUpUnits * prices.readRequestUnit).toFixed(4)} per 10,000, for the call of \`warmUp\`. The reads above include it.`,
    `- Access tokens: at most $${prices.token} each. One a second costs at most ${dollars(tokensAtRate(1))} a month, ${defaultTokens} in 15 minutes ${dollars(tokensAtRate(defaultTokens / 900))}, Cognito's quota of ${prices.tokenQuota} a second ${dollars(tokensAtRate(prices.tokenQuota))}. The account stack's alarm on them costs ${dollars(prices.alarmMetric)}.`,
    `- 429s in the access log (\`accessLog\`), which nothing limits: ${dollars((100 * accessLogBytes * secondsPerMonth * prices.logGigabyte) / 1e9)} a month for 100 a second.`,
    `- Webhooks: an idle one costs ${dollars(idleWebhook)} a month, for its secret and Lambda's polling of its queue.`,
  ].join('\n');
};
