import { synthesize } from '../build/synthesize.ts';
import { settingsOf, withOwnTable } from '../config/settings.ts';
import { choicesTable, costTable } from '../cost/tables.ts';
import { excessOf, worstMonth } from '../cost/worst-month.ts';

const assembly = await synthesize({ stage: 'prod', settings: withOwnTable });
console.log(costTable(assembly));
console.log(`\n${await choicesTable()}`);

const excess = excessOf(worstMonth(assembly), settingsOf('prod').worstMonthCap);
if (excess) {
  console.error(`\n${excess}`);
  process.exitCode = 1;
}
