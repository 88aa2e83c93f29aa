import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { engineKinds } from '../../../cdk/local/engine/engine-kinds.ts';

/**
 * Removes stream records that are older than `seconds`, except for the newest one. DynamoDB removes them after 24 hours; the
 * embedded engine never does, and scans all of them for each write and each read, so a long run would become too slow. Also
 * creates an index that the engine uses to find the next sequence number.
 * @param folder the data folder of an engine that is stopped
 */
export const trimStream = (folder: string, seconds: number): void => {
  const file = join(folder, engineKinds.dynoxide.database);
  if (!existsSync(file)) return;
  const database = new DatabaseSync(file);
  database.exec(
    'CREATE INDEX IF NOT EXISTS stream_order ON _stream_records (table_name, CAST(sequence_number AS INTEGER))',
  );
  database
    .prepare(
      'DELETE FROM _stream_records WHERE created_at < ? AND id NOT IN (SELECT MAX(id) FROM _stream_records GROUP BY table_name)',
    )
    .run(Math.floor(Date.now() / 1_000) - seconds);
  database.close();
};
