import { join } from 'node:path';
import { replaceFile } from '../../build/replace-file.ts';
import { readJsonFile } from '../read-json-file.ts';

/** The sequence number of the last processed record, by shard. */
export interface Checkpoints {
  readonly of: (shard: string) => string | undefined;
  readonly save: (shard: string, sequenceNumber: string) => void;
}

/** With a data folder, they survive a restart: no record is skipped, and only unfinished batches are processed again. */
export const createCheckpoints = (stream: string, folder: string | undefined): Checkpoints => {
  const file = folder && join(folder, 'checkpoints.json');
  const all: Record<string, string> = (file && readJsonFile(file)) ?? {};
  const keyOf = (shard: string) => `${stream}/${shard}`;
  return {
    of: shard => all[keyOf(shard)],
    save: (shard, sequenceNumber) => {
      all[keyOf(shard)] = sequenceNumber;
      if (file) replaceFile(file, JSON.stringify(all));
    },
  };
};
