import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { keyLifetimeHours } from '../../../lib/key-lifetime.ts';
import { now } from '../../command.ts';
import { jsonOrUndefined } from '../../files/json-or-undefined.ts';
import { digestOf, type Values } from './cells.ts';

export const hour = 3_600_000;

/** Whether the API may have forgotten the key of a creation, by the clock of this machine. */
export const isExpired = (sent: string): boolean =>
  now() - Date.parse(sent) > (keyLifetimeHours - 1) * hour;

/** A write that was sent: what the pet gets, what it had, and the ETag of its stocked units, which was read before. */
export type Write = { readonly part: Values; readonly before: Values; readonly tag: string };

/** What is known of a row. Each entry of the file adds to the earlier entries for the row. */
export interface Progress {
  /** 2 after an undo, so that the row has other idempotency keys. */
  readonly attempt?: number;
  /** Of a new pet: when nobody else had one of its name and category (ISO 8601). */
  readonly planned?: string;
  /** When the creation was first sent (ISO 8601), and its body. */
  readonly sent?: string;
  readonly body?: Values;
  readonly id?: number;
  /** For messages of `--undo`. */
  readonly name?: unknown;
  readonly write?: Write | null;
  /** Nobody can say whether `write` happened. */
  readonly isUnclear?: boolean;
  /** What the import has written, and what the pet had before. */
  readonly applied: Values;
  readonly before: Values;
  /** A digest of the row that needs no more requests. */
  readonly done?: string;
}

/** Each stage has its own checkpoint. The name has the URL's host and path, because stages can share a host. */
export const checkpointPathOf = (file: string, apiUrl: string): string =>
  `${file}.${apiUrl.replace(/^https?:\W+/, '').replace(/[^\w.-]+/g, '-')}.checkpoint`;

/** Of the writes that take back those of a row. */
export const undoKeyOf = (row: string): string => `undo ${row}`;

type Entry = { row?: string; progress?: Partial<Progress>; attempt?: number };
const none: Progress = { applied: {}, before: {} };

/**
 * Two runs of a file can share it: the first line that one of them has written is the first for both. With `isReadOnly`, changes
 * stay in memory. @throws {Error}
 */
export const openCheckpoint = (path: string, { isReadOnly = false } = {}) => {
  const own = { import: randomUUID(), form: 2 };
  const append = (entry: object): void => {
    // The line break comes first, so that it also ends an incomplete line of an interrupted write.
    if (!isReadOnly) appendFileSync(path, `\n${JSON.stringify(entry)}`);
  };
  const entriesIn = () =>
    (existsSync(path) ? readFileSync(path, 'utf8') : '')
      .split('\n')
      .map(jsonOrUndefined)
      .filter(Boolean);
  let entries = entriesIn();
  if (!entries.some(entry => entry.import)) {
    append(own);
    entries = entriesIn();
  }
  const first = entries.find(entry => entry.import) ?? own;
  if (first.form !== own.form)
    throw new Error(
      `${path} is of a former version. Finish or undo its import with that version, or delete it and export again.`,
    );
  const rows = new Map<string, Progress>();
  const of = (row: string): Progress => rows.get(row) ?? none;
  const attemptOf = (row: string) => of(row.replace(/^undo /, '')).attempt ?? 1;
  const add = ({ row = '', progress, attempt = 1 }: Entry) => {
    if (progress) {
      const old = of(row);
      // A second run that repeats a creation notes what the pet had before the first run has set its stock.
      const isRepeated = old.id !== undefined && progress.id !== undefined;
      const applied = isRepeated
        ? { ...progress.applied, ...old.applied }
        : { ...old.applied, ...progress.applied };
      const before = { ...progress.before, ...old.before };
      rows.set(row, { ...old, ...progress, applied, before });
    } else if (attempt > attemptOf(row)) {
      rows.set(row, { ...none, attempt });
      rows.delete(undoKeyOf(row));
    }
  };
  const write = (entry: Entry): void => {
    append(entry);
    add(entry);
  };
  const reset = (row: string): void => write({ row, attempt: attemptOf(row) + 1 });
  for (const entry of entries) add(entry);
  return {
    rows: rows as ReadonlyMap<string, Progress>,
    of,
    note: (row: string, progress: Partial<Progress>): void => write({ row, progress }),
    /** After its undo, a row is new. */
    reset,
    /** All rows are new. */
    startAgain: (): void => {
      for (const row of rows.keys()) reset(row);
    },
    /** The idempotency key of a row's request, which is the same in every run. */
    keyOf: (row: string, ...what: readonly unknown[]): string =>
      `import: ${first.import} ${digestOf([row, attemptOf(row), ...what])}`,
  };
};
