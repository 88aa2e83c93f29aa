import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { readJsonFile } from './read-json-file.ts';

/** The process that holds the lock. It sends its secret to every connection to its port. */
interface LockHolder {
  readonly pid: number;
  readonly port: number;
  readonly secret: string;
}

/** In milliseconds. */
const replyTimeout = 1_000;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** A process id is not enough: after a crash, the operating system may assign it to another process. */
const isHeldBy = async ({ pid, port, secret }: LockHolder): Promise<boolean> => {
  if (!isAlive(pid)) return false;
  const socket = connect(port, '127.0.0.1').setEncoding('utf8').setTimeout(replyTimeout);
  try {
    // A holder that is busy synthesizing does not reply in time, and still holds the lock.
    const closed = once(socket, 'close').then(() => ['']);
    const [reply] = (await Promise.race([once(socket, 'data'), once(socket, 'timeout'), closed])) as string[];
    return reply === undefined || reply === secret;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

const readHolder = (file: string): LockHolder | undefined => {
  const { pid, port, secret } = readJsonFile(file) ?? {};
  return Number.isInteger(pid) && Number.isInteger(port) ? { pid, port, secret } : undefined;
};

/**
 * Locks a data folder: its engine supports one server at a time. The lock of a process that was killed is replaced, also
 * when another process has its id now.
 * @throws when another server holds the lock
 */
export const lockFolder = async (folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'server.lock');
  const hasOldLock = existsSync(file);
  const holder = readHolder(file);
  if (holder && (await isHeldBy(holder))) {
    throw new Error(
      `Another server (process ${holder.pid}) uses the data folder ${folder}. Stop it, or use another folder: npm start -- --data FOLDER, or --memory.`,
    );
  }
  const secret = randomUUID();
  const server = createServer(socket => socket.on('error', () => undefined).end(secret))
    .listen(0, '127.0.0.1')
    .unref();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (hasOldLock) rmSync(file, { force: true });
  try {
    // The flag `wx` fails if the file exists, so only one of two processes that start together gets the lock.
    const lock = JSON.stringify({ pid: process.pid, port, secret } satisfies LockHolder);
    writeFileSync(file, lock, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    server.close();
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return lockFolder(folder);
  }
  process.once('exit', () => rmSync(file, { force: true }));
};
