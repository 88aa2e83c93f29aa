import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Template } from '../../cdk/build/template.ts';
import { indexes, readFrom } from '../../lib/model/table/indexes.ts';
import { documentedResponses } from './documented.ts';
import { grantsOf } from './permissions.ts';

/** The permissions and responses that one test file covered. */
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

/** Indexes that no list reads while a list migrates to another index: granted, but not used. */
const standby = indexes.filter(({ name, key }) => readFrom[key] !== name).map(({ name }) => `on index ${name}`);

/** The permissions and documented responses that a whole run did not cover, as messages. */
export const findUncovered = async (template: Template, folder: string): Promise<string[]> => {
  const { permissions, responses } = await readReports(folder);
  const used = new Set(permissions);
  const unused = [...grantsOf(template)]
    .flatMap(([id, grants]) => [...grants].map(grant => `${id}: ${grant}`))
    .filter(grant => !used.has(grant) && !standby.some(index => grant.endsWith(index)));
  const tested = new Set(responses);
  const untested = documentedResponses().filter(response => !tested.has(response));
  return [
    ...unused.map(grant => `${grant} is granted but never used: remove it from cdk/config/permissions.ts, or test it`),
    ...untested.map(response => `${response} is documented but never returned: test it, or fix cdk/openapi`),
  ];
};
