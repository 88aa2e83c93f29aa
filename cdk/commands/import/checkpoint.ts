import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { jsonOrUndefined } from '../../files/json-or-undefined.ts';
import type { Values } from './rows.ts';

/** Each entry of the file adds to the earlier entries for the row. */
export interface Progress {
  /** When the pet's creation was first sent (ISO 8601), its idempotency key, and the category in that request. */
  readonly sent?: string;
  readonly creation?: string;
  readonly categoryId?: number;
  /** The pet, and the values that it had and gets. */
  readonly id?: number;
  readonly from?: Values;
  readonly new?: Values;
  /** The state before `write`, the last write that was sent; before the first write, if none was sent. */
  readonly old?: Values;
  readonly write?: Write | undefined;
  readonly done?: boolean;
  /** `--undo` found nothing that forbids it, and deletes the pet. */
  readonly isDeleting?: boolean;
}
export type Write = { readonly part: Values; readonly etag: string; readonly key: string };

/** Each stage has its own checkpoint. The name has the URL's host and path, because stages can share a host. */
export const checkpointPathOf = (file: string, apiUrl: string): string =>
  `${file}.${apiUrl.replace(/^https?:\W+/, '').replace(/[^\w.-]+/g, '-')}.checkpoint`;

/** `isNew` removes the entries of the file. With `isReadOnly`, changes stay in memory. */
export const openCheckpoint = (path: string, { isNew = false, isReadOnly = false } = {}) => {
  const append = (entry: object): void => {
    // The line break comes first, so that it also ends an incomplete line of an interrupted write.
    if (!isReadOnly) appendFileSync(path, `\n${JSON.stringify(entry)}`);
  };
  if (isNew && !isReadOnly) rmSync(path, { force: true });
  const text = !isNew && existsSync(path) ? readFileSync(path, 'utf8') : '';
  const [first = { import: randomUUID() }, ...entries] = text
    .split('\n')
    .map(jsonOrUndefined)
    .filter(Boolean);
  if (!text.includes(first.import)) append(first);
  const rows = new Map<string, Progress>();
  const add = (row: string, progress?: Progress) =>
    progress ? rows.set(row, { ...rows.get(row), ...progress }) : rows.delete(row);
  for (const { row, progress } of entries) add(row, progress);
  return {
    /** The idempotency keys of categories contain it. */
    id: first.import as string,
    rows: rows as ReadonlyMap<string, Progress>,
    of: (row: string): Progress => rows.get(row) ?? {},
    /** @param progress undefined: the next run starts the row again */
    note: (row: string, progress: Progress | undefined): void => {
      append({ row, progress });
      add(row, progress);
    },
  };
};
export type Checkpoint = ReturnType<typeof openCheckpoint>;
