import type { Reporter, TestModule } from 'vitest/node';

/** The note of tests that skip themselves because the machine paused: `context.skip('inconclusive: …')`. */
const inconclusive = 'inconclusive:';

/** More inconclusive tests than one fail the run. */
const maxInconclusive = 2;

const slowest = 10;

/** Prints the slowest files of a run, and fails the run when several tests were inconclusive. */
export default class SummaryReporter implements Reporter {
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
    if (notes.length < maxInconclusive) return;
    console.error('Several tests were inconclusive. Run them again on a machine with less load.');
    process.exitCode = 1;
  }
}
