import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The sequence number of the last processed record, by shard. */
export interface Checkpoints {
  readonly of: (shard: string) => string | undefined;
  readonly save: (shard: string, sequenceNumber: string) => void;
}

const readFile = (file: string): Record<string, string> => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
};

/** With a data folder, they survive a restart: no record is skipped, and only unfinished batches are processed again. */
export const createCheckpoints = (stream: string, folder: string | undefined): Checkpoints => {
  const file = folder && join(folder, 'checkpoints.json');
  const all = file ? readFile(file) : {};
  const keyOf = (shard: string) => `${stream}/${shard}`;
  return {
    of: shard => all[keyOf(shard)],
    save: (shard, sequenceNumber) => {
      all[keyOf(shard)] = sequenceNumber;
      if (!file) return;
      // Write, then rename: a process that is killed leaves the old file or the new one, never half of one.
      writeFileSync(`${file}.new`, JSON.stringify(all));
      renameSync(`${file}.new`, file);
    },
  };
};
