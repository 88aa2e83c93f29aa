import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How far each shard of a stream has been read: shard → sequence number. */
export interface Positions {
  readonly of: (shard: string) => string | undefined;
  readonly save: (shard: string, sequenceNumber: string) => void;
}

const read = (file: string): Record<string, string> => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
};

/** Kept between runs where there is a folder: what was told before a restart is not told again, and nothing is skipped. */
export const positionsOf = (stream: string, folder: string | undefined): Positions => {
  const file = folder && join(folder, 'stream-position.json');
  const all = file ? read(file) : {};
  const nameOf = (shard: string) => `${stream}/${shard}`;
  return {
    of: shard => all[nameOf(shard)],
    save: (shard, sequenceNumber) => {
      all[nameOf(shard)] = sequenceNumber;
      if (!file) return;
      // Written whole beside it first: a process that is killed leaves the old one or the new one.
      writeFileSync(`${file}.new`, JSON.stringify(all));
      renameSync(`${file}.new`, file);
    },
  };
};
