import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EngineKind, engineKinds, type LaunchCommand } from './engine-kinds.ts';

/** The data of an earlier run cannot be used. The caller knows where it is, and adds what to delete. */
export class UnusableDataError extends Error {}

/** A running DynamoDB. */
export interface Engine {
  readonly name: string;
  readonly endpoint: string;
  /** Of the process, if this one started it. */
  readonly pid?: number | undefined;
  /** Resolves when the process has ended; never for a DynamoDB that this process did not start. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface EngineOptions {
  /** The data folder; absent: in memory. */
  readonly folder?: string | undefined;
  /** Default: the engine that wrote the data, else the first that can run. */
  readonly kind?: keyof typeof engineKinds | undefined;
}

const noEngine = `No DynamoDB engine can run here. Do one of these:
${Object.values(engineKinds)
  .map(({ remedy }) => `  - ${remedy}\n`)
  .join('')}  - start a DynamoDB and set its endpoint: docker run -p 127.0.0.1:8000:8000 amazon/dynamodb-local
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
 * Starts a process that ends with this one, also after a SIGKILL: a shell reads a pipe that only this process holds open, and
 * kills the engine when the pipe closes.
 */
const spawnWithLifetime = (command: string, args: string[]): ChildProcess => {
  const script = '(cat <&3 >/dev/null; kill -9 $$ 2>/dev/null) & exec "$@" 3<&-';
  return process.platform === 'win32'
    ? spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    : spawn('sh', ['-c', script, 'sh', command, ...args], {
        stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
        detached: true,
      });
};

const responds = async (endpoint: string): Promise<boolean> => {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  }
};

/**
 * Milliseconds that the event loop has waited for events. Time in which this process is blocked does not count: it loads the
 * CDK while the engine starts, and receives no response meanwhile.
 */
const idleTime = (): number => performance.eventLoopUtilization().idle;

/** @returns undefined if another process took the port first */
const launchAt = async (
  port: number,
  { name, database }: EngineKind,
  { command, args, startTimeout }: LaunchCommand,
  folder?: string,
): Promise<Engine | undefined> => {
  const file = folder && join(folder, database);
  const hadData = file !== undefined && existsSync(file);
  const child = spawnWithLifetime(command, args(port, folder));
  let stderr = '';
  child.stderr?.on('data', chunk => {
    stderr = `${stderr}${chunk}`.slice(-2_000);
  });
  let running = true;
  // Closing the pipe also ends the shell's background process.
  child.once('exit', () => (child.stdio[3] as Writable | null | undefined)?.destroy());
  const exited = once(child, 'close')
    .catch(() => undefined)
    .then(() => {
      running = false;
    });

  const endpoint = `http://127.0.0.1:${port}`;
  const deadline = idleTime() + startTimeout;
  // A response after the engine has exited comes from another process.
  while (!(await responds(endpoint)) || !running) {
    if (!running) {
      if (/address already in use|port \d+ is already in use/i.test(stderr)) return undefined;
      const reason = stderr.trim() || 'no output on stderr';
      throw hadData
        ? new UnusableDataError(`${name} cannot open ${file}: ${reason}`)
        : new Error(`${name} exited at once: ${reason}`);
    }
    if (idleTime() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${name} did not respond at ${endpoint} within ${startTimeout / 1000} s. ${stderr.trim()}`);
    }
    await sleep(10);
  }
  return {
    name,
    endpoint,
    pid: child.pid,
    ended: exited,
    stop: async () => {
      child.kill();
      await Promise.race([exited, sleep(3_000, undefined, { ref: false }).then(() => child.kill('SIGKILL'))]);
    },
  };
};

/** Starts an engine of a kind. @throws with its stderr, if it exits at once or does not respond in time */
export const launchEngine = async (kind: EngineKind, command: LaunchCommand, folder?: string): Promise<Engine> => {
  for (let attempt = 0; attempt < 5; attempt++) {
    const engine = await launchAt(await freePort(), kind, command, folder);
    if (engine) return engine;
  }
  throw new Error(`${kind.name} found no free port. Start it again.`);
};

/** The engine that wrote the data of a folder. */
const writerOf = (folder: string): EngineKind | undefined =>
  Object.values(engineKinds).find(({ database }) => existsSync(join(folder, database)));

/**
 * Starts the first of these that is available: the DynamoDB at `DYNAMODB_ENDPOINT`, the engine that wrote the data, Dynoxide,
 * DynamoDB Local.
 * @throws when none is available, with what to install; or when the data was written by another engine, or is corrupt
 */
export const startEngine = async ({ folder, kind }: EngineOptions = {}): Promise<Engine> => {
  const given = process.env.DYNAMODB_ENDPOINT;
  if (given) {
    if (!(await responds(given)))
      throw new Error(`Nothing responds at DYNAMODB_ENDPOINT=${given}. Start it, or unset the variable.`);
    return { name: given, endpoint: given, ended: new Promise(() => undefined), stop: async () => undefined };
  }
  const writer = folder ? writerOf(folder) : undefined;
  const chosen = kind ? engineKinds[kind] : writer;
  for (const candidate of chosen ? [chosen] : Object.values(engineKinds)) {
    const command = await candidate.findCommand();
    if (!command) continue;
    if (folder) mkdirSync(folder, { recursive: true });
    return launchEngine(candidate, command, folder);
  }
  if (!writer) throw new Error(noEngine);
  throw new Error(
    `The data in ${folder} was written by ${writer.name}, which cannot run here, and no other engine can read it. Do one of these:\n  - ${writer.remedy}\n  - use another folder: npm start -- --data FOLDER, or --memory`,
  );
};
