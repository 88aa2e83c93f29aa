import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { engineKinds } from '../../../cdk/local/engine/engine-kinds.ts';

/**
 * Takes from a stream what is older than so many seconds, but for the newest. DynamoDB does so after 24 hours; the embedded
 * engine never does, and for every write and every reading it looks through all that is there, so that a long run would
 * come to a stand. It also gets an index, by which the engine finds the number of the next change.
 * @param folder data of an engine that does not run at present
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
