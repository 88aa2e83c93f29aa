import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findDynoxide, noEngineOn } from '../../../cdk/local/engine/engine-kinds.ts';
import { newFolder } from '../../support/processes.ts';

const root = join(import.meta.dirname, '../../..');
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));

/** The packages of the maker (npm/dynoxide/platforms.json in github.com/nubo-db/dynoxide), each with its executable file. */
const published = [
  ['darwin', 'arm64', 'dynoxide'],
  ['darwin', 'x64', 'dynoxide'],
  ['linux', 'arm64', 'dynoxide'],
  ['linux', 'x64', 'dynoxide'],
  ['win32', 'x64', 'dynoxide.exe'],
] as const;

const docker = '  - start a DynamoDB: docker run -p 127.0.0.1:8000:8000 amazon/dynamodb-local\n';

describe.each(published)('on %s %s', (platform, architecture, executable) => {
  const name = `@dynoxide/${platform}-${architecture}`;

  it(`${executable} of the platform's package starts the engine`, async () => {
    const folder = await newFolder();
    const { resolve } = createRequire(join(folder, 'any.js'));
    expect(findDynoxide(platform, architecture, resolve), 'not installed').toBeUndefined();
    const installed = join(folder, 'node_modules', name);
    await mkdir(installed, { recursive: true });
    await writeFile(join(installed, 'package.json'), '{}');
    expect(findDynoxide(platform, architecture, createRequire(join(folder, 'any.js')).resolve)).toBe(
      join(installed, executable),
    );
  });

  it('npm ci installs the package', () => {
    const version = manifest.optionalDependencies[name];
    expect(lock.packages[''].optionalDependencies[name]).toBe(version);
    expect(lock.packages[`node_modules/${name}`]).toMatchObject({
      version,
      optional: true,
      os: [platform],
      cpu: [architecture],
    });
  });

  it('the error without an engine names the commands', () => {
    const java = {
      darwin: 'brew install --cask temurin@17',
      linux: 'sudo apt-get install openjdk-17-jre-headless',
      win32: 'winget install EclipseAdoptium.Temurin.17.JRE',
    };
    expect(noEngineOn(platform, architecture)).toBe(
      `No DynamoDB engine can run on ${platform} ${architecture}. Do one of these:\n` +
        '  - install Dynoxide: npm ci --include=optional\n' +
        `  - install Java 17 or newer: ${java[platform]}\n${docker}    then name it: ${
          platform === 'win32'
            ? "$env:DYNAMODB_ENDPOINT = 'http://127.0.0.1:8000'; npm start (PowerShell)"
            : 'DYNAMODB_ENDPOINT=http://127.0.0.1:8000 npm start'
        }`,
    );
  });
});

describe('on a platform without Dynoxide', () => {
  it('the error does not offer it', () => {
    expect(findDynoxide('win32', 'arm64', path => path)).toBeUndefined();
    expect(noEngineOn('win32', 'arm64')).not.toContain('Dynoxide');
    expect(noEngineOn('freebsd', 'x64')).toContain('  - install Java 17 or newer: https://adoptium.net\n');
  });
});
