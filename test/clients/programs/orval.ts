import {
  cancelOrder,
  createCategory,
  createPet,
  listPets,
  placeOrder,
  setInventory,
  updatePet,
} from './orval/petstore.ts';

const headers = { Authorization: `Bearer ${process.env.PETSTORE_TOKEN}` };

const category = await createCategory({ name: 'Cats' }, undefined, { headers });
if (category.status !== 201) throw new Error(category.data.message);
for (const name of ['Tom', 'Kit', 'Felix'])
  await createPet({ name, categoryId: category.data.id, status: 'available' }, undefined, { headers });

const names: string[] = [];
let cursor: string | undefined;
do {
  const query = { categoryId: category.data.id, limit: 2, ...(cursor && { cursor }) };
  const page = await listPets(query, undefined, { headers });
  if (page.status !== 200) throw new Error();
  names.push(...page.data.map(({ name }) => name));
  const next = /<([^>]*)>; rel="next"/.exec(page.headers.get('Link') ?? '')?.[1];
  cursor = next && (new URL(next).searchParams.get('cursor') ?? undefined);
} while (cursor);

const pets = await listPets({ categoryId: category.data.id, limit: 1 }, undefined, { headers });
if (pets.status !== 200) throw new Error();
const petId = pets.data[0]!.id;
await updatePet(petId, { name: 'Felix the cat' }, undefined, { headers });
await setInventory(petId, { quantity: 5 }, undefined, { headers });
const key = { 'Idempotency-Key': crypto.randomUUID() };
const placed = await placeOrder({ petId, quantity: 2 }, key, { headers });
const again = await placeOrder({ petId, quantity: 2 }, key, { headers });
const refused = await placeOrder({ petId, quantity: 4 }, undefined, { headers });
if (placed.status !== 201 || again.status !== 201 || refused.status !== 409) throw new Error();
const canceled = await cancelOrder(placed.data.id!, undefined, { headers });
console.log(
  JSON.stringify({
    names,
    same: placed.data.id === again.data.id,
    replayed: again.headers.get('Idempotent-Replayed'),
    code: refused.data.code,
    canceled: canceled.status,
  }),
);
