import { parseArgs } from 'node:util';
import { mutants } from './list/index.ts';
import { openLaboratory } from './mutation-runner.ts';

const usage = `npm run test:mutation [-- WORDS … --file FILE --list]
Changes the meaning of the code in one place after the other, in a copy, and sees whether the tests notice.
  WORDS        only mutants whose names contain one of them
  --file FILE  only those of one file
  --test NAME  only those that a test must notice: stack, events/changes; also several times
  --trusting   leaves out the run of the tests without a mutant
  --list       names them, and ends
  --help       says this
Exits with 1 when one survives that is not known to be equivalent, or does not build.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    file: { type: 'string' },
    test: { type: 'string', multiple: true },
    trusting: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const wanted = mutants.filter(
  ({ name, file, killer }) =>
    (positionals.length === 0 || positionals.some(word => name.includes(word))) &&
    (values.file ?? file) === file &&
    (values.test?.some(test => killer.file === `test/${test}.test.ts`) ?? true),
);
if (values.help || values.list || wanted.length === 0) {
  const none = `No mutant has such a name; npm run test:mutation -- --list names all ${mutants.length}.`;
  console.log(values.help ? usage : wanted.map(({ name }) => name).join('\n') || none);
  process.exit(wanted.length === 0 ? 1 : 0);
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
