import { type IndexKey, readFrom } from './table/indexes.ts';
import type { Stored, Violation } from './violation.ts';

/** The partition of an item in the indexes of each key; absent: such an item is in none of them. */
export type Partitions = Readonly<Partial<Record<IndexKey, string>>>;

/** An item may be in the shard that it got when there were fewer shards. */
const isInShard = (value: unknown, partition: string, id: number, shards: number): boolean => {
  const shard = Number(String(value).slice(partition.length + 1));
  if (value !== `${partition}#${shard}`) return false;
  for (let number = shards; number > 0; number--) if (id % number === shard) return true;
  return false;
};

export function* outOfPartition(item: Stored, expected: Partitions, shards: number): Generator<Violation> {
  for (const attribute of Object.keys(readFrom) as IndexKey[]) {
    const partition = expected[attribute];
    const value = item[attribute];
    if (partition === undefined ? value === undefined : isInShard(value, partition, item.id, shards)) continue;
    const but =
      partition === undefined ? 'and the index has no items of this kind' : `expected the partition ${partition}`;
    yield { invariant: 'partitions_match', attribute, text: `is ${JSON.stringify(value)}, ${but}` };
  }
}
