import { commandOf } from '../../cdk/commands/shared/command.ts';
import { mutants } from './list/index.ts';
import { openLaboratory } from './mutation-runner.ts';

const usage = `npm run test:mutation [-- WORDS …] [--file FILE] [--test NAME] [--trusting] [--list]
Changes the code in one place after another, in a copy, and checks whether the tests fail.
  WORDS        only mutants with one of these words in their names
  --file FILE  only mutants of one file
  --test NAME  only mutants that this test must kill: stack, events/changes; repeat it for several
  --trusting   do not run the tests without a mutant first
  --list       print the names of the mutants, and run nothing
  --help       print this
Exits with 1 when a mutant survives that is not known to be equivalent, or does not build.`;

const { misused, readOptions } = commandOf(usage);
const { values, positionals } = readOptions(
  {
    file: { type: 'string' },
    test: { type: 'string', multiple: true },
    trusting: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
  { allowPositionals: true },
);
const wanted = mutants.filter(
  ({ name, file, killer }) =>
    (positionals.length === 0 || positionals.some(word => name.includes(word))) &&
    (values.file ?? file) === file &&
    (values.test?.some(test => killer.file === `test/${test}.test.ts`) ?? true),
);
if (wanted.length === 0) misused(`None of the ${mutants.length} mutants matches; --list prints all.`);
if (values.list) {
  console.log(wanted.map(({ name }) => name).join('\n'));
  process.exit(0);
}

console.log(
  `${wanted.length} mutants${values.trusting ? '' : '. First the tests without any, to know that they pass …'}`,
);
const laboratory = await openLaboratory();
const startedAt = Date.now();
const killers = new Map(wanted.map(({ killer }) => [`${killer.file} ${killer.name}`, killer]));
const [first] = killers.values();
const files = new Map([...killers.values()].map(({ file }) => [file, { file, name: undefined }]));
await laboratory.begin(first!);
const sound = values.trusting ? { tests: 0, failure: undefined } : await laboratory.run([...files.values()]);
if (sound.failure) {
  console.error(`Without a mutant this fails, so nothing can be said: ${sound.failure}`);
  await laboratory.close();
  process.exit(1);
}
if (!values.trusting) console.log(`${sound.tests} tests pass, after ${Math.round((Date.now() - startedAt) / 1000)} s`);

const counts = { killed: 0, equivalent: 0, survived: 0, broken: 0 };
const complaints: string[] = [];
for (const [index, mutant] of wanted.entries()) {
  const begun = Date.now();
  const outcome = await laboratory.tryOut(mutant);
  const isEquivalent = mutant.equivalent !== undefined;
  const verdict = isEquivalent && outcome.verdict === 'survived' ? 'equivalent' : outcome.verdict;
  counts[verdict] += 1;
  const line = `${verdict.padEnd(10)} ${mutant.name}`;
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  console.log(
    `${index + 1}/${wanted.length} ${line} (${seconds} s)${outcome.by ? `\n    by ${outcome.by.split('\n')[0]}` : ''}`,
  );
  if (verdict === 'survived') complaints.push(`${line}\n    ${mutant.killer.file} did not notice`);
  if (verdict === 'broken') complaints.push(`${line}\n    ${outcome.by}`);
  if (verdict === 'killed' && isEquivalent) complaints.push(`${line}, although it was called equivalent`);
}
await laboratory.close();

const { killed, equivalent, survived, broken } = counts;
const score = ((100 * killed) / Math.max(killed + survived, 1)).toFixed(1);
console.log(
  `\n${wanted.length} mutants in ${Math.round((Date.now() - startedAt) / 60_000)} minutes: ${killed} killed, ${survived} survived, ${equivalent} equivalent, ${broken} broken; score ${score} %`,
);
for (const { name, equivalent: why } of wanted) if (why) console.log(`equivalent ${name}: ${why}`);
if (complaints.length > 0) console.error(complaints.join('\n'));
process.exit(complaints.length > 0 ? 1 : 0);
