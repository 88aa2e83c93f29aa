import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { NewCategory } from '../../../lib/schemas/category.ts';
import { InventoryUpdate } from '../../../lib/schemas/inventory.ts';
import { strictObject } from '../../../lib/schemas/object.ts';
import { NewPet } from '../../../lib/schemas/pet.ts';
import { jsonOrUndefined } from '../shared/json-or-undefined.ts';

/** A pet of a catalogue: its category by name, and how many units there are, one unless it says otherwise. */
const Line = strictObject({
  name: NewPet.shape.name,
  category: NewCategory.shape.name,
  status: z.optional(NewPet.shape.status),
  quantity: z.optional(InventoryUpdate.shape.quantity),
});

export interface Line extends z.infer<typeof Line> {
  /**
   * The Idempotency-Key of its creation: the same however often the file is read, also when lines are added or moved. Equal
   * lines are as many pets, and are counted.
   */
  readonly key: string;
}

const worded = (issue: z.core.$ZodIssue): string =>
  issue.code === 'unrecognized_keys'
    ? `there is no field ${issue.keys.map(key => JSON.stringify(key)).join(', ')}`
    : [...issue.path, issue.message].join(' ');

/** Reads JSON Lines. @throws {Error} naming the lines, ten at most, that are none, before anything is sent */
export const readLines = (text: string): Line[] => {
  const lines: Line[] = [];
  const faults: string[] = [];
  const seen = new Map<string, number>();
  for (const [index, source] of text.split('\n').entries()) {
    if (source.trim() === '') continue;
    const read = z.safeParse(Line, jsonOrUndefined(source));
    if (!read.success) {
      faults.push(`line ${index + 1}: ${read.error.issues.map(worded).join('; ')}`);
      continue;
    }
    const content = JSON.stringify(read.data);
    const count = (seen.get(content) ?? 0) + 1;
    seen.set(content, count);
    const digest = createHash('sha256').update(`${content} ${count}`).digest('base64url');
    lines.push({ ...read.data, key: `catalogue: ${digest}` });
  }
  if (faults.length > 0) {
    const more = faults.length > 10 ? `\n… and ${faults.length - 10} more` : '';
    throw new Error(`${faults.slice(0, 10).join('\n')}${more}`);
  }
  return lines;
};
