import { describe, expect, it } from 'vitest';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';
import { type Change, checkChange, checkTelling } from './telling.ts';

const tom = newPetItem(7, { name: 'Tom', categoryId: 3, status: 'available' });
const pet = (free: number, writes: number) => ({ ...storedPet({ ...tom, free }), writes });
let changes = 0;
const change = (before: object | undefined, item: object | undefined) =>
  ({ before, item, key: `made up ${changes++}` }) as Change;

describe('what the schedules are asked of telling', () => {
  it('holds for writes that count themselves', () => {
    const history = [change(undefined, pet(1, 1)), change(pet(1, 1), pet(2, 2)), change(pet(2, 2), undefined)];
    for (const one of history) checkChange(one);
    checkTelling([], history, []);
    checkTelling([], history.slice(0, 2), [pet(2, 2)]);
  });

  it('fails for a write that does not count itself, at once and in what is folded', () => {
    const uncounted = change(pet(1, 1), pet(2, 1));
    expect(() => checkChange(uncounted)).toThrow(/^store\/inventory\/7 is told wrongly/);
    const history = [change(undefined, pet(1, 1)), uncounted];
    expect(() => checkTelling([], history, [pet(2, 1)])).toThrow('does not fold');
  });

  it('fails for a change that is not in the stream, and for one that is told and is not there', () => {
    expect(() => checkTelling([], [change(undefined, pet(1, 1))], [pet(2, 2)])).toThrow('does not fold');
    expect(() => checkTelling([pet(1, 1)], [change(pet(1, 1), pet(2, 2))], [pet(1, 1)])).toThrow('does not fold');
  });
});
