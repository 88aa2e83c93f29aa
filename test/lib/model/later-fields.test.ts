import { expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import type { Stored } from '../../../lib/model/violation.ts';
import { petItem } from '../../support/items.ts';

// Fields that a copy adds: every response has the mood, also that of an older item, and the others are optional.

const fields = {
  mood: z.string(),
  photos: z.optional(z.array(z.string())),
  size: z.optional(z.object({ height: z.int() })),
  weight: z.optional(z.int()),
};

vi.mock('../../../lib/schemas/pet.ts', async load => {
  const original = await load<typeof import('../../../lib/schemas/pet.ts')>();
  return { ...original, Pet: z.extend(original.Pet, fields) };
});
vi.mock('../../../lib/model/pet-item.ts', async load => {
  const original = await load<typeof import('../../../lib/model/pet-item.ts')>();
  const toPet = (item: Stored) => {
    if (item.projected?.mood === 'none') throw new Error('no mood');
    return { mood: 'calm', ...original.toPet(item) };
  };
  return { ...original, toPet };
});
vi.mock('../../../lib/model/kinds.ts', async load => {
  const original = await load<typeof import('../../../lib/model/kinds.ts')>();
  const pet = original.kindOf('PET')!;
  const bounded = { ...pet, bounds: { ...pet.bounds, weight: [1, 99] } };
  return { ...original, kindOf: (sk: string) => (sk === 'PET' ? bounded : original.kindOf(sk)) };
});

const { violationsOfChange } = await import('../../../lib/model/invariants.ts');
const { createTableChecker } = await import('../../../cdk/commands/audit/table-checker.ts');

const old = petItem();
const withFields = (projected: Stored) => petItem({ projected, version: 2 }, 2);

it.each<Stored>([
  {},
  { mood: 'wild' },
  { photos: [], size: { height: 3 }, weight: 1 },
  { mood: 'wild', photos: ['front'], weight: 99, later: [{ a: [null] }] },
])('the invariants hold when an older pet gets the fields %j', projected => {
  expect([...violationsOfChange(old, withFields(projected), 1)]).toEqual([]);
});

it.each<[string, Stored]>([
  ['attributes_have_types mood', { mood: null }],
  ['attributes_have_types photos', { photos: [7, 8] }],
  ['attributes_have_types size', { size: {} }],
  ['numbers_in_bounds weight', { weight: 100 }],
  ['numbers_in_bounds weight', { weight: 2n ** 60n }],
  ['attributes_have_types representation', { mood: 'none' }],
])('%s is violated by the fields %o', (expected, projected) => {
  const item = withFields(projected);
  const namesOf = (before: Stored | undefined, after: Stored) =>
    [...violationsOfChange(before, after, 1)].map(
      ({ invariant, attribute }) => `${invariant} ${attribute}`,
    );
  expect(namesOf(old, item)).toEqual([expected]);
  expect(namesOf(item, { ...item, writeCount: 3 })).toEqual([expected]);
  const checker = createTableChecker(1);
  checker.add(item);
  expect(checker.mismatches().map(({ about }) => about)).toContain(expected.split(' ')[1]);
});
