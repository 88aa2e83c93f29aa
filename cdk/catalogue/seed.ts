import { checked, createCaller } from '../caller/caller.ts';
import { addressOf, callerOptions, callerUsage } from '../caller/options.ts';
import { commandOf } from '../command/command.ts';
import { shop } from './shop.ts';

/**
 * Fills a running server or a deployed stage with a small shop, through the API like any client. Running it again adds
 * nothing: every creation has its key.
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
    checked(`POST ${path}`, caller('POST', path, body, `seed: ${key}`));

  let orders = 0;
  for (const { name, description, pets } of shop) {
    const category = await create(staff, '/pets/categories', { name, description }, name);
    for (const { name: pet, status, quantity } of pets) {
      const made = await create(staff, '/pets', { name: pet, status, categoryId: category.body.id }, `${name} ${pet}`);
      if (made.isReplay || quantity === undefined || quantity === 1) continue;
      const { id } = made.body;
      await checked('PUT /store/inventory', staff('PUT', `/store/inventory/${id}`, { quantity }));
      const ordered = { petId: id, quantity: Math.ceil(quantity / 10) };
      const order = await create(shopper, '/store/orders', ordered, `${name} ${pet} order`);
      if (orders++ % 2 === 0)
        await checked('PATCH /store/orders', staff('PATCH', `/store/orders/${order.body.id}`, { complete: true }));
    }
  }
  const pets = shop.flatMap(category => category.pets).length;
  console.log(
    `The shop at ${stage.url} has ${shop.length} categories and ${pets} pets, and some orders. Look: curl -s ${stage.url.replace(/\/$/, '')}/pets`,
  );
});
