import { mutantsOf } from '../mutant.ts';

/** cdk/commands/verify: what a verification removes, and what it runs for the checks that are named. */
export const ofVerify = [
  ...mutantsOf('cdk/commands/verify/clean-up.ts', 'commands/verify: with a store that has other items', [
    ['takes every category for its own', 'if (name.startsWith(mark)) found', 'if (name) found'],
    ['takes no category for its own', 'if (name.startsWith(mark)) found', 'if (false) found'],
    ['does not read a category again', 'if (!String(body?.name).startsWith(mark)) {', 'if (false) {'],
    ['removes a category that it cannot read', '      if (status !== 200) continue;\n', ''],
    ['removes pets of other categories', 'if (pet.categoryId === id) pets', 'if (pet) pets'],
    ['cancels orders of other pets', 'if (order.petId === id) orders', 'if (order) orders'],
  ]),
  ...mutantsOf('cdk/commands/verify/plan.ts', 'commands/verify: npm run verify --only', [
    ['prepares nothing', '(step.leaves && index < last)', 'false'],
    ['prepares what nothing needs', '&& step.needsEarlier);', ');'],
    ['a name has a case', 'includes(text.toLowerCase())', 'includes(text)'],
    ['one name that is right is enough', 'if (unknown.length > 0)', 'if (unknown.length === only.length && only.length > 0)'],
  ]),
  ...mutantsOf('cdk/commands/verify/verify.ts', 'commands/verify: npm run verify --only', [
    ['shows what only prepares', "if (isNamed || result.outcome === 'FAILED') onResult(result);", 'onResult(result);'],
    ['hides what fails to prepare', "if (isNamed || result.outcome === 'FAILED') onResult(result);", 'if (isNamed) onResult(result);'],
    ['removes where it wrote nothing', 'if (writes) await removeOwn();', 'await removeOwn();'],
    ['gives an index more time', 'attempts = 8', 'attempts = 9', 'commands/verify: waits seven times for an index'],
  ]),
];
