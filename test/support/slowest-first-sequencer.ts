import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The duration of the slowest files in seconds, on two cores. They start first, so that none runs alone at the end. */
const seconds: Readonly<Record<string, number>> = {
  'commands/verify': 18,
  'api/faults': 14,
  'commands/import': 13,
  'interleavings/pairs': 12,
  'events/completeness': 10,
  'openapi/petstore-client': 10,
  'api/late-writes': 10,
  'commands/events/events': 9,
  'api/store-model': 8,
  'api/documented-responses': 8,
  'stack/all-settings': 7,
  'api/request-units': 6,
  'commands/orders': 6,
  'api/lists': 5,
  'api/tokens': 5,
  'webhooks/delivery': 5,
  'events/publishing': 5,
  'config/stages': 5,
};

const weightOf = ({ moduleId }: TestSpecification): number => {
  const name = Object.keys(seconds).find(file => moduleId.endsWith(`/test/${file}.test.ts`));
  return name ? seconds[name]! : 0;
};

/** Runs the slowest files of each project first, also in a fresh clone without Vitest's cache. */
export class SlowestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) =>
      a.project.name === b.project.name ? weightOf(b) - weightOf(a) : 0,
    );
  }
}
