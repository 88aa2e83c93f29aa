import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { shop } from './shop.ts';

/**
 * Fills a running server or a deployed stage with a small shop, through the API like any client. Running it again adds
 * nothing: every creation has its key.
 */

const usage = `npm run seed [-- --url URL] [--client ID --secret SECRET] [--token-url URL]
  --url URL        the API (default http://127.0.0.1:3000)
  --client ID      a client with the scopes catalog, inventory and orders.manage (default: the local ones)
  --secret SECRET  its secret
  --token-url URL  where it gets tokens, if the API's document does not say so`;

const fail = (message: string): never => {
  console.error(message);
  process.exit(1);
};

const readOptions = () => {
  try {
    const { values } = parseArgs({
      options: {
        url: { type: 'string', default: 'http://127.0.0.1:3000' },
        client: { type: 'string' },
        secret: { type: 'string' },
        'token-url': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if ((values.client === undefined) !== (values.secret === undefined))
      throw new Error('--client and --secret go together.');
    return values;
  } catch (error) {
    return fail(`${(error as Error).message}\n${usage}`);
  }
};

const options = readOptions();
if (options.help) {
  console.log(usage);
  process.exit(0);
}
const base = options.url.replace(/\/$/, '');

/** How often one request is sent before its refusal counts. */
const patience = 30;

const request = async (url: string, init: RequestInit = {}, tries = patience): Promise<Response> => {
  try {
    const response = await fetch(url, init);
    // A stage takes a few requests a second. To repeat is safe: each creation has its key.
    if ((response.status !== 429 && response.status !== 503) || tries <= 1) return response;
    await sleep(1000 * Number(response.headers.get('Retry-After') ?? 1));
    return await request(url, init, tries - 1);
  } catch {
    return fail(
      `Nothing answers at ${url}. Start the server first (npm start), or name another: npm run seed -- --url http://…`,
    );
  }
};

/** What the committed document has where a stage does not know. */
const isPlaceholder = (url: string) => URL.canParse(url) && new URL(url).hostname.endsWith('.example.com');

/** Of the server's own document: a stage names the user pool's domain, a local server a path of its own. */
const findTokenUrl = async (): Promise<string> => {
  const response = await request(`${base}/openapi.json`);
  const { components } = response.ok ? ((await response.json()) as OpenApi) : {};
  const schemes = Object.values(components?.securitySchemes ?? {});
  const tokenUrl = schemes
    .map(({ flows }) => flows?.clientCredentials?.tokenUrl)
    .find(url => url && !isPlaceholder(url));
  return tokenUrl
    ? new URL(tokenUrl, base).href
    : fail(`${base}/openapi.json does not say where tokens are issued: add --token-url https://…/oauth2/token`);
};
interface OpenApi {
  readonly components?: {
    readonly securitySchemes?: Record<string, { flows?: { clientCredentials?: { tokenUrl: string } } }>;
  };
}

const tokenUrl = options['token-url'] ?? (await findTokenUrl());

const tokenFor = async (client: string): Promise<string> => {
  const headers = { Authorization: `Basic ${btoa(`${client}:${options.secret ?? 'local'}`)}` };
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  const response = await request(tokenUrl, { method: 'POST', headers, body });
  const answer = (await response.json().catch(() => ({}))) as { access_token?: string; error?: string };
  return (
    answer.access_token ??
    fail(
      `${tokenUrl} gives the client "${client}" no token: ${response.status} ${answer.error ?? ''}. A deployed stage needs --client and --secret of one of its own.`,
    )
  );
};

const staff = await tokenFor(options.client ?? 'staff');
const tokens = { staff, shop: options.client ? staff : await tokenFor('shop') };

const send = async (client: keyof typeof tokens, method: string, path: string, body: object, key?: string) => {
  const headers = {
    Authorization: `Bearer ${tokens[client]}`,
    'Content-Type': 'application/json',
    ...(key && { 'Idempotency-Key': `seed: ${key}` }),
  };
  const response = await request(base + path, { method, headers, body: JSON.stringify(body) });
  const answer = (await response.json().catch(() => ({}))) as { id: number; message?: string };
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
