import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { jsonOrUndefined } from '../../json-or-undefined.ts';
import type { Values } from './rows.ts';

/** A write of a pet, noted before it is sent: from which values it starts, and with which ETag and key. */
export interface Write {
  readonly step: 'fields' | 'quantity' | 'status';
  readonly etag: string;
  readonly key: string;
  readonly from: Values;
}

/** What happened to a row so far. Each entry adds to the earlier ones. */
export interface Progress {
  /** When its creation was last sent (ISO 8601), and into which category. */
  readonly sent?: string;
  readonly categoryId?: number;
  /** Its pet. */
  readonly id?: number;
  /** What changes, from the first write on. */
  readonly old?: Values;
  readonly new?: Values;
  /** The last write, and the values after the last one that succeeded. */
  readonly write?: Write | null;
  readonly after?: Values;
  /** It was compared with the pets that existed before. */
  readonly isNew?: boolean;
  readonly done?: boolean;
}

export interface Checkpoint {
  /** The import: a part of its keys, so that equal rows of different files are different pets. */
  readonly id: string;
  readonly of: (row: string) => Progress;
  readonly note: (row: string, progress: Progress) => void;
  /** Forgets a row that was refused, so that the next run begins it again. */
  readonly forget: (row: string) => void;
  /** The ids of the pets that it created. */
  readonly created: () => Set<number>;
}

/** A file for each API, so that a file can be imported into several stages. A URL can have a stage in its path. */
export const checkpointPathOf = (file: string, apiUrl: string): string => {
  const { host, pathname } = new URL(apiUrl);
  const name = `${host}${pathname}`.replace(/[^\w.-]+/g, '-').replace(/^-|-$/g, '');
  return `${file}.${name}.checkpoint`;
};

/** Creates the file, unless another run just did. */
const begin = (path: string, first: string): string => {
  try {
    writeFileSync(path, first, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8');
};

/**
 * Appends each entry to a file, so that the next run continues an interrupted import.
 * @param path absent: it is in memory
 * @throws when an earlier version wrote the file
 */
export const openCheckpoint = (path?: string): Checkpoint => {
  const line = `${JSON.stringify({ import: randomUUID() })}\n`;
  const text = path ? begin(path, line) : line;
  // An interrupted write leaves an incomplete line.
  if (path && !text.endsWith('\n')) appendFileSync(path, '\n');
  const [first, ...entries] = text.split('\n').map(jsonOrUndefined) as (Record<string, unknown> | undefined)[];
  const id = first?.import;
  if (typeof id !== 'string')
    throw new Error(
      `${path} is of an earlier version. If its import is complete, delete it; else finish it with that version.`,
    );
  const rows = new Map<string, Progress>();
  const add = ({ row, forgotten, ...progress }: { row: string; forgotten?: boolean }) =>
    forgotten ? rows.delete(row) : rows.set(row, { ...rows.get(row), ...progress });
  for (const entry of entries) if (entry) add(entry as { row: string });
  const append = (entry: { row: string; forgotten?: boolean }) => {
    if (path) appendFileSync(path, `${JSON.stringify(entry)}\n`);
    add(entry);
  };
  return {
    id,
    of: row => rows.get(row) ?? {},
    note: (row, progress) => append({ row, ...progress }),
    forget: row => append({ row, forgotten: true }),
    created: () => new Set([...rows.values()].flatMap(({ sent, id: pet }) => (sent && pet ? [pet] : []))),
  };
};
