import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { expect } from 'vitest';
import { connect } from '../../cdk/local/engine/table.ts';

// biome-ignore lint/suspicious/noExplicitAny: stored items
type Stored = Record<string, any>;

export interface Contents {
  readonly pets: Stored[];
  readonly categories: Stored[];
  readonly orders: Stored[];
}

/** All items of the table, read directly from the engine. */
export const contentsOf = async (endpoint: string, tableName: string): Promise<Contents> => {
  const client = connect(endpoint);
  const items: Stored[] = [];
  let start: Stored | undefined;
  do {
    const page = await client.send(
      new ScanCommand({ TableName: tableName, ConsistentRead: true, ...(start && { ExclusiveStartKey: start }) }),
    );
    items.push(...(page.Items ?? []).map(item => unmarshall(item)));
    start = page.LastEvaluatedKey;
  } while (start);
  client.destroy();
  const ofKind = (sk: string) => items.filter(item => item.sk === sk);
  return {
    pets: ofKind('PET'),
    categories: ofKind('CATEGORY'),
    orders: ofKind('ORDER'),
  };
};

/** Asserts the invariants of the table, which hold after any history and any injected fault. */
export const expectInvariants = ({ pets, categories, orders }: Contents) => {
  const count = new Map<number, number>();
  for (const pet of pets) {
    const open = orders.filter(order => order.petId === pet.id && !order.complete);
    const where = JSON.stringify({ pet, open });
    if (pet.status === 'available') expect(pet.availableQuantity, where).toBeGreaterThanOrEqual(1);
    expect(pet.availableQuantity, where).toBeGreaterThanOrEqual(0);
    expect(pet.reservedQuantity, where).toBe(open.reduce((sum, { quantity }) => sum + quantity, 0));
    expect(
      categories.some(({ id }) => id === pet.categoryId),
      where,
    ).toBe(true);
    if (!pet.onHold && pet.availableQuantity > 0) expect(pet.status, where).toBe('available');
    count.set(pet.categoryId, (count.get(pet.categoryId) ?? 0) + 1);
    expect([pet.byState, pet.byGroup, pet.byGroupAndState], where).toEqual([
      `PETS#${pet.status}#0`,
      `CATEGORY#${pet.categoryId}#PETS#0`,
      `CATEGORY#${pet.categoryId}#PETS#${pet.status}#0`,
    ]);
  }
  for (const category of categories)
    expect(category.petCount, JSON.stringify(category)).toBe(count.get(category.id) ?? 0);
  for (const order of orders) {
    const state = order.complete ? 'complete' : 'open';
    expect([order.byState, order.byGroupAndState]).toEqual([
      `ORDERS#${state}#0`,
      `OWNER#${order.ownerId}#ORDERS#${state}#0`,
    ]);
    if (!order.complete)
      expect(
        pets.some(({ id }) => id === order.petId),
        'the pet of an open order exists',
      ).toBe(true);
  }
};
