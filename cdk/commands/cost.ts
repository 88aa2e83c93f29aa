import { synthesize } from '../build/synthesize.ts';
import { withOwnTable } from '../config/settings.ts';
import { choicesTable, costTable } from '../cost/tables.ts';

console.log(costTable(await synthesize({ stage: 'prod', settings: withOwnTable })));
console.log(`\n${await choicesTable()}`);
