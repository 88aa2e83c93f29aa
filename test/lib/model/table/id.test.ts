import { afterEach, expect, it, vi } from 'vitest';
import { createdAt, newId } from '../../../../lib/model/table/id.ts';

afterEach(() => vi.restoreAllMocks());

const idAt = (time: string, random: number) => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.parse(time));
  vi.spyOn(Math, 'random').mockReturnValue(random);
  return newId();
};

it('an id has milliseconds since 2025 and 12 random bits', () => {
  expect(idAt('2025-01-01T00:00:00.000Z', 0)).toBe(0);
  expect(idAt('2025-01-01T00:00:00.001Z', 0)).toBe(4096);
  expect(idAt('2025-01-01T00:00:00.001Z', 0.999_999)).toBe(8191);
  // Ids have 41 bits for milliseconds, which last until 2094.
  expect(idAt('2094-09-07T15:47:35.551Z', 0.999_999)).toBe(Number.MAX_SAFE_INTEGER);
});

it('the time of creation is derived from an id', () => {
  const time = '2026-11-22T12:00:00.123Z';
  for (const random of [0, 0.5, 0.999_999])
    expect(createdAt(idAt(time, random))).toBe(Date.parse(time));
});
