import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { NewCategory } from '../../../lib/schemas/category.ts';
import { InventoryUpdate } from '../../../lib/schemas/inventory.ts';
import { strictObject } from '../../../lib/schemas/object.ts';
import { NewPet } from '../../../lib/schemas/pet.ts';
import { readRows } from './read-rows.ts';

/** A pet, with its category by name, and its quantity: 1 by default. */
const Line = strictObject({
  name: NewPet.shape.name,
  category: NewCategory.shape.name,
  status: z.optional(NewPet.shape.status),
  quantity: z.optional(InventoryUpdate.shape.quantity),
});

export interface Line extends z.infer<typeof Line> {
  /**
   * The Idempotency-Key of its creation. It stays the same when lines are added or moved. Equal lines are different pets, so
   * the key has their number.
   */
  readonly key: string;
}

/** The columns of CSV. */
export const columns = Object.keys(Line.shape) as readonly (keyof typeof Line.shape)[];
const required = ['name', 'category'] as const;

const textOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'unrecognized_keys'
    ? `unknown field ${issue.keys.map(key => JSON.stringify(key)).join(', ')}`
    : [...issue.path, issue.message].join(' ');

/**
 * Reads JSON Lines, a JSON array or CSV. The same pet has the same key in each format.
 * @throws {Error} with at most ten invalid lines, before anything is sent
 */
export const readLines = (bytes: Uint8Array): Line[] => {
  const lines: Line[] = [];
  const problems: string[] = [];
  const copies = new Map<string, number>();
  for (const { where, value } of readRows(bytes, columns, required)) {
    const read = z.safeParse(Line, value);
    if (!read.success) {
      const problem = value === undefined ? 'not JSON; expected one JSON object per line' : undefined;
      problems.push(`${where}: ${problem ?? read.error.issues.map(textOf).join('; ')}`);
      continue;
    }
    const content = JSON.stringify(read.data);
    const count = (copies.get(content) ?? 0) + 1;
    copies.set(content, count);
    const digest = createHash('sha256').update(`${content} ${count}`).digest('base64url');
    lines.push({ ...read.data, key: `import: ${digest}` });
  }
  if (problems.length > 0) {
    const more = problems.length > 10 ? `\n… and ${problems.length - 10} more` : '';
    throw new Error(`${problems.slice(0, 10).join('\n')}${more}`);
  }
  return lines;
};
