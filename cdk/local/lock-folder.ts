import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';

/** Who holds a folder: a process, and a port of its that says the secret. */
interface Holder {
  readonly pid: number;
  readonly port: number;
  readonly secret: string;
}

/** A busy holder is not asked longer than this, in milliseconds. */
const patience = 1_000;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** A process id alone proves nothing: after a crash or a restart of the machine it soon belongs to somebody else. */
const holds = async ({ pid, port, secret }: Holder): Promise<boolean> => {
  if (!isAlive(pid)) return false;
  const socket = connect(port, '127.0.0.1').setEncoding('utf8').setTimeout(patience);
  try {
    // Silence is that of a holder which is busy synthesizing.
    const closed = once(socket, 'close').then(() => ['']);
    const [said] = (await Promise.race([once(socket, 'data'), once(socket, 'timeout'), closed])) as string[];
    return said === undefined || said === secret;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

const readHolder = (file: string): Holder | undefined => {
  try {
    const { pid, port, secret } = JSON.parse(readFileSync(file, 'utf8'));
    return Number.isInteger(pid) && Number.isInteger(port) ? { pid, port, secret } : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Keeps a second server off a data folder, whose engine takes one. A lock that a killed process left behind does not
 * count, also when its process id has been given to another since.
 * @throws when another server holds the folder
 */
export const lockFolder = async (folder: string): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'server.lock');
  const wasThere = existsSync(file);
  const holder = readHolder(file);
  if (holder && (await holds(holder))) {
    throw new Error(
      `Another server (process ${holder.pid}) keeps its data in ${folder}. Stop it, or keep this one's elsewhere: npm start -- --data FOLDER, or --memory.`,
    );
  }
  const secret = randomUUID();
  const server = createServer(socket => socket.on('error', () => undefined).end(secret))
    .listen(0, '127.0.0.1')
    .unref();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (wasThere) rmSync(file, { force: true });
  try {
    // Only where there is none: of two that start at the same moment one is the first.
    const lock = JSON.stringify({ pid: process.pid, port, secret } satisfies Holder);
    writeFileSync(file, lock, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    server.close();
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return lockFolder(folder);
  }
  process.once('exit', () => rmSync(file, { force: true }));
};
