import createClient from 'openapi-fetch';
import type { paths } from './openapi-fetch/paths.ts';

const { PETSTORE_URL: baseUrl = '', PETSTORE_TOKEN: token = '' } = process.env;
const petstore = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

const { data: category } = await petstore.POST('/pets/categories', { body: { name: 'Cats' } });
for (const name of ['Tom', 'Kit', 'Felix'])
  await petstore.POST('/pets', { body: { name, categoryId: category!.id, status: 'available' } });

const names: string[] = [];
let cursor: string | undefined;
do {
  const query = { categoryId: category!.id, limit: 2, cursor };
  const { data: page, response } = await petstore.GET('/pets', { params: { query } });
  names.push(...page!.map(({ name }) => name));
  const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
  cursor = next && (new URL(next).searchParams.get('cursor') ?? undefined);
} while (cursor);

const { data: pets } = await petstore.GET('/pets', { params: { query: { categoryId: category!.id, limit: 1 } } });
const path = { petId: pets![0]!.id };
await petstore.PATCH('/pets/{petId}', { params: { path }, body: { name: 'Felix the cat' } });
await petstore.PUT('/store/inventory/{petId}', { params: { path }, body: { quantity: 5 } });
const order = {
  params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
  body: { petId: path.petId, quantity: 2 },
};
const { data: placed } = await petstore.POST('/store/orders', order);
const { data: again, response } = await petstore.POST('/store/orders', order);
const { error } = await petstore.POST('/store/orders', { body: { petId: path.petId, quantity: 4 } });
const canceled = await petstore.DELETE('/store/orders/{orderId}', { params: { path: { orderId: placed!.id! } } });
console.log(
  JSON.stringify({
    names,
    same: placed!.id === again!.id,
    replayed: response.headers.get('Idempotent-Replayed'),
    code: error!.code,
    canceled: canceled.response.status,
  }),
);
