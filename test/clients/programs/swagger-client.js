import SwaggerClient from 'swagger-client';

const { PETSTORE_URL: url, PETSTORE_TOKEN: token } = process.env;
const authorizations = { accessToken: { value: token } };
const { apis } = await SwaggerClient({ url: `${url}/openapi.json`, authorizations });
const { Pets, Orders, Stock } = apis;

const { body: category } = await Pets.createCategory({}, { requestBody: { name: 'Cats' } });
for (const name of ['Tom', 'Kit', 'Felix'])
  await Pets.createPet({}, { requestBody: { name, categoryId: category.id, status: 'available' } });

const names = [];
let cursor;
do {
  const page = await Pets.listPets({ categoryId: category.id, limit: 2, cursor });
  names.push(...page.body.map(({ name }) => name));
  const next = /<([^>]*)>; rel="next"/.exec(page.headers.link ?? '')?.[1];
  cursor = next && new URL(next).searchParams.get('cursor');
} while (cursor);

const [{ id: petId }] = (await Pets.listPets({ categoryId: category.id, limit: 1 })).body;
await Pets.updatePet({ petId }, { requestBody: { name: 'Felix the cat' } });
await Stock.setInventory({ petId }, { requestBody: { quantity: 5 } });
const key = { 'Idempotency-Key': crypto.randomUUID() };
const placed = await Orders.placeOrder(key, { requestBody: { petId, quantity: 2 } });
const again = await Orders.placeOrder(key, { requestBody: { petId, quantity: 2 } });
const refused = await Orders.placeOrder({}, { requestBody: { petId, quantity: 4 } }).catch(
  error => error.response,
);
const canceled = await Orders.cancelOrder({ orderId: placed.body.id });
console.log(
  JSON.stringify({
    names,
    same: placed.body.id === again.body.id,
    replayed: again.headers['idempotent-replayed'],
    code: refused.body.code,
    canceled: canceled.status,
  }),
);
