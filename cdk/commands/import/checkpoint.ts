import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { jsonOrUndefined } from '../shared/json-or-undefined.ts';

/** What an import remembers of each line, by its key. */
export interface Journal {
  readonly isDone: (key: string) => boolean;
  /** When it was last sent without an answer that this journal has, in milliseconds since the epoch. */
  readonly sentAt: (key: string) => number | undefined;
  readonly send: (key: string) => void;
  readonly finish: (key: string, id: number) => void;
}

type Entry = { readonly key: string } & ({ readonly sent: string } | { readonly id: number });

/** A line of a file that was cut off in the middle of being written is none. */
const entriesOf = (text: string): Entry[] =>
  text
    .split('\n')
    .map(jsonOrUndefined)
    .filter(entry => entry !== undefined);

/** Kept in a file, entry by entry, so that an import that is cut off goes on where it was. */
export const openJournal = (path: string): Journal => {
  const done = new Set<string>();
  const sent = new Map<string, number>();
  const note = (entry: Entry) => {
    if ('id' in entry) {
      done.add(entry.key);
      sent.delete(entry.key);
    } else sent.set(entry.key, Date.parse(entry.sent));
  };
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  for (const entry of entriesOf(text)) note(entry);
  if (text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n');
  const write = (entry: Entry) => {
    note(entry);
    appendFileSync(path, `${JSON.stringify(entry)}\n`);
  };
  return {
    isDone: key => done.has(key),
    sentAt: key => sent.get(key),
    send: key => write({ key, sent: new Date().toISOString() }),
    finish: (key, id) => write({ key, id }),
  };
};
