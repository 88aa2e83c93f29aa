import { bundle } from '../build/bundle/bundle.ts';
import { functionNames } from '../build/bundle/function-names.ts';
import { synthesizeOnce } from '../build/synthesize.ts';
import { settingsOf, withOwnTable } from '../config/settings.ts';
import { dollars } from '../cost/numbers.ts';
import { ordinaryMonth } from '../cost/ordinary-month.ts';
import { costTable, settingRows } from '../cost/tables.ts';
import { explainExcess, worstCaseMonth } from '../cost/worst-case-month.ts';
import { commandOf } from './shared/command.ts';

const usage = `npm run cost [-- --stage NAME]
Prints what the worst-case month, an idle month and an ordinary month of a stage cost, and what further settings add.
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
  console.log(`The stage "${stage}"\n\n${costTable(assembly)}\n`);
  console.log(`An ordinary month, with every operation at its rate: ${dollars(ordinaryMonth(1))}\n`);
  // Each row is synthesized by itself, and printed as soon as it is known.
  const bundles = await bundle(functionNames);
  for await (const row of settingRows({ stage, bundles })) console.log(row);

  const excess = explainExcess(worstCaseMonth(assembly), worstMonthCap);
  if (!excess) return 0;
  console.error(`\n${excess}`);
  return 1;
});
