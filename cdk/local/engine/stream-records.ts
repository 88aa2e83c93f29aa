import { DatabaseSync } from 'node:sqlite';
import { isBusy } from '../state.ts';

/**
 * Dynoxide neither removes nor indexes its stream records, and searches them all at each write, so each write takes longer than
 * the one before. This adds an index to the database file of the running engine, and removes published records. It can write
 * there, because the file is in WAL mode, and the engine takes no exclusive lock, begins transactions with BEGIN IMMEDIATE, and
 * waits 5 s for a lock.
 */
export interface StreamRecords {
  /** Removes a batch of records up to this sequence number. Does nothing while the engine writes; the next call removes more. */
  readonly trim: (table: string, shard: string, sequenceNumber: string) => void;
  readonly close: () => void;
}

/** The schema version that this module was written for. Another version stays unchanged. */
const knownVersion = '9';

/** The engine searches for the greatest sequence number of a table, and for records after a number. A table has one shard. */
const createIndex =
  'CREATE INDEX IF NOT EXISTS petstore_stream_order ON _stream_records (table_name, CAST(sequence_number AS INTEGER))';

/** Keeps a table's newest record. Otherwise the next record would get the same number, and the poller would skip it. */
const removeRecords = `
  DELETE FROM _stream_records WHERE id IN (
    SELECT id FROM _stream_records
    WHERE table_name = :table AND shard_id = :shard AND CAST(sequence_number AS INTEGER) <= CAST(:last AS INTEGER)
      AND CAST(sequence_number AS INTEGER) <
        (SELECT MAX(CAST(sequence_number AS INTEGER)) FROM _stream_records WHERE table_name = :table)
    ORDER BY CAST(sequence_number AS INTEGER) LIMIT 1000)`;

/**
 * @param file the database of a running engine
 * @returns undefined, and changes nothing, if the schema has another version
 * @throws if the database cannot be read or written, for example because it is locked
 */
export const openStreamRecords = (file: string): StreamRecords | undefined => {
  const database = new DatabaseSync(file, { timeout: 1_000 });
  try {
    const version = database
      .prepare("SELECT value FROM _config WHERE key = 'schema_version'")
      .get();
    if (version?.value !== knownVersion) {
      database.close();
      return undefined;
    }
    database.exec(createIndex);
    // If a crash undoes a removal, the next removal repeats it. The engine itself writes the WAL to the database.
    database.exec(
      'PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 0',
    );
    const remove = database.prepare(removeRecords);
    return {
      trim: (table, shard, last) => {
        if (!database.isOpen) return;
        try {
          remove.run({ table, shard, last });
        } catch (error) {
          if (!isBusy(error)) throw error;
        }
      },
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
};
