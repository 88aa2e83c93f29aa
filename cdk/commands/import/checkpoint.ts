import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { jsonOrUndefined } from '../../json-or-undefined.ts';
import type { Values } from './rows.ts';

/** What happened to a row so far. Each entry of the file adds to the earlier ones. */
export interface Progress {
  /** When its creation was first sent with its key (ISO 8601), and into which category. */
  readonly sent?: string;
  readonly categoryId?: number;
  /** Its pet, and the values that it gets. */
  readonly id?: number;
  readonly new?: Values;
  /** The values before the last write that was sent, or before the first one. */
  readonly old?: Values;
  readonly write?: Write;
  readonly done?: boolean;
}
export type Write = { readonly part: Values; readonly etag: string; readonly key: string };

/** A file for each API, so that a file can be imported into several stages. A URL can have a stage in its path. */
export const checkpointPathOf = (file: string, apiUrl: string): string =>
  `${file}.${apiUrl.replace(/^https?:\W+/, '').replace(/[^\w.-]+/g, '-')}.checkpoint`;

/**
 * Appends each entry to a file, so that the next run continues an interrupted import.
 * @param isReadOnly whether new entries are only in memory
 * @throws when an earlier version wrote the file
 */
export const openCheckpoint = (path: string, isReadOnly = false) => {
  const append = (entry: object): void => {
    // The line break comes first: it also ends an incomplete line, which an interrupted write leaves.
    if (!isReadOnly) appendFileSync(path, `\n${JSON.stringify(entry)}`);
  };
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const [first = { import: randomUUID() }, ...entries] = text.split('\n').map(jsonOrUndefined).filter(Boolean);
  if (!first.import)
    throw new Error(
      `${path} is of an earlier version. If its import is complete, delete it; else finish it with that version.`,
    );
  if (!text.includes(first.import)) append(first);
  const rows = new Map<string, Progress>();
  const add = (row: string, progress?: Progress) =>
    progress ? rows.set(row, { ...rows.get(row), ...progress }) : rows.delete(row);
  for (const { row, progress } of entries) add(row, progress);
  return {
    /** The import: a part of its keys, so that equal rows of different files are different pets. */
    id: first.import as string,
    rows: rows as ReadonlyMap<string, Progress>,
    of: (row: string): Progress => rows.get(row) ?? {},
    /** @param progress undefined: it was refused, so that the next run begins it again */
    note: (row: string, progress: Progress | undefined): void => {
      append({ row, progress });
      add(row, progress);
    },
  };
};
export type Checkpoint = ReturnType<typeof openCheckpoint>;
