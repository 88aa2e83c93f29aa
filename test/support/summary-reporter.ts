import type { Reporter, TestModule } from 'vitest/node';

/** Tests that a standstill of the machine made worthless skip themselves with this note: `context.skip('inconclusive: …')`. */
const inconclusive = 'inconclusive:';

/** So many in one run are no accident of the machine any more. */
const tooMany = 2;

const slowest = 10;

/** Prints the slowest files of a run, and fails it when several tests could not come to a result. */
export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const bySeconds = modules
      .map(module => ({ file: module.relativeModuleId, seconds: module.diagnostic().duration / 1000 }))
      .sort((a, b) => b.seconds - a.seconds);
    if (bySeconds.length > slowest) {
      console.log('\nThe slowest files, in seconds:');
      for (const { file, seconds } of bySeconds.slice(0, slowest))
        console.log(`${seconds.toFixed(1).padStart(7)}  ${file}`);
    }
    const notes = modules.flatMap(module =>
      [...module.children.allTests('skipped')].flatMap(test => {
        const result = test.result();
        return result.state === 'skipped' && result.note?.startsWith(inconclusive)
          ? [`${module.relativeModuleId} > ${test.fullName}: ${result.note}`]
          : [];
      }),
    );
    if (notes.length === 0) return;
    console.log(`\nInconclusive: ${notes.length}\n  ${notes.join('\n  ')}`);
    if (notes.length < tooMany) return;
    console.error('Several tests were inconclusive: run them again on a machine that is less busy.');
    process.exitCode = 1;
  }
}
