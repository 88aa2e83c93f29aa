import { afterEach, describe, expect, it } from 'vitest';
import type { Call } from '../support/dynamodb-proxy.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

/**
 * An eventually consistent read can return older data than an earlier read: from an index, or a replica of the table.
 */

const petstore = usePetstore();
afterEach(() => {
  petstore.proxy.faultFor = () => undefined;
});

// biome-ignore lint/suspicious/noExplicitAny: an item as DynamoDB writes it
type Stored = Record<string, any>;

const batches: number[] = [];

/** From now on eventually consistent reads of these pets return the item that `older` makes, or none. */
const lag = (ids: readonly number[], older: (item: Stored) => Stored[]) => {
  batches.length = 0;
  petstore.proxy.faultFor = ({ operation, body }: Call) => {
    if (operation !== 'BatchGetItem') return undefined;
    const { Keys, ConsistentRead } = body.RequestItems[petstore.tableName];
    batches.push(Keys.length);
    if (ConsistentRead) return undefined;
    return {
      rewrite: response => ({
        ...response,
        Responses: {
          [petstore.tableName]: response.Responses[petstore.tableName].flatMap((item: Stored) =>
            ids.includes(Number(item.id.N)) ? older(item) : [item],
          ),
        },
      }),
    };
  };
};

const list = async (query: string) => {
  const { body, headers } = await petstore.staff('GET', `/store/inventory?${query}`);
  return { ids: body.map(({ petId }: { petId: number }) => petId), next: headers.get('Link') !== null };
};

const petsOf = async (statuses: readonly string[]) => {
  const { id } = await createCategory(petstore.staff);
  const pets: number[] = [];
  for (const status of statuses) pets.push((await createPet(petstore.staff, id, { status })).id);
  return pets.sort((a, b) => b - a);
};

describe('listInventory', () => {
  it('includes a pet whose new status has not reached every replica', async () => {
    const ids = await petsOf(['available', 'available', 'available']);
    lag([ids[1]!], item => [{ ...item, status: { S: 'pending' } }]);
    expect(await list('status=available&limit=3')).toEqual({ ids, next: false });
    expect(batches).toEqual([3, 1]);
  });

  it('includes a new pet that has not reached every replica', async () => {
    const ids = await petsOf(['available', 'sold', 'pending']);
    lag([ids[0]!, ids[2]!], () => []);
    expect((await list('limit=3')).ids).toEqual(ids);
    expect(batches).toEqual([3, 2]);
  });

  it('fills the page with later pets when an index still has a pet that changed its status or was deleted', async () => {
    const [first, second, third] = await petsOf(['sold', 'sold', 'sold']);
    await list('status=sold&limit=2');
    const older = petstore.proxy.responses.findLast(({ call }) => call.operation === 'Query')!.body;
    await petstore.staff('PATCH', `/pets/${first}`, { body: { status: 'pending' } });
    await petstore.staff('DELETE', `/pets/${second}`);
    petstore.proxy.faultFor = ({ operation, body }) =>
      operation === 'Query' && body.ExpressionAttributeValues[':last'].N === String(Number.MAX_SAFE_INTEGER)
        ? { rewrite: () => older }
        : undefined;
    expect((await list('status=sold&limit=2')).ids.slice(0, 1)).toEqual([third]);
  });
});

describe('a page of listInventory', () => {
  it('is filled to its limit and not beyond it', async () => {
    const [first, second, third] = await petsOf(['sold', 'sold', 'sold', 'sold']);
    await list('status=sold&limit=2');
    const older = petstore.proxy.responses.findLast(({ call }) => call.operation === 'Query')!.body;
    await petstore.staff('PATCH', `/pets/${first}`, { body: { status: 'pending' } });
    petstore.proxy.faultFor = ({ operation, body }) =>
      operation === 'Query' && body.ExpressionAttributeValues[':last'].N === String(Number.MAX_SAFE_INTEGER)
        ? { rewrite: () => older }
        : undefined;
    expect((await list('status=sold&limit=2')).ids).toEqual([second, third]);
  });
});

describe('listPets', () => {
  it('returns a pet once when an index still has it under its old status as well', async () => {
    const [newest] = await petsOf(['sold', 'available']);
    const get = async (query: string) => (await petstore.anonymous('GET', `/pets?${query}`)).body as { id: number }[];
    await get('status=available&limit=1');
    const older = petstore.proxy.responses.findLast(({ call }) => call.operation === 'Query')!.body.Items;
    petstore.proxy.faultFor = ({ operation, body }) =>
      operation === 'Query' && body.ExpressionAttributeValues[':partition'].S.startsWith('PETS#pending')
        ? { rewrite: response => ({ ...response, Items: [...older.slice(0, 1), ...response.Items] }) }
        : undefined;
    const items = await get('status=available&status=pending&limit=5');
    expect(items.filter(({ id }) => id === newest)).toHaveLength(1);
  });
});
