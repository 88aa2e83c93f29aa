import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Template } from '../../cdk/build/template.ts';
import { indexes, readFrom } from '../../lib/model/table/indexes.ts';
import { documentedResponses } from './documented.ts';
import { grantsOf } from './permissions.ts';

/** What one test file saw, left for the end of the run. */
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

const readReports = async (folder: string): Promise<Report> => {
  const files = await readdir(folder).catch(() => []);
  const reports: Report[] = await Promise.all(
    files.map(async file => JSON.parse(await readFile(join(folder, file), 'utf8'))),
  );
  return {
    permissions: reports.flatMap(report => report.permissions),
    responses: reports.flatMap(report => report.responses),
  };
};

/** Indexes that stand beside those that lists read, while one takes over from another: granted, and rightly not used. */
const standby = indexes.filter(({ name, key }) => readFrom[key] !== name).map(({ name }) => `on index ${name}`);

/** What a whole run must have seen and has not, in sentences. */
export const neverSeen = async (template: Template, folder: string): Promise<string[]> => {
  const { permissions, responses } = await readReports(folder);
  const used = new Set(permissions);
  const unused = [...grantsOf(template)]
    .flatMap(([id, grants]) => [...grants].map(grant => `${id}: ${grant}`))
    .filter(grant => !used.has(grant) && !standby.some(index => grant.endsWith(index)));
  const seen = new Set(responses);
  const unseen = documentedResponses().filter(response => !seen.has(response));
  return [
    ...unused.map(
      grant => `${grant} is granted and was never used: take it out of cdk/config/permissions.ts, or test it`,
    ),
    ...unseen.map(response => `${response} is documented and was never seen: test it, or mend cdk/openapi`),
  ];
};
