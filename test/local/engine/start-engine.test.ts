import { expect, inject, it, vi } from 'vitest';
import { tempFolder } from '../../../cdk/files/temp-folder.ts';
import { engineKinds } from '../../../cdk/local/engine/engine-kinds.ts';
import { launchEngine, startEngine } from '../../../cdk/local/engine/start-engine.ts';
import { DataFolderError } from '../../../cdk/local/state.ts';
import manifest from '../../../package.json' with { type: 'json' };
import lock from '../../../package-lock.json' with { type: 'json' };

const ownNode = (script: string, startTimeout: number) => ({
  command: process.execPath,
  args: () => ['-e', script],
  startTimeout,
});

it('an engine that does not respond is ended', async () => {
  const launched = launchEngine(engineKinds.dynoxide, ownNode('setTimeout(() => {}, 60_000)', 500));
  await expect(launched).rejects.toThrow(/^Dynoxide did not respond at \S+ within 0\.5 s\./);
});

it('an engine that is not installed is named, with what to install', async () => {
  vi.stubEnv('PATH', '/nowhere');
  const message = /No DynamoDB engine can run on .*install Java 17.*DYNAMODB_ENDPOINT=/s;
  await expect(startEngine({ kind: 'dynamodb-local' })).rejects.toThrow(message);
  vi.unstubAllEnvs();
});

it('the database at DYNAMODB_ENDPOINT is used, and keeps running', async () => {
  const endpoint = inject('endpoint');
  vi.stubEnv('DYNAMODB_ENDPOINT', endpoint);
  await (await startEngine()).stop();
  expect(await startEngine()).toMatchObject({ name: endpoint, endpoint });
  vi.unstubAllEnvs();
});

it.each([
  ['Internal error: database or disk is full', DataFolderError],
  ['unable to open database file: data', DataFolderError],
  ['attempt to write a readonly database', DataFolderError],
  ['database is locked', DataFolderError],
  ['file is not a database', Error],
])('an engine that ends at once is reported with its output: %s', async (output, Reported) => {
  const error =
    Reported === Error ? new Error(`Dynoxide exited at once: ${output}`) : new Reported(output);
  const command = ownNode(`console.error(${JSON.stringify(output)}); process.exit(1)`, 900_000);
  await expect(launchEngine(engineKinds.dynoxide, command, tempFolder('data'))).rejects.toThrow(
    error,
  );
});

// For platforms other than the current one, npm sometimes drops packages from the lock file (github.com/npm/cli/issues/4828).
// These have a Dynoxide package (npm/dynoxide/platforms.json in github.com/nubo-db/dynoxide).
const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64'] as const;
it.each(platforms)('npm ci installs Dynoxide on %s', platform => {
  const [os, cpu] = platform.split('-');
  const version = manifest.optionalDependencies[`@dynoxide/${platform}`];
  const installed = { version, optional: true, os: [os], cpu: [cpu] };
  expect(lock.packages[`node_modules/@dynoxide/${platform}`]).toMatchObject(installed);
});
