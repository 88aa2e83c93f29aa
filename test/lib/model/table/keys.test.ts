import { expect, it, vi } from 'vitest';
import { indexes } from '../../../../lib/model/table/indexes.ts';
import { storedNouns } from '../../../support/resources.ts';

vi.stubEnv('INDEX_SHARDS', '4');
vi.resetModules();
const { movedOrderKeys, movedPetKeys } = await import('../../../../lib/model/table/keys.ts');
const { kindOf } = await import('../../../../lib/model/kinds.ts');

const pet = { id: 7, name: 'Tom', categoryId: 1, status: 'available', onHold: false } as const;
const order = { id: 6, petId: 7, ownerId: 'shop', complete: false };

it('a change of a pet moves it only in the lists that it enters or leaves', () => {
  expect(movedPetKeys(pet, pet)).toEqual({});
  expect(movedPetKeys(pet, { ...pet, status: 'sold', onHold: true })).toEqual({
    byState: 'PETS#sold#3',
    byGroupAndState: 'CATEGORY#1#PETS#sold#3',
    byHold: 'PETS#ON-HOLD#3',
  });
  expect(movedPetKeys({ ...pet, onHold: true }, { ...pet, name: 'TÓM' })).toEqual({ byHold: undefined });
  expect(movedPetKeys(pet, { ...pet, name: 'Kit' })).toEqual({ byName: 'PETS#NAME#kit#3' });
  expect(movedPetKeys(pet, { ...pet, categoryId: 2 })).toEqual({
    byGroup: 'CATEGORY#2#PETS#3',
    byGroupAndState: 'CATEGORY#2#PETS#available#3',
  });
});

it('a completion moves an order only in the lists of its state', () => {
  expect(movedOrderKeys(order, { ...order, complete: true })).toEqual({
    byState: 'ORDERS#complete#2',
    byGroupAndState: 'OWNER#shop#ORDERS#complete#2',
    byPetAndState: 'PET#7#ORDERS#complete#2',
  });
});

it('the key of every index has partitions, or the index would be empty', () => {
  const keys = new Set(storedNouns.flatMap(noun => Object.keys(kindOf(noun.toUpperCase())!.partitionsOf({}))));
  expect(keys, 'lib/model/table/keys.ts').toEqual(new Set(indexes.map(({ key }) => key)));
});
