import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import all from '../../vitest.config.ts';

/** `lib/operations/listOrders.ts` → `lib`, `operations`, `list`, `orders`. */
const wordsOf = (path: string) =>
  new Set(path.split(/[/.-]|(?=[A-Z])/).map(word => word.toLowerCase()));
const mutated = wordsOf(process.env.MUTATED_FILE ?? '');

/** Test files whose paths share words with the path of the mutated file are likely to fail. */
class SimilarFirst extends BaseSequencer {
  override sort = async (files: TestSpecification[]) => {
    const shared = ({ moduleId }: TestSpecification) =>
      mutated.intersection(wordsOf(moduleId)).size;
    return files.toSorted((a, b) => shared(b) - shared(a));
  };
}

/** All tests of `npm test`, until one fails. */
export default mergeConfig(all, {
  root: join(import.meta.dirname, '../..'),
  test: { bail: 1, sequence: { sequencer: SimilarFirst } },
});
