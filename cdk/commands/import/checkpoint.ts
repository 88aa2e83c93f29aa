import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { jsonOrUndefined } from '../../json-or-undefined.ts';

/** The state of each line of an import, by its key. */
export interface Checkpoint {
  readonly isDone: (key: string) => boolean;
  /** When it was last sent, in milliseconds since the epoch; undefined: never, or it is done. */
  readonly sentAt: (key: string) => number | undefined;
  readonly send: (key: string) => void;
  readonly finish: (key: string, id: number) => void;
}

type Entry = { readonly key: string } & ({ readonly sent: string } | { readonly id: number });

/** Skips an incomplete line, which an interrupted write leaves. */
const entriesOf = (text: string): Entry[] =>
  text
    .split('\n')
    .map(jsonOrUndefined)
    .filter(entry => entry !== undefined);

/** A file for each API, so that a file can be imported into several stages. A URL can have a stage in its path. */
export const checkpointPathOf = (file: string, apiUrl: string): string => {
  const { host, pathname } = new URL(apiUrl);
  const name = `${host}${pathname}`.replace(/[^\w.-]+/g, '-').replace(/^-|-$/g, '');
  return `${file}.${name}.checkpoint`;
};

/**
 * Appends each entry to a file, so that the next run continues an interrupted import.
 * @param path absent: it is in memory
 */
export const openCheckpoint = (path?: string): Checkpoint => {
  const done = new Set<string>();
  const sent = new Map<string, number>();
  const note = (entry: Entry) => {
    if ('id' in entry) {
      done.add(entry.key);
      sent.delete(entry.key);
    } else sent.set(entry.key, Date.parse(entry.sent));
  };
  const text = path && existsSync(path) ? readFileSync(path, 'utf8') : '';
  for (const entry of entriesOf(text)) note(entry);
  if (path && text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n');
  const write = (entry: Entry) => {
    note(entry);
    if (path) appendFileSync(path, `${JSON.stringify(entry)}\n`);
  };
  return {
    isDone: key => done.has(key),
    sentAt: key => sent.get(key),
    send: key => write({ key, sent: new Date().toISOString() }),
    finish: (key, id) => write({ key, id }),
  };
};
