import { bundle } from '../build/bundle/bundle.ts';
import { functionNames } from '../build/bundle/function-names.ts';
import { synthesize } from '../build/synthesize.ts';
import { withOwnTable } from '../config/settings.ts';
import { choicesTable, costTable } from '../cost/tables.ts';

const bundles = await bundle(functionNames);
console.log(costTable(await synthesize({ stage: 'prod', settings: withOwnTable, bundles })));
console.log(`\n${await choicesTable({ bundles })}`);
