import { bundle } from '../bundle/bundle.ts';
import { functionNames } from '../bundle/function-names.ts';
import { commandOf, note, print, runMain, text, UsageError } from '../command.ts';
import { prices } from '../config/prices.ts';
import { settingsOf } from '../config/settings.ts';
import { dollars, number, sum } from '../cost/bill.ts';
import {
  monthAtLimits,
  ordinaryMonth,
  ordinaryMonthTable,
  smallShop,
} from '../cost/ordinary-month.ts';
import { costTable, tokensAtRate, totals } from '../cost/tables.ts';
import { explainExcess, worstCaseMonth } from '../cost/worst-case-month.ts';
import { jsonOrUndefined } from '../files/json-or-undefined.ts';
import { stages } from '../stages.ts';
import { synthesize } from '../synthesis/synthesize.ts';

const usage = `npm run cost [-- --stage NAME] [--with SETTINGS]
Prints tables of an ordinary month of a small shop, and of the worst-case and the idle month. Its last lines are these
three, a month-long flood of ordinary requests, and access tokens at Cognito's quota, which no other month has.
Exits with 1 when the worst-case month exceeds the setting worstMonthCap.
  --stage NAME     the stage (default prod)
  --with SETTINGS  prints instead what these settings add to the worst-case and the idle month: '{"tracing":true}'`;

const own = { stage: { ...text, default: 'prod' }, with: text } as const;

export const command = commandOf({ usage, options: own }, async ({ stage, with: more }) => {
  if (!Object.hasOwn(stages, stage))
    throw new Error(
      `There is no stage "${stage}". There are ${Object.keys(stages).join(', ')} (cdk/stages.ts).`,
    );
  const settings = settingsOf(stage, stages[stage]);
  const options = {
    stages,
    stage,
    // mutant: without it each synthesis bundles again, with the same result
    bundles: await bundle(functionNames()),
  };
  const assembly = await synthesize(options);
  if (more !== undefined) {
    const added = jsonOrUndefined(more);
    if (added === undefined) throw new UsageError(`--with ${more} is no JSON.`);
    const [before, after] = [assembly, await synthesize({ ...options, settings: added })].map(it =>
      totals(worstCaseMonth(it)),
    );
    const [month, idle] = (['month', 'idle'] as const).map(of => dollars(after![of] - before![of]));
    return print(`${more} adds ${month} to the worst-case month, and ${idle} to the idle month.`);
  }
  const { pageViews, orders } = smallShop;
  const shop = `A small shop with ${number(pageViews)} page views and ${orders} orders a day`;
  const priced = { assembly, settings };
  print(`${shop}\n\n${ordinaryMonthTable(priced)}\n`);
  print(`The limits of the stage "${stage}"\n\n${costTable(assembly)}`);

  const worst = worstCaseMonth(assembly);
  const { month: worstTotal, idle: idleTotal } = totals(worst);
  print(`
An idle month: ${dollars(idleTotal)}
An ordinary month of a small shop: ${dollars(sum(Object.values(ordinaryMonth(priced))))}
A flood of ordinary requests, every operation at its rate: ${dollars(monthAtLimits(1, priced))}
The worst-case month, without storage and access tokens: ${dollars(worstTotal)}
Access tokens at the quota, ${prices.tokenQuota} a second: ${dollars(tokensAtRate(prices.tokenQuota))}`);
  const excess = explainExcess(worst, settings.worstMonthCap);
  if (excess) note(`\n${excess}`);
  return excess ? 1 : 0;
});

if (import.meta.main) await runMain(command);
