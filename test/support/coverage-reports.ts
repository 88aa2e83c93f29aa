import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Template } from '../../cdk/synthesis/template.ts';
import { indexes, readFrom } from '../../lib/model/table/indexes.ts';
import { documentedResponses } from './documented.ts';
import { grantsOf, whileAdopted } from './permissions.ts';

export interface Report {
  /** `function: action on …` */
  readonly permissions: string[];
  /** `operationId status` */
  readonly responses: string[];
}

export const writeReport = async (folder: string, report: Report) => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${randomUUID()}.json`), JSON.stringify(report));
};

export const readReports = async (folder: string): Promise<Report[]> => {
  const files = await readdir(folder).catch(() => []);
  return Promise.all(
    files.map(async file => JSON.parse(await readFile(join(folder, file), 'utf8'))),
  );
};

/** The indexes that no list reads while lists migrate to another index. Permissions for these indexes are not used. */
const standby = indexes
  .filter(({ name, key }) => (readFrom as Partial<Record<string, string>>)[key] !== name)
  .map(({ name }) => `on index ${name}`);

/** Permissions and documented responses that a whole run did not cover. */
export const findUncovered = (template: Template, reports: readonly Report[]): string[] => {
  const used = new Set(reports.flatMap(({ permissions }) => permissions));
  const unused = [...grantsOf(template)]
    .flatMap(([id, grants]) => [...grants.keys()].map(grant => `${id}: ${grant}`))
    .filter(
      grant => !used.has(grant) && ![...standby, whileAdopted].some(end => grant.endsWith(end)),
    );
  const tested = new Set(reports.flatMap(({ responses }) => responses));
  const untested = documentedResponses.filter(response => !tested.has(response));
  return [
    ...unused.map(
      grant =>
        `${grant} is granted but never used: remove it from cdk/config/permissions.ts, or test it`,
    ),
    ...untested.map(
      response => `${response} is documented but never returned: test it, or fix cdk/openapi`,
    ),
  ];
};
