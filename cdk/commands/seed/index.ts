import { orThrow } from '../../openapi/petstore-client.ts';
import { apiOptions, apiUsage, findApiAndClient, isLocal } from '../shared/api-options.ts';
import { commandOf } from '../shared/command.ts';
import { createStockedPet } from '../shared/create-stocked-pet.ts';
import { checked, openPetstore } from '../shared/open-petstore.ts';
import { shop } from './shop.ts';

const usage = `npm run seed [-- --stage NAME --secret SECRET]
Fills a running server or a deployed stage with a small shop, through the API like any client. You can run it again: it adds
only what is missing, because every creation has an idempotency key.
${apiUsage}
  --help           prints this
The client needs the scopes catalog, inventory and orders.manage.`;

const { readOptions, run } = commandOf(usage);
const { values: options } = readOptions(apiOptions);

await run(async () => {
  const api = await findApiAndClient(options);
  const staff = await openPetstore(api);
  const shopper = isLocal(options) && !options.client ? await openPetstore({ ...api, client: 'shop' }) : staff;
  const keyed = (key: string) => ({ header: { 'Idempotency-Key': `seed: ${key}` } });

  let orders = 0;
  for (const { name, description, pets } of shop) {
    const category = staff.POST('/pets/categories', { body: { name, description }, params: keyed(name) });
    const { id: categoryId } = await checked('POST /pets/categories', orThrow(category));
    for (const { name: pet, status, quantity } of pets) {
      const petId = await createStockedPet(staff, { name: pet, categoryId, status, quantity }, `seed: ${name} ${pet}`);
      if (quantity === undefined || quantity === 1) continue;
      const body = { petId, quantity: Math.ceil(quantity / 10) };
      const placed = shopper.POST('/store/orders', { body, params: keyed(`${name} ${pet} order`) });
      const { id: orderId } = await checked('POST /store/orders', orThrow(placed));
      if (orders++ % 2 > 0) continue;
      const path = { orderId: orderId! };
      const completed = await staff.PATCH('/store/orders/{orderId}', { params: { path }, body: { complete: true } });
      // A caller has cancelled it since an earlier run.
      if (completed.response.status !== 404) await checked('PATCH /store/orders', orThrow(completed));
    }
  }
  const pets = shop.flatMap(category => category.pets).length;
  console.log(
    `The shop at ${api.url} has ${shop.length} categories and ${pets} pets, and some orders: curl -s ${api.url.replace(/\/$/, '')}/pets`,
  );
});
