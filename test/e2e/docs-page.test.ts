import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { typedClient } from '../../cdk/build/bundle/extra-files.ts';
import { operationIds } from '../../lib/operations/index.ts';
import { chromiumPath, launchOptions } from '../support/chromium.ts';
import { stockedPet } from '../support/fixtures.ts';
import { hasCommand } from '../support/has-command.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore({ ownTokenOrigin: true });

describe.skipIf(!chromiumPath)('the documentation page in Chromium', () => {
  let browser: Awaited<ReturnType<typeof chromium.launch>>;
  let page: Page;
  const consoleErrors: string[] = [];
  const origins = new Set<string>();
  const tokenRequests: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch(launchOptions);
    page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    page.on('console', message => message.type() === 'error' && consoleErrors.push(message.text()));
    page.on('pageerror', error => consoleErrors.push(String(error)));
    page.on('request', request => request.url().startsWith('http') && origins.add(new URL(request.url()).origin));
    page.on('request', request => request.url() === petstore.tokenUrl && tokenRequests.push(request.method()));
  });
  beforeEach(async () => {
    await page.goto(`${petstore.url}/docs`);
    await page.waitForSelector('.opblock');
  });
  afterAll(() => browser?.close());

  const dialog = () => page.locator('.dialog-ux');
  const isFocused = (element: { ownerDocument?: { activeElement: unknown } }) =>
    element.ownerDocument?.activeElement === element;

  const block = (id: string) => page.locator(`.opblock[id$="-${id}"]`);

  /** Expands an operation, fills the form and executes it. @returns the displayed status and body */
  const tryOut = async (
    id: string,
    fill: (operation: ReturnType<typeof block>) => Promise<void> = async () => undefined,
  ) => {
    const operation = block(id);
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
    await fill(operation);
    await operation.locator('.execute').click();
    const live = operation.locator('.live-responses-table');
    await live.waitFor();
    const status = await live.locator('.response-col_status').last().innerText();
    const body = await live.locator('.highlight-code').first().innerText();
    return { status: Number.parseInt(status, 10), body };
  };

  it('renders every operation', async () => {
    const rendered = await page.locator('.opblock').evaluateAll(blocks => blocks.map(({ id }) => id.split('-').at(-1)));
    expect(rendered.sort()).toEqual([...operationIds].sort());
  });

  it('displays a response of listPets', async () => {
    const pet = await stockedPet(petstore.staff, 3);
    const { status, body } = await tryOut('listPets');
    expect(status).toBe(200);
    expect(body).toContain(String(pet.id));
  });

  /** Orders two of three units of a pet on the page. */
  const order = async () => {
    const pet = await stockedPet(petstore.staff, 3);
    const { status, body } = await tryOut('placeOrder', operation =>
      operation.locator('textarea').fill(JSON.stringify({ petId: pet.id, quantity: 2 })),
    );
    expect(status).toBe(201);
    expect(body).toMatch(/"quantity":\s*2/);
    expect((await petstore.staff('GET', `/store/inventory/${pet.id}`)).body.quantity).toBe(1);
  };

  it('displays a response of placeOrder with a pasted token', async () => {
    await page.locator('.btn.authorize').click();
    const form = page.locator('.auth-container', { hasText: 'bearer' });
    await form.locator('input').fill(await petstore.token('shop'));
    await form.locator('button.authorize').click();
    await dialog().waitFor({ state: 'detached' });
    await order();
  });

  it.each([
    ['all of the client’s scopes', []],
    ['the chosen scope', ['petstore/orders']],
  ])('requests a token with %s from the other origin, and orders with it', async (_, scopes) => {
    tokenRequests.length = 0;
    await page.locator('.btn.authorize').click();
    const form = page.locator('.auth-container', { hasText: 'clientCredentials' });
    await form.locator('#client_id_clientCredentials').fill('shop');
    await form.locator('#client_secret_clientCredentials').fill('local');
    for (const scope of scopes) await form.locator(`label[for^="${scope}-"]`).click();
    await form.locator('button.authorize').click();
    await dialog().waitFor({ state: 'detached' });
    // One simple request, because Cognito does not document that it supports preflight requests.
    expect(tokenRequests).toEqual(['POST']);
    await order();
  });

  it('opens the Authorize dialog at its first field, with a client of the local server', async () => {
    await page.locator('.btn.authorize').click();
    const clientId = page.locator('#client_id_clientCredentials');
    await expect.poll(() => clientId.evaluate(isFocused)).toBe(true);
    expect(await clientId.inputValue()).toBe('staff');
    expect(await page.locator('.modal-ux-content').evaluate(({ scrollTop }: { scrollTop?: number }) => scrollTop)).toBe(
      0,
    );
  });

  it('selects a scope with the keyboard', async () => {
    await page.locator('.btn.authorize').click();
    const scope = page.getByRole('checkbox', { name: 'petstore/catalog' });
    await page.locator('#client_secret_clientCredentials').focus();
    for (let tabs = 0; tabs < 10 && !(await scope.evaluate(isFocused)); tabs++) await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await scope.isChecked()).toBe(true);
  });

  it('places the order of the example, after two clicks to authorize', async () => {
    const pet = await stockedPet(petstore.staff, 3);
    await page.reload();
    await page.waitForSelector('.opblock');
    await page.locator('.btn.authorize').click();
    await page.locator('.auth-container', { hasText: 'clientCredentials' }).locator('button.authorize').click();
    await dialog().waitFor({ state: 'detached' });
    const { status, body } = await tryOut('placeOrder');
    expect(status).toBe(201);
    expect(body).toContain(`"petId": ${pet.id}`);
  });

  it('displays the error for a wrong client secret', async () => {
    await page.locator('.btn.authorize').click();
    const form = page.locator('.auth-container', { hasText: 'clientCredentials' });
    await form.locator('#client_id_clientCredentials').fill('shop');
    await form.locator('#client_secret_clientCredentials').fill('wrong');
    await form.locator('button.authorize').click();
    await form.getByText('invalid_client').waitFor();
    expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('status of 400')]);
  });

  it('expands the operation in its URL', async () => {
    const other = await browser.newPage();
    await other.goto(`${petstore.url}/docs#/Pets/updatePet`);
    await other.locator('#operations-Pets-updatePet.is-open').getByText('the changelog announces changes').waitFor();
    await other.close();
  });

  it('opens at the part of the guide in its URL', async () => {
    const other = await browser.newPage();
    await other.goto(`${petstore.url}/docs#idempotency-keys`);
    await other.locator('details#retries[open] h3#idempotency-keys').waitFor();
    await expect.poll(() => other.locator('#idempotency-keys').evaluate(isFocused)).toBe(true);
    await other.close();
  });

  it('ignores an address that is not percent-encoded correctly', async () => {
    const other = await browser.newPage();
    const errors: Error[] = [];
    other.on('pageerror', error => errors.push(error));
    await other.goto(`${petstore.url}/docs#100%`);
    await other.waitForSelector('#contents li', { state: 'attached' });
    for (const id of ['50%', 'retries']) await other.evaluate(`location.hash = '${id}'`);
    await other.locator('details#retries[open]').waitFor();
    expect([await other.locator('.opblock').count(), errors]).toEqual([operationIds.length, []]);
    await other.close();
  });

  describe('the samples', () => {
    /** Statuses that say that the request itself is wrong. The store decides the others, such as a 404 of an order. */
    const wrong = (status: number) => [400, 401, 403, 405, 406, 413, 415].includes(status) || status >= 500;

    const samples = async (language: string): Promise<string[]> => {
      await stockedPet(petstore.staff, 3);
      await page.reload();
      await page.waitForSelector('.opblock');
      await page.evaluate(
        'for (const control of document.querySelectorAll(".opblock-summary-control[aria-expanded=false]")) control.click()',
      );
      const found = page.locator('.sample', { hasText: `Sample: ${language}` }).locator('pre');
      await expect.poll(() => found.count()).toBe(operationIds.length);
      return found.allTextContents();
    };

    it('in JavaScript are requests that the API accepts', async () => {
      const accessToken = () => petstore.token('staff');
      for (const sample of await samples('JavaScript')) {
        const statuses: number[] = [];
        const log = { log: (status: number) => statuses.push(status) };
        await new Function('accessToken', 'console', `return (async () => { ${sample} })()`)(accessToken, log);
        expect(
          statuses.filter(status => !wrong(status)),
          sample,
        ).toHaveLength(1);
      }
    });

    it.skipIf(!hasCommand('curl') || !hasCommand('bash'))('in curl are requests that the API accepts', async () => {
      const lines = (await samples('curl')).map(sample => `${sample} -o /dev/null -w '%{http_code}\\n'`);
      const env = { ...process.env, TOKEN: await petstore.token('staff') };
      const { stdout } = await promisify(execFile)('bash', ['-ec', lines.join('\n')], { env });
      const statuses = stdout.trim().split('\n').map(Number);
      expect(lines.filter((_, index) => wrong(statuses[index] ?? 500))).toEqual([]);
    });
  });

  it('shows the base URL, and links to the changelog and the typed client', async () => {
    const addresses = page.locator('.addresses');
    expect(await addresses.locator('code').innerText()).toBe(petstore.url);
    const links = await addresses
      .locator('a')
      .evaluateAll(all => all.map(link => new URL(link.getAttribute('href')!, link.baseURI!).href));
    const [client, changelog] = await Promise.all(links.map(async href => (await fetch(href)).text()));
    expect(client).toBe(typedClient());
    expect(changelog).toMatch(/^# Changelog/);
  });

  it('copies a code block of the guide', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('#get-a-token .copy').first().click();
    await page.locator('#get-a-token').getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`${petstore.tokenUrl} | sed`);
  });

  it('displays examples beside the form fields, which are empty', async () => {
    const other = await browser.newPage();
    await other.goto(`${petstore.url}/docs#/Pets/listPets`);
    const operation = other.locator('#operations-Pets-listPets');
    await operation.locator('.try-out__btn').click();
    await operation.getByText('For example').first().waitFor();
    const fields = operation.locator('.parameters input');
    const values = await fields.evaluateAll(inputs => inputs.map(input => input.getAttribute('value')));
    expect([values.length > 3, values.filter(Boolean)]).toEqual([true, []]);
    await other.close();
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
});
