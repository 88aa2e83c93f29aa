import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The duration of the slowest files in seconds, on two cores. They start first, so that none runs alone at the end. */
const seconds: Readonly<Record<string, number>> = {
  'commands/verify': 15,
  'commands/orders': 11,
  'commands/events/events': 10,
  'interleavings/pairs': 10,
  'stack/all-settings': 10,
  'api/request-units': 9,
  'events/model': 12,
  'api/faults': 8,
  'api/preconditions': 8,
  'api/operations': 15,
  'api/access-patterns': 6,
  'commands/import': 7,
  'openapi/petstore-client': 7,
  'config/stages': 6,
  'webhooks/deliver': 6,
  'events/publishing': 5,
  'commands/symbolicate': 4,
  'local/import-table': 4,
  'webhooks/delivery': 4,
  'stack/queries': 4,
  'commands/pause': 4,
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
