import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { operationIds } from '../../lib/operations/index.ts';
import { stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

const paths = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = paths.find(path => path && existsSync(path));
if (!executablePath) console.log('Skipped: the page. Install Chromium, or set CHROMIUM=/path/to/chromium');
const background = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', ...background];

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Rules that Swagger UI itself violates: a lock and a copy button inside a button, a body field without a label. */
const swaggerUiRules = ['nested-interactive', 'label'];

describe.skipIf(!executablePath)('the documentation page', () => {
  const petstore = usePetstore({ ownTokenOrigin: true });
  const consoleErrors: string[] = [];
  const origins = new Set<string>();
  const tokenRequests: string[] = [];
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath!, args });
    page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    page.on('console', message => message.type() === 'error' && consoleErrors.push(message.text()));
    page.on('pageerror', error => consoleErrors.push(String(error)));
    page.on('request', request => request.url().startsWith('http') && origins.add(new URL(request.url()).origin));
    page.on('request', request => request.url() === petstore.tokenUrl && tokenRequests.push(request.method()));
  });
  const open = async (address = '') => {
    await page.goto('about:blank');
    await page.goto(`${petstore.url}/docs${address}`);
    await page.waitForSelector('.opblock');
  };
  beforeEach(() => open());
  afterAll(() => browser?.close());

  /** Clicks Authorize, fills the form with this text in it, and sends it. */
  const authorize = async (text: string, fill: (form: Locator) => Promise<void> = async () => undefined) => {
    await page.locator('.btn.authorize').click();
    const form = page.locator('.auth-container', { hasText: text });
    await fill(form);
    await form.locator('button.authorize').click();
    return form;
  };
  const fillClient = (secret: string) => async (form: Locator) => {
    await form.locator('#client_id_clientCredentials').fill('shop');
    await form.locator('#client_secret_clientCredentials').fill(secret);
  };

  /** Sends the order of the example: of the newest pet. */
  const order = async () => {
    await page.locator('.dialog-ux').waitFor({ state: 'detached' });
    const operation = page.locator('#operations-Store-placeOrder');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
    await operation.locator('.execute').click();
    const response = operation.locator('.live-responses-table');
    await response.waitFor();
    const status = await response.locator('.response-col_status').last().innerText();
    return { status: Number.parseInt(status, 10), body: await response.locator('.highlight-code').first().innerText() };
  };

  it('renders every operation', async () => {
    const rendered = await page.locator('.opblock').evaluateAll(blocks => blocks.map(({ id }) => id.split('-').at(-1)));
    expect(rendered.sort()).toEqual([...operationIds].sort());
  });

  it.each([
    ['a pasted token', 'bearer', async (form: Locator) => form.locator('input').fill(await petstore.token('shop')), []],
    ['the client of the local server', 'clientCredentials', undefined, ['POST']],
    ['another client', 'clientCredentials', fillClient('local'), ['POST']],
  ])('places the order of the example with %s', async (_, scheme, fill, requests) => {
    const pet = await stockedPet(petstore.staff, 3);
    await open();
    tokenRequests.length = 0;
    await authorize(scheme, fill);
    const { status, body } = await order();
    expect([status, body]).toEqual([201, expect.stringContaining(`"petId": ${pet.id}`)]);
    // One simple request to the other origin, because Cognito does not document that it supports preflight requests.
    expect(tokenRequests).toEqual(requests);
  });

  it('displays the error for a wrong client secret', async () => {
    const form = await authorize('clientCredentials', fillClient('wrong'));
    await form.getByText('invalid_client').waitFor();
    expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('status of 400')]);
  });

  it.each([
    ['the operation', '#/Pets/updatePet', '#operations-Pets-updatePet.is-open .opblock-body'],
    ['the part of the guide', '#idempotency-keys', 'details#retries[open] h3#idempotency-keys'],
  ])('opens %s in its URL, and no other', async (_, address, place) => {
    for (const [at, isVisible] of [['#100%', false] as const, [address, true] as const]) {
      await open(at);
      if (isVisible) await page.locator(place).waitFor();
      expect(await page.locator(place).count()).toBe(isVisible ? 1 : 0);
    }
  });

  it('displays the error and a link if it cannot load the document', async () => {
    const other = await browser.newPage();
    const json = { code: 'too_many_requests', message: 'Too many requests.', status: 429 };
    await other.route('**/openapi.json', route => route.fulfill({ status: 429, json }));
    await other.goto(`${petstore.url}/docs`);
    await other.getByText('The document could not be loaded (429 Too many requests.)').waitFor();
    expect(await other.locator('#page a').getAttribute('href')).toBe(`${petstore.url}/openapi.json`);
    await other.close();
  });

  it('logs no error, and connects only to the API and the token endpoint', () => {
    expect(consoleErrors).toEqual([]);
    expect(origins).toEqual(new Set([petstore.url, new URL(petstore.tokenUrl).origin]));
  });

  it.each([
    ['in the dark theme', { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' }],
    ['on a phone', { viewport: { width: 375, height: 812 }, colorScheme: 'light' }],
  ] as const)(
    '%s has no serious axe-core violation, except those of Swagger UI, and scrolls only vertically',
    async (_, options) => {
      const context = await browser.newContext(options);
      const other = await context.newPage();
      await other.goto(`${petstore.url}/docs#/Pets/updatePet`);
      await other.waitForSelector('#operations-Pets-updatePet.is-open .opblock-body');
      const isDark = 'Number(/\\d+/.exec(getComputedStyle(document.documentElement).backgroundColor)) < 128';
      expect(await other.evaluate(isDark)).toBe(options.colorScheme === 'dark');
      expect(await other.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      await other.evaluate(axe);
      const violations = (await other.evaluate('axe.run().then(({ violations }) => violations)')) as {
        readonly id: string;
        readonly impact: string;
        readonly nodes: readonly { readonly html: string }[];
      }[];
      const ours = violations
        .filter(({ id, impact }) => ['critical', 'serious'].includes(impact) && !swaggerUiRules.includes(id))
        .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(', ')}`);
      expect(ours).toEqual([]);
      await context.close();
    },
  );
});
