import { expect, it, vi } from 'vitest';
import { engineKinds } from '../../../cdk/local/engine/engine-kinds.ts';
import { launchEngine, startEngine } from '../../../cdk/local/engine/start-engine.ts';
import { DataFolderError } from '../../../cdk/local/state.ts';
import { newFolder } from '../../support/processes.ts';

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
  await expect(startEngine({ kind: 'dynamodb-local' })).rejects.toThrow(
    /No DynamoDB engine can run on .*install Java 17.*DYNAMODB_ENDPOINT=/s,
  );
  vi.unstubAllEnvs();
});

it.each([
  ['Internal error: database or disk is full', DataFolderError],
  ['unable to open database file: data', DataFolderError],
  ['attempt to write a readonly database', DataFolderError],
  ['file is not a database', Error],
])('an engine that ends at once is reported with its output: %s', async (output, Reported) => {
  const error = Reported === Error ? new Error(`Dynoxide exited at once: ${output}`) : new Reported(output);
  const command = ownNode(`console.error(${JSON.stringify(output)}); process.exit(1)`, 20_000);
  await expect(launchEngine(engineKinds.dynoxide, command, await newFolder())).rejects.toThrow(error);
});
