import { checked, createCaller } from '../shared/caller.ts';
import { addressOf, callerOptions, callerUsage } from '../shared/caller-options.ts';
import { commandOf } from '../shared/command.ts';
import { createStockedPet } from '../shared/create-stocked-pet.ts';
import { shop } from './shop.ts';

/**
 * Fills a running server or a deployed stage with a small shop, through the API like any client. Running it again adds
 * nothing, and does what a run that was cut off left undone: every creation has its key.
 */

const usage = `npm run seed [-- --url URL] [--client ID --secret SECRET] [--token-url URL]
${callerUsage}
The scopes are catalog, inventory and orders.manage.`;

const { fail, misused, readOptions, run } = commandOf(usage);
const { values: options } = readOptions(callerOptions);

const stage = addressOf(options, misused);

const callerOf = (client: string) =>
  createCaller({ ...stage, client }).catch((error: Error) =>
    fail(
      `${error.message} Start the server first (npm start), or name a stage: --url https://… with --client and --secret of one of its own.`,
    ),
  );

await run(async () => {
  const staff = await callerOf(stage.client);
  const shopper = options.client ? staff : await callerOf('shop');
  const create = (caller: typeof staff, path: string, body: object, key: string) =>
    checked(`POST ${path}`, caller('POST', path, body, { 'Idempotency-Key': `seed: ${key}` }));

  let orders = 0;
  for (const { name, description, pets } of shop) {
    const category = await create(staff, '/pets/categories', { name, description }, name);
    for (const { name: pet, status, quantity } of pets) {
      const made = { name: pet, categoryId: category.body.id, status, quantity };
      const id = await createStockedPet(staff, made, `seed: ${name} ${pet}`);
      if (quantity === undefined || quantity === 1) continue;
      const ordered = { petId: id, quantity: Math.ceil(quantity / 10) };
      const order = await create(shopper, '/store/orders', ordered, `${name} ${pet} order`);
      if (orders++ % 2 > 0) continue;
      const completed = await staff('PATCH', `/store/orders/${order.body.id}`, { complete: true });
      // Somebody has cancelled it since an earlier run.
      if (completed.status !== 404) await checked('PATCH /store/orders', completed);
    }
  }
  const pets = shop.flatMap(category => category.pets).length;
  console.log(
    `The shop at ${stage.url} has ${shop.length} categories and ${pets} pets, and some orders. Look: curl -s ${stage.url.replace(/\/$/, '')}/pets`,
  );
});
