import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataFolderError } from '../state.ts';
import { type EngineKind, engineKinds, type LaunchCommand, remedies } from './engine-kinds.ts';
import type { StreamRecords } from './stream-records.ts';

/** The data of an earlier run cannot be used. The caller knows where the data is, and adds what to delete. */
export class UnusableDataError extends Error {}

/** Messages of SQLite about the folder or the disk, not about the data. */
const folderErrors =
  /database is locked|disk is full|No space left|unable to open database file|readonly database|permission denied/i;

export interface Engine {
  readonly name: string;
  readonly endpoint: string;
  /** Absent if this process did not start the engine. */
  readonly pid?: number | undefined;
  /** Never resolves for a DynamoDB that this process did not start. */
  readonly ended: Promise<void>;
  /** Removes published stream records if the engine itself never does. */
  readonly trimStream: StreamRecords['trim'];
  /** The reason why each write takes longer than the one before. */
  readonly warning?: string | undefined;
  readonly stop: () => Promise<void>;
}

export interface EngineOptions {
  /** Absent: in memory. */
  readonly folder?: string | undefined;
  /** Default: the engine that wrote the data, else the first that can run. */
  readonly kind?: keyof typeof engineKinds | undefined;
  /** An address of this machine. DynamoDB Local listens on all. */
  readonly host?: string | undefined;
}

const freePort = async (): Promise<number> => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  await once(server.close(), 'close');
  return port;
};

/** Starts a process that ends with this one. @param temporary a folder to delete when it ends */
const spawnWithLifetime = (
  command: string,
  args: string[],
  temporary: string | undefined,
): ChildProcess => {
  // Outside the terminal's process group, Ctrl-C stops only the server, which then stops its engine.
  const background = { detached: true, windowsHide: true };
  const child = spawn(command, args, { ...background, stdio: ['ignore', 'ignore', 'pipe'] });
  child.once('close', () => {
    if (temporary) rmSync(temporary, { recursive: true, force: true, maxRetries: 20 });
  });
  if (child.pid === undefined) return child;
  const watcherArgs = [
    join(import.meta.dirname, 'end-with-parent.ts'),
    String(child.pid),
    temporary ?? '',
  ];
  // NODE_OPTIONS can contain a debugger, which is for the server.
  const env = { ...process.env, NODE_OPTIONS: '' };
  const watcher = spawn(process.execPath, watcherArgs, {
    ...background,
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.once('close', () => watcher.kill('SIGKILL'));
  return child;
};

/** In /dev/shm, which is memory, if possible. */
const createMemoryFolder = (): string => {
  let parent = tmpdir();
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    accessSync('/dev/shm', constants.W_OK);
    if (bavail * bsize >= 2 ** 30) parent = '/dev/shm';
  } catch {
    // This is not Linux, or a container without /dev/shm.
  }
  return mkdtempSync(join(parent, 'petstore-memory-'));
};

const responds = async (endpoint: string): Promise<boolean> =>
  (await fetch(endpoint, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined)) !==
  undefined;

/**
 * Milliseconds. An engine's start timeout counts only idle time, because a blocked process, such as one that loads the CDK,
 * receives no response.
 */
const idleTime = (): number => performance.eventLoopUtilization().idle;

const openRecords = ({ name, openStreamRecords }: EngineKind, file: string) => {
  const slower =
    'so it has no index for its stream, and each write takes longer than the one before';
  try {
    const records = openStreamRecords?.(file);
    if (records || !openStreamRecords) return { records };
    return { warning: `Another version of ${name} wrote ${file}, ${slower}.` };
  } catch (error) {
    return { warning: `${file} cannot be written (${(error as Error).message}), ${slower}.` };
  }
};

/** @returns undefined if another process took the port first */
const launchAt = async (
  port: number,
  kind: EngineKind,
  { command, args, startTimeout }: LaunchCommand,
  { folder: dataFolder, host }: EngineOptions,
): Promise<Engine | undefined> => {
  const { name, database } = kind;
  // A database in memory cannot get an index, so it is a file in a temporary folder.
  const temporary = !dataFolder && kind.openStreamRecords ? createMemoryFolder() : undefined;
  const folder = dataFolder ?? temporary;
  const file = folder && join(folder, database);
  const hadData = file !== undefined && existsSync(file);
  const child = spawnWithLifetime(command, args(port, folder, host), temporary);
  let stderr = '';
  child.stderr?.on('data', chunk => (stderr = `${stderr}${chunk}`.slice(-2_000)));
  child.once('error', ({ message }) => (stderr += message));
  let running = true;
  const exited = new Promise<void>(resolve => child.once('close', () => resolve()));
  exited.then(() => (running = false));

  const endpoint = `http://${host ?? '127.0.0.1'}:${port}`;
  const deadline = idleTime() + startTimeout;
  // A response after the engine has exited comes from another process.
  while (!(await responds(endpoint)) || !running) {
    if (!running) {
      if (/address already in use|port \d+ is already in use/i.test(stderr)) return undefined;
      const reason = stderr.trim() || 'no output on stderr';
      if (dataFolder && folderErrors.test(reason)) throw new DataFolderError(reason);
      throw hadData
        ? new UnusableDataError(`${name} cannot open ${file}: ${reason}`)
        : new Error(`${name} exited at once: ${reason}`);
    }
    if (idleTime() > deadline) {
      child.kill('SIGKILL');
      throw new Error(
        `${name} did not respond at ${endpoint} within ${startTimeout / 1000} s. ${stderr.trim()}`,
      );
    }
    await sleep(10);
  }
  const { records, warning } = file ? openRecords(kind, file) : {};
  return {
    name,
    endpoint,
    pid: child.pid,
    ended: exited,
    trimStream: (...published) => records?.trim(...published),
    warning,
    stop: async () => {
      records?.close();
      child.kill();
      await Promise.race([
        exited,
        sleep(3_000, undefined, { ref: false }).then(() => child.kill('SIGKILL')),
      ]);
    },
  };
};

/** @throws with the engine's stderr, if it exits at once or does not respond in time */
export const launchEngine = async (
  kind: EngineKind,
  command: LaunchCommand,
  folder?: string,
  host?: string,
) => {
  for (let attempt = 0; attempt < 5; attempt++) {
    const engine = await launchAt(await freePort(), kind, command, { folder, host });
    if (engine) return engine;
  }
  throw new Error(`${kind.name} found no free port. Start it again.`);
};

/**
 * Uses `DYNAMODB_ENDPOINT`, else the engine of `kind`, else the one that wrote the data, else the first that can run.
 * @throws with what to do if DYNAMODB_ENDPOINT does not respond or no engine can run; {UnusableDataError} if the data is corrupt
 */
export const startEngine = async ({ folder, kind, host }: EngineOptions = {}): Promise<Engine> => {
  const given = process.env.DYNAMODB_ENDPOINT;
  if (given) {
    if (!(await responds(given)))
      throw new Error(
        `Nothing responds at DYNAMODB_ENDPOINT=${given}. Start it, or unset the variable.`,
      );
    const external = {
      ended: new Promise<void>(() => undefined),
      trimStream: () => undefined,
      stop: async () => undefined,
    };
    return { name: given, endpoint: given, ...external };
  }
  const kinds: readonly EngineKind[] = kind ? [engineKinds[kind]] : Object.values(engineKinds);
  const writer = folder
    ? kinds.find(({ database }) => existsSync(join(folder, database)))
    : undefined;
  for (const candidate of writer ? [writer] : kinds) {
    const command = await candidate.findCommand();
    if (!command) continue;
    if (folder) mkdirSync(folder, { recursive: true });
    return launchEngine(candidate, command, folder, host);
  }
  if (!writer) {
    const list = remedies.map(remedy => `  - ${remedy}`).join('\n');
    throw new Error(
      `No DynamoDB engine can run on ${process.platform} ${process.arch}. Do one of these:\n${list}`,
    );
  }
  throw new Error(
    `The data in ${folder} was written by ${writer.name}, which cannot run here, and no other engine can read it. Do one of these:\n  - ${writer.remedy}\n  - use another folder: npm start -- --data FOLDER, or --memory`,
  );
};
