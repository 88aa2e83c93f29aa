import { createClient, createConfig } from './hey-api/client/index.ts';
import * as sdk from './hey-api/sdk.gen.ts';

const { PETSTORE_URL: baseUrl = '', PETSTORE_TOKEN: token = '' } = process.env;
const client = createClient(createConfig({ baseUrl, auth: () => token }));

const { data: category } = await sdk.createCategory({
  client,
  throwOnError: true,
  body: { name: 'Cats' },
});
for (const name of ['Tom', 'Kit', 'Felix'])
  await sdk.createPet({
    client,
    throwOnError: true,
    body: { name, categoryId: category.id, status: 'available' },
  });

const names: string[] = [];
let cursor: string | undefined;
do {
  const query = { categoryId: category.id, limit: 2, cursor };
  const page = await sdk.listPets({ client, throwOnError: true, query });
  names.push(...page.data.map(({ name }) => name));
  const next = /<([^>]*)>; rel="next"/.exec(page.response.headers.get('Link') ?? '')?.[1];
  cursor = next && (new URL(next).searchParams.get('cursor') ?? undefined);
} while (cursor);

const { data: pets } = await sdk.listPets({
  client,
  throwOnError: true,
  query: { categoryId: category.id, limit: 1 },
});
const path = { petId: pets[0]!.id };
await sdk.updatePet({ client, throwOnError: true, path, body: { name: 'Felix the cat' } });
await sdk.setInventory({ client, throwOnError: true, path, body: { quantity: 4 } });
const { data: stock } = await sdk.getInventory({ client, throwOnError: true, path });
await sdk.setInventory({
  client,
  throwOnError: true,
  path,
  body: { quantity: stock.quantity + 1 },
});
await sdk.listOrders({ client, throwOnError: true, query: { placedFrom: '2026-01-01T00:00:00Z' } });
const order = {
  headers: { 'Idempotency-Key': crypto.randomUUID() },
  body: { petId: path.petId, quantity: 2 },
};
const placed = await sdk.placeOrder({ client, throwOnError: true, ...order });
const again = await sdk.placeOrder({ client, throwOnError: true, ...order });
const { error } = await sdk.placeOrder({ client, body: { petId: path.petId, quantity: 4 } });
const canceled = await sdk.cancelOrder({
  client,
  throwOnError: true,
  path: { orderId: placed.data.id! },
});
console.log(
  JSON.stringify({
    names,
    same: placed.data.id === again.data.id,
    replayed: again.response.headers.get('Idempotent-Replayed'),
    code: error!.code,
    canceled: canceled.response.status,
  }),
);
