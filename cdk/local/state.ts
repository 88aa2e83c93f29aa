import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The data folder cannot be written. The data in it is unchanged. */
export class DataFolderError extends Error {}

/** Queued messages, and the checkpoint of each shard (its last processed stream record). */
export type State = DatabaseSync;

// The exclusive lock comes before the WAL mode, so that no other process can share the WAL.
const schema = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  BEGIN EXCLUSIVE;
  CREATE TABLE IF NOT EXISTS checkpoints (shard TEXT PRIMARY KEY, sequence_number TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS messages (
    id TEXT PRIMARY KEY, queue TEXT NOT NULL, body TEXT NOT NULL, attributes TEXT, sent_at INTEGER NOT NULL,
    moved_from TEXT, receive_count INTEGER NOT NULL DEFAULT 0, hidden_until INTEGER NOT NULL DEFAULT 0
  );
  COMMIT`;

/** SQLITE_BUSY: another connection writes, or has locked the database. */
export const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === 5;

const openDatabase = (file: string): State => {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec(schema);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

const importedFile = 'imported';

/** Whether the folder had a database before its first server: it may be that of a stage. */
export const isImported = (folder: string | undefined): boolean =>
  folder !== undefined && existsSync(join(folder, importedFile));

/**
 * Without a folder, the state is in memory. In a folder, it survives a kill of the server, and only one server at a time can use
 * it: its file is locked until the process ends.
 * @returns the state; keep a reference, because Node closes a garbage-collected database, which ends the lock
 * @throws {DataFolderError} if the folder cannot be written; another error if another server uses it
 */
export const openState = (folder?: string): State => {
  if (!folder) return openDatabase(':memory:');
  const holder = join(folder, 'server.pid');
  try {
    mkdirSync(folder, { recursive: true });
    const files = readdirSync(folder);
    if (!files.includes('server.db') && files.some(name => name.endsWith('.db')))
      writeFileSync(join(folder, importedFile), '');
    const state = openDatabase(join(folder, 'server.db'));
    writeFileSync(holder, String(process.pid));
    return state;
  } catch (error) {
    if (!isBusy(error)) throw new DataFolderError((error as Error).message, { cause: error });
    const pid = existsSync(holder) ? readFileSync(holder, 'utf8') : 'unknown';
    throw new Error(
      `Another server (process ${pid}) uses the data folder ${folder}. Stop it, or use another folder: npm start -- --data FOLDER, or --memory.`,
    );
  }
};

/** From now on, only this user can read the folder, its files, and what this process and its children write (not on Windows). */
export const makePrivate = (folder: string): void => {
  process.umask(0o077);
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
};
