import { orThrow } from '../../openapi/petstore-client.ts';
import { addressOf, addressOptions, addressUsage } from '../shared/address-options.ts';
import { commandOf } from '../shared/command.ts';
import { createStockedPet } from '../shared/create-stocked-pet.ts';
import { checked, openPetstore } from '../shared/open-petstore.ts';
import { shop } from './shop.ts';

/**
 * Fills a running server or a deployed stage with a small shop, through the API like any client. Running it again adds
 * nothing, and does what a run that was cut off left undone: every creation has its key.
 */

const usage = `npm run seed [-- --url URL] [--client ID --secret SECRET] [--token-url URL]
${addressUsage}
The scopes are catalog, inventory and orders.manage.`;

const { fail, misused, readOptions, run } = commandOf(usage);
const { values: options } = readOptions(addressOptions);

const stage = addressOf(options, misused);

const openAs = (client: string) =>
  openPetstore({ ...stage, client }).catch((error: Error) =>
    fail(
      `${error.message}\nStart the server first (npm start), or name a stage: --url https://… with --client and --secret of one of its own.`,
    ),
  );

await run(async () => {
  const staff = await openAs(stage.client);
  const shopper = options.client ? staff : await openAs('shop');
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
      // Somebody has cancelled it since an earlier run.
      if (completed.response.status !== 404) await checked('PATCH /store/orders', orThrow(completed));
    }
  }
  const pets = shop.flatMap(category => category.pets).length;
  console.log(
    `The shop at ${stage.url} has ${shop.length} categories and ${pets} pets, and some orders. Look: curl -s ${stage.url.replace(/\/$/, '')}/pets`,
  );
});
