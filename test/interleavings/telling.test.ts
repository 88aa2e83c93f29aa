import './environment.ts';
import { describe, expect, it, vi } from 'vitest';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';
import { makeShops, makeStates } from './states.ts';
import { type Change, checkChange, checkPublishing, checkTelling } from './telling.ts';

vi.mock('../../lib/model/table/client.ts', () => import('./seam.ts'));

const tom = newPetItem(7, { name: 'Tom', categoryId: 3, status: 'available' });
const pet = (availableQuantity: number, writeCount: number) => ({
  ...storedPet({ ...tom, availableQuantity }),
  writeCount,
});
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

describe('the publisher', () => {
  it('tells what made a state, whatever befalls it', async () => {
    const state = (await makeStates()).find(({ name }) => name === 'three units');
    await checkPublishing(state!.making, { thorough: true });
  });

  it('tells what takes several calls of the bus, and goes on where it failed', async () => {
    const [shop] = await makeShops();
    await checkPublishing(shop!.making);
  });
});
