import { bundle } from '../build/bundle/bundle.ts';
import { functionNames } from '../build/bundle/function-names.ts';
import { synthesize } from '../build/synthesize.ts';
import { settingsOf, withOwnTable } from '../config/settings.ts';
import { choicesTable, costTable } from '../cost/tables.ts';
import { excessOf, worstMonth } from '../cost/worst-month.ts';

const bundles = await bundle(functionNames);
const assembly = await synthesize({ stage: 'prod', settings: withOwnTable, bundles });
console.log(costTable(assembly));
console.log(`\n${await choicesTable({ bundles })}`);

const excess = excessOf(worstMonth(assembly), settingsOf('prod').worstMonthCap);
if (excess) {
  console.error(`\n${excess}`);
  process.exitCode = 1;
}
