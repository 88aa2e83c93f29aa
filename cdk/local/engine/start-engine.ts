import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EngineKind, engineKinds, type Launch } from './engine-kinds.ts';

/** What was kept of an earlier run cannot be used. What may be deleted then, and what is lost with it, the start says: it knows where. */
export class UnusableData extends Error {}

/** A DynamoDB to work with, and how to let go of it. */
export interface Engine {
  readonly name: string;
  readonly endpoint: string;
  /** Of its process, when it was started here. */
  readonly pid?: number | undefined;
  readonly stop: () => Promise<void>;
}

export interface EngineOptions {
  /** Where data is kept between runs; absent: in memory, gone at the end. */
  readonly folder?: string | undefined;
  /** Which engine to start; absent: the one that wrote the data, else the first that can run. */
  readonly kind?: keyof typeof engineKinds | undefined;
}

const noEngine = `No DynamoDB to run on. Do one of these:
${Object.values(engineKinds)
  .map(({ remedy }) => `  - ${remedy}\n`)
  .join('')}  - start any DynamoDB and name it: docker run -p 127.0.0.1:8000:8000 amazon/dynamodb-local
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

/** @returns undefined where somebody else was faster to take the port */
const launchAt = async (
  port: number,
  { name, database }: EngineKind,
  { command, args, patience }: Launch,
  folder?: string,
): Promise<Engine | undefined> => {
  const file = folder && join(folder, database);
  const hadData = file !== undefined && existsSync(file);
  const child = spawnBound(command, args(port, folder));
  let complaint = '';
  child.stderr?.on('data', chunk => {
    complaint = `${complaint}${chunk}`.slice(-2_000);
  });
  let running = true;
  // With the pipe the shell's watch over it ends too.
  child.once('exit', () => (child.stdio[3] as Writable | null | undefined)?.destroy());
  const exited = once(child, 'close')
    .catch(() => undefined)
    .then(() => {
      running = false;
    });

  const endpoint = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + patience;
  let isLate = false;
  // Whoever answers while it has ended is somebody else.
  while (!(await answers(endpoint)) || !running) {
    if (!running) {
      if (/address already in use|port \d+ is already in use/i.test(complaint)) return undefined;
      const reason = complaint.trim() || 'it gave no reason';
      throw hadData
        ? new UnusableData(`${name} cannot open ${file}: ${reason}`)
        : new Error(`${name} ended at once: ${reason}`);
    }
    if (isLate) {
      child.kill('SIGKILL');
      throw new Error(`${name} did not answer at ${endpoint} within ${patience / 1000} s. ${complaint.trim()}`);
    }
    await sleep(10);
    // Asked once more after it is late: this process may have been too busy itself to hear the answer.
    isLate = Date.now() > deadline;
  }
  return {
    name,
    endpoint,
    pid: child.pid,
    stop: async () => {
      child.kill();
      await Promise.race([exited, sleep(3_000, undefined, { ref: false }).then(() => child.kill('SIGKILL'))]);
    },
  };
};

/** Starts an engine of a kind. @throws when it ends at once or does not answer in time, saying what it said */
export const launchEngine = async (kind: EngineKind, how: Launch, folder?: string): Promise<Engine> => {
  for (let tries = 0; tries < 5; tries++) {
    const engine = await launchAt(await freePort(), kind, how, folder);
    if (engine) return engine;
  }
  throw new Error(`${kind.name} found no free port. Start it again.`);
};

/** Which engine's data a folder has. */
const writerOf = (folder: string): EngineKind | undefined =>
  Object.values(engineKinds).find(({ database }) => existsSync(join(folder, database)));

/**
 * The DynamoDB of this machine: `DYNAMODB_ENDPOINT` if it is set, else the engine that wrote the data, else Dynoxide, else
 * DynamoDB Local.
 * @throws when there is none, saying what to install; when the data are another engine's, or broken
 */
export const startEngine = async ({ folder, kind }: EngineOptions = {}): Promise<Engine> => {
  const given = process.env.DYNAMODB_ENDPOINT;
  if (given) {
    if (!(await answers(given)))
      throw new Error(`Nothing answers at DYNAMODB_ENDPOINT=${given}. Start it, or unset the variable.`);
    return { name: given, endpoint: given, stop: async () => undefined };
  }
  const writer = folder ? writerOf(folder) : undefined;
  const chosen = kind ? engineKinds[kind] : writer;
  for (const candidate of chosen ? [chosen] : Object.values(engineKinds)) {
    const found = await candidate.find();
    if (!found) continue;
    if (folder) mkdirSync(folder, { recursive: true });
    return launchEngine(candidate, found, folder);
  }
  if (!writer) throw new Error(noEngine);
  throw new Error(
    `The data in ${folder} were written by ${writer.name}, which cannot run here, and no other engine reads them. Either\n  - ${writer.remedy}\n  - or keep data elsewhere: npm start -- --data FOLDER, or --memory`,
  );
};
