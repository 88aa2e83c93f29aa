import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundle } from '../../cdk/bundle/bundle.ts';
import { functionNames } from '../../cdk/bundle/function-names.ts';
import { sourceMapOf } from '../../cdk/bundle/source-maps.ts';
import { loadSigningKey } from '../../cdk/local/auth/signing-key.ts';
import { type EngineOptions, startEngine } from '../../cdk/local/engine/start-engine.ts';
import { documentFile, documentText } from '../../cdk/openapi/document-file.ts';
import { synthesize } from '../../cdk/synthesis/synthesize.ts';
import type { Template } from '../../cdk/synthesis/template.ts';
import { findUncovered, readReports } from './coverage-reports.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** All test files share one engine, each with its own table. */
    endpoint: string;
    engine: string;
    template: Template;
    assets: [string, string][];
    bundles: { outdir: string; metafile: string };
    /** Whether the files of a process share servers. */
    pooled: boolean;
    /** Has the key that signs tokens. */
    keys: string;
    /** Has the coverage reports of the test files. */
    reports: string;
  }
}

/** Only `npm test` without selected files covers everything. */
const isWholeRun =
  !process.env.PETSTORE_ENGINE &&
  process.argv.includes('--project=together') &&
  process.argv.slice(2).every(argument => argument === 'run' || argument.startsWith('-'));

export default async function setup(project: TestProject) {
  console.log('Bundling the functions, synthesizing the stack, starting DynamoDB …');
  const folder = await mkdtemp(join(tmpdir(), 'petstore-test-'));
  // Vitest kills workers, whose temporary files are then removed with this folder.
  process.env.TMPDIR = folder;
  // The bundles contain the document.
  if (project.config.snapshotOptions.updateSnapshot === 'all')
    writeFileSync(documentFile, documentText());
  const outdir = join(folder, 'functions');
  const [engine, bundles] = await Promise.all([
    startEngine({ kind: process.env.PETSTORE_ENGINE as EngineOptions['kind'] }),
    bundle(functionNames(), outdir),
  ]);
  // Source maps take a sixth of the CPU time of a function's start, and a whole run starts hundreds.
  if (isWholeRun)
    await Promise.all(functionNames().map(name => rm(sourceMapOf(bundles.folderOf(name)))));
  await loadSigningKey(folder);
  // The template then refers to the bundles without copies.
  const context = { 'aws:cdk:disable-asset-staging': true };
  const { template, assets } = await synthesize({
    stage: 'local',
    bundles,
    context,
    outdir: join(folder, 'cdk.out'),
  });

  project.provide('endpoint', engine.endpoint);
  project.provide('engine', engine.name);
  project.provide('template', template);
  project.provide('assets', [...assets]);
  project.provide('keys', folder);
  project.provide('bundles', { outdir, metafile: JSON.stringify(bundles.metafile) });
  project.provide('reports', join(folder, 'reports'));
  console.log(`Testing on ${engine.name}`);

  return async () => {
    await engine.stop();
    const reports = await readReports(join(folder, 'reports'));
    await rm(folder, { recursive: true, force: true });
    if (!isWholeRun) return;
    const missing = findUncovered(template, reports);
    if (missing.length === 0) return;
    console.error(`The run is not complete:\n  ${missing.join('\n  ')}`);
    process.exitCode = 1;
  };
}
