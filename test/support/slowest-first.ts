import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds of the files that take longest, on two cores: they start first, so that none of them runs alone at the end. */
const seconds: Readonly<Record<string, number>> = {};

const weightOf = ({ moduleId }: TestSpecification): number => {
  const name = Object.keys(seconds).find(file => moduleId.endsWith(`/test/${file}.test.ts`));
  return name ? seconds[name]! : 0;
};

/** Runs the projects one after the other, and in each the slowest files first: also in a fresh clone, without Vitest's cache. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) =>
      a.project.name === b.project.name ? weightOf(b) - weightOf(a) : 0,
    );
  }
}
