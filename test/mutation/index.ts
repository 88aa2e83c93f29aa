import { existsSync } from 'node:fs';
import { commandOf, count, print, runMain, text, UsageError } from '../../cdk/command.ts';
import { createRunner } from './runner.ts';
import { defaultBase, mutantsBelow, mutantsSince, sampleOf } from './select.ts';

const usage = `npm run test:mutation [-- --base COMMIT | --file PATH …] [--sample N] [--seed S]
Mutation testing: changes one piece of code after the other in a copy of the project, and runs all tests until one
fails.
  --base COMMIT  mutates the lines changed since then; default: the newest tag, else HEAD~1
  --file PATH    mutates a file, or the files of a folder; repeatable
  --sample N     only N of the mutants; without --base and --file of those in lib, functions and cdk
  --seed S       of the sample (1)
Exits with 1 when a mutant survives. An equivalent one has the comment "// mutant: reason" at its line, and is not run.`;

const own = {
  base: text,
  file: { ...text, multiple: true },
  sample: text,
  seed: { ...text, default: '1' },
} as const;

export const command = commandOf({ usage, options: own }, async values => {
  const unknown = values.file?.find(path => !existsSync(path));
  if (unknown !== undefined) throw new UsageError(`--file ${unknown} does not exist.`);
  const size = values.sample === undefined ? undefined : count('sample', values.sample);
  const base = values.base ?? defaultBase();
  const paths =
    values.file ??
    (size !== undefined && values.base === undefined ? ['lib', 'functions', 'cdk'] : undefined);
  const all = paths ? paths.flatMap(mutantsBelow) : mutantsSince(base);
  const mutants = size === undefined ? all : sampleOf(all, size, values.seed);
  const what = paths ? paths.join(', ') : `the lines changed since ${base}`;
  print(`${mutants.length} of ${all.length} mutants of ${what}.`);
  if (mutants.length === 0) return 0;
  const startedAt = Date.now();
  const counts = { killed: 0, survived: 0, equivalent: 0, invalid: 0 };
  const { run, runMutant } = createRunner();
  print('Running the tests without a mutant first …');
  const failure = await run();
  if (failure) {
    throw new Error(`A test fails without a mutant: ${failure}`);
  }
  for (const [index, mutant] of mutants.entries()) {
    const begun = Date.now();
    const { line, name, reason } = mutant;
    const { status, by } = reason
      ? ({ status: 'equivalent', by: reason } as const)
      : await runMutant(mutant);
    counts[status] += 1;
    const seconds = ((Date.now() - begun) / 1000).toFixed(1);
    const text = `${status.padEnd(10)} ${name} (line ${line}, ${seconds} s)`;
    print(`${index + 1}/${mutants.length} ${text}${by ? `\n    by ${by}` : ''}`);
  }

  const score = ((100 * counts.killed) / Math.max(counts.killed + counts.survived, 1)).toFixed(1);
  const minutes = Math.round((Date.now() - startedAt) / 60_000);
  const outcomes = Object.entries(counts).map(([status, number]) => `${number} ${status}`);
  print(
    `\n${mutants.length} mutants in ${minutes} minutes: ${outcomes.join(', ')}; score ${score} %`,
  );
  return counts.survived > 0 ? 1 : 0;
});

if (import.meta.main) await runMain(command);
