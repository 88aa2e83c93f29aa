import { type Answer, createCaller } from '../caller/caller.ts';
import { fail, optionsUsage, readOptions } from '../caller/options.ts';
import { shop } from './shop.ts';

/**
 * Fills a running server or a deployed stage with a small shop, through the API like any client. Running it again adds
 * nothing: every creation has its key.
 */

const usage = `npm run seed [-- --url URL] [--client ID --secret SECRET] [--token-url URL]
${optionsUsage}
The scopes are catalog, inventory and orders.manage.`;

const { values: options } = readOptions(usage, {});
const { url, client, secret = 'local', 'token-url': tokenUrl } = options;

const callerFor = (localClient: string) =>
  createCaller({ url, client: client ?? localClient, secret, tokenUrl }).catch((error: Error) =>
    fail(
      `${error.message} Start the server first (npm start), or name a stage: --url https://… with --client and --secret of one of its own.`,
    ),
  );
const staff = await callerFor('staff');
const shopper = client ? staff : await callerFor('shop');

const checked = async (what: string, answering: Promise<Answer>): Promise<Answer> => {
  const answer = await answering.catch((error: Error) => fail(error.message));
  if (answer.status >= 400) fail(`${what} was answered ${answer.status}: ${answer.body.message}`);
  return answer;
};
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
  `The shop at ${url} has ${shop.length} categories and ${pets} pets, and some orders. Look: curl -s ${url.replace(/\/$/, '')}/pets`,
);
