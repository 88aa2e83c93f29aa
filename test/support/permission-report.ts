import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Template } from '../../cdk/dev/template.ts';
import { grantsOf } from './permissions.ts';

/** Leaves what functions were seen doing for the end of the run. */
export const writeReport = async (folder: string, used: ReadonlyMap<string, ReadonlySet<string>>) => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${randomUUID()}.json`), JSON.stringify([...used].map(([id, uses]) => [id, [...uses]])));
};

/** Grants that no report shows in use. */
export const unusedGrants = async (template: Template, folder: string): Promise<string[]> => {
  const files = await readdir(folder).catch(() => []);
  const used = new Set<string>();
  for (const file of files) {
    const report: [string, string[]][] = JSON.parse(await readFile(join(folder, file), 'utf8'));
    for (const [id, uses] of report) for (const use of uses) used.add(`${id}: ${use}`);
  }
  return [...grantsOf(template)]
    .flatMap(([id, grants]) => [...grants].map(grant => `${id}: ${grant}`))
    .filter(grant => !used.has(grant));
};
