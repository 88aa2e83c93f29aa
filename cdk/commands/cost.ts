import { bundle } from '../build/bundle/bundle.ts';
import { functionNames } from '../build/bundle/function-names.ts';
import { synthesizeOnce } from '../build/synthesize.ts';
import { commandOf } from '../command.ts';
import { settingsOf, withOwnTable } from '../config/settings.ts';
import { dollars, number } from '../cost/numbers.ts';
import { monthAtLimits, ordinaryMonthTable, smallShop } from '../cost/ordinary-month.ts';
import { costTable, settingRows } from '../cost/tables.ts';
import { explainExcess, worstCaseMonth } from '../cost/worst-case-month.ts';

const usage = `npm run cost [-- --stage NAME]
Prints what an ordinary month of a small shop costs, then the worst-case month and an idle month of a stage, and what
further settings add.
Exits with 1 when the worst-case month exceeds the setting worstMonthCap.
  --stage NAME  the stage (default prod)
  --help        print this`;

const { readOptions, run } = commandOf(usage);
const {
  values: { stage },
} = readOptions({ stage: { type: 'string', default: 'prod' } });

await run(async () => {
  const { worstMonthCap } = settingsOf(stage, withOwnTable);
  const assembly = await synthesizeOnce({ stage, settings: withOwnTable });
  const { pageViews, orders } = smallShop;
  console.log(
    `A small shop with ${number(pageViews)} page views and ${orders} orders a day\n\n${ordinaryMonthTable()}\n`,
  );
  console.log(`The limits of the stage "${stage}"\n\n${costTable(assembly)}\n`);
  console.log(`A month with every operation at its rate, and ordinary requests: ${dollars(monthAtLimits(1))}\n`);
  // Each row is synthesized by itself, and printed as soon as it is known.
  const bundles = await bundle(functionNames);
  for await (const row of settingRows({ stage, bundles })) console.log(row);

  const excess = explainExcess(worstCaseMonth(assembly), worstMonthCap);
  if (!excess) return 0;
  console.error(`\n${excess}`);
  return 1;
});
