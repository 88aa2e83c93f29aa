import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenPath } from '../../cdk/local/auth/tokens.ts';
import { tagOf } from '../../cdk/openapi/descriptions.ts';
import { allOperations, operationIds, operations } from '../../lib/operations/index.ts';
import { stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';

const paths = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = paths.find(path => path && existsSync(path));
if (!executablePath) console.log('Skipped: the page. Install Chromium, or set CHROMIUM=/path/to/chromium');
const disabled = ['gpu', 'background-networking', 'component-update', 'sync'].map(name => `--disable-${name}`);
const args = ['--no-sandbox', '--no-first-run', ...disabled];

const execute = promisify(execFile);
const guide = readFileSync(join(import.meta.dirname, '../../cdk/openapi/guide.md'), 'utf8');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Two rules are off that Swagger UI itself violates: a button is inside a button, and a body field has no label. */
const violations = `axe
  .run({ rules: { 'nested-interactive': { enabled: false }, label: { enabled: false } } })
  .then(found => found.violations.filter(({ id, impact }) => /critical|serious/.test(impact) || id === 'heading-order'))
  .then(serious => serious.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 120))]))`;

/** With Cognito, the token endpoint has another origin than the API. */
const tokens = await startRewritingProxy('');
afterAll(tokens.stop);

type Options = Pick<BrowserContextOptions, 'colorScheme'> & { readonly viewport: { width: number; height: number } };
const desktop: Options = { viewport: { width: 1280, height: 900 } };
const phone: Options = { viewport: { width: 390, height: 844 } };

describe.skipIf(!executablePath)('the documentation page', () => {
  const petstore = usePetstore({ environment: { TOKEN_URL: tokens.url + tokenPath } });
  const consoleErrors: string[] = [];
  const origins = new Set<string>();
  const tokenRequests: string[] = [];
  let browser: Browser;
  let shared: Page;
  const newTab = async (options: BrowserContextOptions = {}) => {
    const page = await browser.newPage(options);
    page.on('console', message => message.type() === 'error' && consoleErrors.push(message.text()));
    page.on('pageerror', error => consoleErrors.push(String(error)));
    page.on('request', request => {
      const url = request.url();
      if (url.startsWith('http')) origins.add(new URL(url).origin);
      if (!url.startsWith(tokens.url)) return;
      tokenRequests.push(`${request.method()} ${request.postData()?.replace(/client_secret=\w+/, 'client_secret=…')}`);
    });
    return page;
  };
  beforeAll(async () => {
    tokens.target = petstore.url;
    browser = await chromium.launch({ executablePath: executablePath!, args });
    shared = await newTab();
  });
  afterAll(() => browser?.close());

  /** Tests share a tab, because loading takes twice the time in a new one. */
  const open = async (address = '', { viewport, colorScheme = 'light' }: Options = desktop) => {
    await shared.goto('about:blank');
    await shared.setViewportSize(viewport);
    await shared.emulateMedia({ colorScheme });
    await shared.goto(`${petstore.url}/docs${address}`);
    await shared.waitForSelector('.opblock');
    return shared;
  };

  const authorizeButton = (page: Page) => page.getByRole('button', { name: 'Authorize', exact: true });
  const openDialog = async (page: Page) => {
    await authorizeButton(page).click();
    await page.locator('.dialog-ux').waitFor();
  };

  /** @param text selects the form in the Authorize dialog */
  const authorize = async (page: Page, text: string, fill?: (form: Locator) => Promise<void>) => {
    await openDialog(page);
    const form = page.locator('.auth-container', { hasText: text });
    await fill?.(form);
    await form.locator('button.authorize').click();
    return form;
  };
  const fillClient = (secret: string) => async (form: Locator) => {
    await form.locator('#client_id_clientCredentials').fill('shop');
    await form.locator('#client_secret_clientCredentials').fill(secret);
  };
  const tokenRequestOf = (client: string) => `POST grant_type=client_credentials&client_id=${client}&client_secret=…`;

  /** The example orders the newest pet. @returns status and body of the response */
  const order = async (page: Page) => {
    await page.locator('.dialog-ux').waitFor({ state: 'detached' });
    const operation = page.locator('#operations-Store-placeOrder');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
    await operation.locator('.execute').click();
    const response = operation.locator('.live-responses-table');
    await response.waitFor();
    const status = await response.locator('.response-col_status').last().innerText();
    const body = await response.locator('.highlight-code pre').first().innerText();
    return [Number.parseInt(status, 10), JSON.parse(body)];
  };

  it('a script of another origin reads the errors of unknown paths and wrong methods, with a token and tracing headers', async () => {
    const page = await browser.newPage();
    await page.goto(`${tokens.url}/pets`);
    const Authorization = `Bearer ${await petstore.token('staff')}`;
    const headers = { Authorization, traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`, baggage: 'shop=1' };
    const read = (...request: [url: string, method: string, headers: Record<string, string>]) =>
      page.evaluate(async ([url, method, sent]) => {
        const response = await fetch(url, { method, headers: sent });
        const { code } = (await response.json()) as { code: string };
        return [response.status, code, response.headers.get('Allow')];
      }, request);
    expect(await read(`${petstore.url}/nothing`, 'PATCH', headers)).toEqual([404, 'not_found', null]);
    const allow = 'GET, POST, OPTIONS';
    expect(await read(`${petstore.url}/pets`, 'DELETE', headers)).toEqual([405, 'method_not_allowed', allow]);
    await page.close();
  });

  it('has the guide and the contents without JavaScript', async () => {
    const page = await newTab({ javaScriptEnabled: false });
    await page.goto(`${petstore.url}/docs`);
    const titles = Array.from(guide.matchAll(/^## (.+)$/gm), ([, title]) => title);
    expect(await page.locator('#guide summary h2').allInnerTexts()).toEqual(titles);
    expect(await page.locator('nav ul').first().locator('a').allInnerTexts()).toEqual(titles);
    const links = page.locator('nav a[href^="#/"]');
    const addresses = await links.evaluateAll(all => all.map(link => link.getAttribute('href')));
    expect(addresses.sort()).toEqual(allOperations.map(({ id, path }) => `#/${tagOf(path)}/${id}`).sort());
    await page.locator('nav').getByRole('link', { name: 'Errors' }).click();
    await page.getByText('Errors', { exact: true }).last().click();
    await page.getByText('insufficient_stock').waitFor();
    expect(await page.locator('noscript a').allInnerTexts()).toEqual(['openapi.json', 'guide.md', 'llms.txt']);
  });

  it('has a sample for each operation, which the API accepts', async () => {
    await stockedPet(petstore.staff, 3);
    const page = await open();
    await page.evaluate("for (const control of document.querySelectorAll('.opblock-summary-control')) control.click()");
    const samples = await page.locator('.opblock').evaluateAll(blocks =>
      blocks.map(block => {
        const texts = [...block.querySelectorAll('.opblock-description pre')].map(({ textContent }) => textContent!);
        return [block.id.split('-').at(-1)!, ...texts];
      }),
    );
    expect(samples.map(([id]) => id).sort()).toEqual([...operationIds].sort());
    expect(samples.filter(sample => sample.length !== 2)).toEqual([]);
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
    const methodOf = (id: string) => operations[id as keyof typeof operations].method;
    const inOrder = samples.sort(([a], [b]) => methods.indexOf(methodOf(a!)) - methods.indexOf(methodOf(b!)));
    const setup = `uuidgen() { cat /proc/sys/kernel/random/uuid; }; TOKEN=${await petstore.token('staff')}`;
    const codes: [string, string | undefined][] = [];
    for (const [id, sample] of inOrder as [string, string][]) {
      expect([id, sample.includes('-H "Idempotency-Key: $(uuidgen)"')]).toEqual([id, methodOf(id) !== 'GET']);
      const { stdout } = await execute('bash', ['-c', `${setup}; ${sample}`]);
      codes.push([id, /^\{"code":"(\w+)"/.exec(stdout)?.[1]]);
    }
    // The others succeed. The order of the samples does not exist, and their pet and category are in use.
    expect(Object.fromEntries(codes.filter(([, code]) => code))).toEqual({
      getOrder: 'order_not_found',
      updateOrder: 'order_not_found',
      cancelOrder: 'order_not_found',
      deletePet: 'pet_has_open_orders',
      deleteCategory: 'category_in_use',
    });
  });

  it.each([
    ['a pasted token', 'bearer', async (form: Locator) => form.locator('input').fill(await petstore.token('shop')), []],
    ['the client of the local server', 'clientCredentials', undefined, [tokenRequestOf('staff')]],
    ['another client', 'clientCredentials', fillClient('local'), [tokenRequestOf('shop')]],
  ])('places the order of the example with %s', async (_, scheme, fill, requests) => {
    const pet = await stockedPet(petstore.staff, 1);
    const page = await open();
    tokenRequests.length = 0;
    await authorize(page, scheme, fill);
    await page.getByRole('button', { name: 'Authorized' }).waitFor();
    expect(await order(page)).toMatchObject([201, { petId: pet.id }]);
    // Cognito does not document whether it supports a CORS preflight, so it gets only a simple request. Without a scope, the
    // token gets all scopes of the client.
    expect(tokenRequests).toEqual(requests);
  });

  it('opens the dialog at its first field, and closes it, with the keyboard', async () => {
    const page = await open();
    const focused = (selector: string) => page.locator(`${selector}:focus`).waitFor();
    await authorizeButton(page).focus();
    await page.keyboard.press('Enter');
    await focused('#client_id_clientCredentials');
    await page.getByText('Without a scope, the token has all scopes of its client.').waitFor();
    // The secret, "select all" and "select none" come before the first scope.
    for (let count = 0; count < 4; count++) await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await page.locator('.checkbox input:focus').isChecked()).toBe(true);
    // The focus must stay in the dialog.
    for (let count = 0; count < 20; count++) {
      await page.keyboard.press('Tab');
      expect(await page.locator(':is(header, nav, #guide, .opblock) :focus').count()).toBe(0);
    }
    await page.keyboard.press('Escape');
    await focused('#authorize');
    expect(await page.locator('.dialog-ux').count()).toBe(0);
  });

  it('displays the error for a wrong client secret', async () => {
    const form = await authorize(await open(), 'clientCredentials', fillClient('wrong'));
    await form.getByText('invalid_client').waitFor();
    expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('status of 400')]);
  });

  const places = [
    ['#/Pets/updatePet', '#operations-Pets-updatePet.is-open:has(.opblock-body)'],
    ['#idempotency-keys', 'details#retries[open] h3#idempotency-keys'],
    ['#errors', 'details#errors[open]'],
  ] as const;

  /** Just below the header of 52 pixels. */
  const expectAtTop = async (page: Page, address: string, place: string) => {
    await page.locator(place).waitFor();
    await expect.poll(async () => Math.round((await page.locator(place).boundingBox())!.y)).toBe(64);
    expect(new URL(page.url()).hash).toBe(address);
  };

  it.each([desktop, phone])('%j: opens each place at the top, by its URL and by its link', async options => {
    for (const [address, place] of places) await expectAtTop(await open(address, options), address, place);
    const page = await open('#100%', options);
    for (const [address, place] of places) {
      expect(await page.locator(place).count()).toBe(0);
      const link = page.locator(`nav a[href="${address}"]`);
      if (!(await link.count())) continue;
      if (options === phone) await page.getByText('Contents', { exact: true }).click();
      await link.click();
      await expectAtTop(page, address, place);
      expect(await page.locator(`${place} :focus`).count()).toBe(1);
    }
  });

  it('displays the error and a link if it cannot load the document', async () => {
    const page = await newTab();
    const json = { code: 'too_many_requests', message: 'Too many requests.', status: 429 };
    await page.route('**/openapi.json', route => route.fulfill({ status: 429, json }));
    await page.goto(`${petstore.url}/docs`);
    await page.getByText('The document could not be loaded (429 Too many requests.)').waitFor();
    expect(await page.locator('#page a').getAttribute('href')).toBe(`${petstore.url}/openapi.json`);
    expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('status of 429')]);
  });

  const themes = ['light', 'dark'] as const;
  it.each([desktop, phone].flatMap(layout => themes.map(colorScheme => ({ ...layout, colorScheme }))))(
    '%j: has Authorize and the base URL at the top, no serious axe-core violation, and scrolls only vertically',
    async options => {
      const page = await open('', options);
      const topOf = async (locator: Locator) => (await locator.boundingBox())!.y;
      expect(await topOf(authorizeButton(page))).toBeLessThan(60);
      expect(await topOf(page.getByText(petstore.url, { exact: true }))).toBeLessThan(300);
      await page.goto(`${petstore.url}/docs#/Pets/updatePet`);
      await page.waitForSelector('#operations-Pets-updatePet.is-open .opblock-body');
      const isDark = 'Number(/\\d+/.exec(getComputedStyle(document.documentElement).backgroundColor)) < 128';
      expect(await page.evaluate(isDark)).toBe(options.colorScheme === 'dark');
      const focusOutline = () => page.evaluate('getComputedStyle(document.activeElement).outline');
      expect(await focusOutline()).toContain('solid 3px');
      await page.evaluate("for (const details of document.querySelectorAll('#guide details')) details.open = true");
      await page.evaluate(axe);
      for (const prepare of [async () => undefined, openDialog]) {
        await prepare(page);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
        expect(await page.evaluate(violations)).toEqual([]);
      }
      expect(await focusOutline()).toContain('solid 3px');
    },
  );

  it('logs no other error, and connects only to the API and the token endpoint', () => {
    expect(consoleErrors).toEqual([]);
    expect(origins).toEqual(new Set([petstore.url, tokens.url]));
  });
});
