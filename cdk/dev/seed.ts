import { parseArgs } from 'node:util';

/** Fills a running server with a small believable shop, through the API like any client. Running it again adds nothing: every creation has its key. */

const { values } = parseArgs({ options: { url: { type: 'string', default: 'http://127.0.0.1:3000' } } });
const base = values.url.replace(/\/$/, '');

interface Category {
  readonly name: string;
  readonly description?: string;
  readonly pets: readonly { readonly name: string; readonly status?: string; readonly quantity?: number }[];
}

const shop: readonly Category[] = [
  {
    name: 'Cats',
    description: 'Independent, quiet, awake at night',
    pets: [
      { name: 'Tom', quantity: 1 },
      { name: 'Minka', quantity: 1 },
      { name: 'Professor', status: 'pending' },
    ],
  },
  {
    name: 'Dogs',
    description: 'Need a walk whatever the weather',
    pets: [
      { name: 'Rex', quantity: 1 },
      { name: 'Bella', status: 'sold' },
    ],
  },
  {
    name: 'Fish',
    description: 'Sold by the piece, best kept in company',
    pets: [
      { name: 'Neon tetra', quantity: 240 },
      { name: 'Guppy', quantity: 120 },
      { name: 'Clownfish', quantity: 12 },
    ],
  },
  { name: 'Rodents', pets: [{ name: 'Golden hamster', quantity: 6 }] },
];

const fail = (message: string): never => {
  console.error(message);
  process.exit(1);
};

const request = async (path: string, options: RequestInit): Promise<Response> => {
  try {
    return await fetch(base + path, options);
  } catch {
    return fail(
      `Nothing answers at ${base}. Start the server first (npm start), or name another: npm run seed -- --url http://…`,
    );
  }
};

const tokenFor = async (client: string): Promise<string> => {
  const headers = { Authorization: `Basic ${btoa(`${client}:local`)}` };
  const response = await request('/oauth2/token', {
    method: 'POST',
    headers,
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (!response.ok)
    return fail(
      `${base} gives no token to the local client "${client}": seeding works on a server started with npm start.`,
    );
  return ((await response.json()) as { access_token: string }).access_token;
};

const tokens = { staff: await tokenFor('staff'), shop: await tokenFor('shop') };

const send = async (client: keyof typeof tokens, method: string, path: string, body: object, key?: string) => {
  const headers = {
    Authorization: `Bearer ${tokens[client]}`,
    'Content-Type': 'application/json',
    ...(key && { 'Idempotency-Key': `seed: ${key}` }),
  };
  const response = await request(path, { method, headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as { id: number; message?: string };
  if (!response.ok) fail(`${method} ${path} was answered ${response.status}: ${answer.message}`);
  return { answer, isNew: response.headers.get('Idempotency-Replayed') === null };
};

let orders = 0;
for (const { name, description, pets } of shop) {
  const category = await send('staff', 'POST', '/pets/categories', { name, description }, name);
  for (const { name: pet, status, quantity } of pets) {
    const { answer, isNew } = await send(
      'staff',
      'POST',
      '/pets',
      { name: pet, status, categoryId: category.answer.id },
      `${name} ${pet}`,
    );
    if (!isNew || quantity === undefined || quantity === 1) continue;
    await send('staff', 'PUT', `/store/inventory/${answer.id}`, { quantity });
    const order = await send(
      'shop',
      'POST',
      '/store/orders',
      { petId: answer.id, quantity: Math.ceil(quantity / 10) },
      `${name} ${pet} order`,
    );
    if (orders++ % 2 === 0) await send('staff', 'PATCH', `/store/orders/${order.answer.id}`, { complete: true });
  }
}
console.log(
  `The shop at ${base} has ${shop.length} categories and ${shop.flatMap(({ pets }) => pets).length} pets, and some orders. Look: curl -s ${base}/pets`,
);
