import { commandOf } from '../../cdk/commands/shared/command.ts';
import { mutants } from './list/index.ts';
import { createMutationRunner } from './mutation-runner.ts';

const usage = `npm run test:mutation [-- WORDS …] [--file FILE] [--test NAME] [--skip-initial-run] [--list]
Mutation testing: applies one mutant after the other to a copy of the project, and runs the test that must kill it.
  WORDS               only mutants whose names contain one of these words
  --file FILE         only mutants of one file
  --test NAME         only mutants of one test: stack, events/changes; repeatable
  --skip-initial-run  skips the initial run of the tests without a mutant
  --list              prints the names of the mutants
  --help              prints this text
Exits with 1 when a mutant survives that is not marked as equivalent, or is invalid.`;

const { misused, readOptions } = commandOf(usage);
const { values, positionals } = readOptions(
  {
    file: { type: 'string' },
    test: { type: 'string', multiple: true },
    'skip-initial-run': { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
  { allowPositionals: true },
);
const wanted = mutants.filter(
  ({ name, file, test }) =>
    (positionals.length === 0 || positionals.some(word => name.includes(word))) &&
    (values.file ?? file) === file &&
    (values.test?.some(name => test.file === `test/${name}.test.ts`) ?? true),
);
if (wanted.length === 0) misused(`None of the ${mutants.length} mutants matches; --list prints all.`);
if (values.list) {
  console.log(wanted.map(({ name }) => name).join('\n'));
  process.exit(0);
}

console.log(
  `${wanted.length} mutants${values['skip-initial-run'] ? '' : '. Running the tests without a mutant first …'}`,
);
const runner = await createMutationRunner();
const startedAt = Date.now();
const tests = new Map(wanted.map(({ test }) => [`${test.file} ${test.name}`, test]));
const [first] = tests.values();
const files = new Map([...tests.values()].map(({ file }) => [file, { file, name: undefined }]));
await runner.warmUp(first!);
const initialRun = values['skip-initial-run']
  ? { tests: 0, failure: undefined }
  : await runner.run([...files.values()]);
if (initialRun.failure) {
  console.error(`This test fails without a mutant: ${initialRun.failure}`);
  await runner.close();
  process.exit(1);
}
if (!values['skip-initial-run'])
  console.log(`${initialRun.tests} tests pass, after ${Math.round((Date.now() - startedAt) / 1000)} s`);

const counts = { killed: 0, equivalent: 0, survived: 0, invalid: 0 };
const problems: string[] = [];
for (const [index, mutant] of wanted.entries()) {
  const begun = Date.now();
  const outcome = await runner.runMutant(mutant);
  const isEquivalent = mutant.equivalent !== undefined;
  const status = isEquivalent && outcome.status === 'survived' ? 'equivalent' : outcome.status;
  counts[status] += 1;
  const line = `${status.padEnd(10)} ${mutant.name}`;
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  console.log(
    `${index + 1}/${wanted.length} ${line} (${seconds} s)${outcome.by ? `\n    by ${outcome.by.split('\n')[0]}` : ''}`,
  );
  if (status === 'survived') problems.push(`${line}\n    ${mutant.test.file} did not fail`);
  if (status === 'invalid') problems.push(`${line}\n    ${outcome.by}`);
  if (status === 'killed' && isEquivalent) problems.push(`${line}, although it is marked as equivalent`);
}
await runner.close();

const { killed, equivalent, survived, invalid } = counts;
const score = ((100 * killed) / Math.max(killed + survived, 1)).toFixed(1);
console.log(
  `\n${wanted.length} mutants in ${Math.round((Date.now() - startedAt) / 60_000)} minutes: ${killed} killed, ${survived} survived, ${equivalent} equivalent, ${invalid} invalid; score ${score} %`,
);
for (const { name, equivalent: why } of wanted) if (why) console.log(`equivalent ${name}: ${why}`);
if (problems.length > 0) console.error(problems.join('\n'));
process.exit(problems.length > 0 ? 1 : 0);
