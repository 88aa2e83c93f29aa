import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { connect } from '../../cdk/local/engine/table.ts';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';
import type { Bench } from './bench.ts';

/** Writes the pets `from + 1` to `to` directly to the table, which is faster than through the API. */
export const writePets = async (
  { endpoint, tableName }: Pick<Bench, 'endpoint' | 'tableName'>,
  from: number,
  to: number,
) => {
  const client = connect(endpoint);
  for (let start = from; start < to; start += 25) {
    const requests = Array.from({ length: Math.min(25, to - start) }, (_, index) => {
      const item = newPetItem(start + index + 1, { name: 'Guppy', categoryId: 1, status: 'available' });
      return { PutRequest: { Item: marshall({ ...storedPet(item), writeCount: 1 }) } };
    });
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
    if (start % 2_500 === 0) process.stderr.write(`\rpets written: ${start + requests.length} `);
  }
  process.stderr.write('\n');
  client.destroy();
};
