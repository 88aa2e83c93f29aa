import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tokenPath } from '../../cdk/local/auth/tokens.ts';
import { tagOf } from '../../cdk/openapi/descriptions.ts';
import {
  type Document,
  type DocumentedOperation,
  resolverOf,
} from '../../cdk/openapi/document-types.ts';
import { errors, toBody } from '../../lib/errors.ts';
import { allOperations, operationIds, operations } from '../../lib/operations/index.ts';
import { clientFolder } from '../support/client-folder.ts';
import { stockedPet } from '../support/fixtures.ts';
import { startForwarder } from '../support/forwarder.ts';
import { hasCommand } from '../support/has-command.ts';
import { usePetstore } from '../support/petstore.ts';
import { read } from '../support/project.ts';

const paths = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executablePath = paths.find(path => path && existsSync(path));
if (!executablePath)
  console.log('Skipped: the page. Install Chromium, or set CHROMIUM=/path/to/chromium');
const disabled = ['gpu', 'background-networking', 'component-update', 'sync'].map(
  name => `--disable-${name}`,
);
const args = ['--no-sandbox', '--no-first-run', ...disabled];

const execute = promisify(execFile);
const guide = read('cdk/openapi/guide.md');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const violations = `axe.run()
  .then(found => found.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, any }) => html.slice(0, 120) + any[0]?.message)]))`;

/** With Cognito, the token endpoint has another origin than the API. */
const tokens = await startForwarder('');
afterAll(tokens.stop);

const desktop = { viewport: { width: 1280, height: 900 }, isDark: false };
const phone = { ...desktop, viewport: { width: 390, height: 844 } };

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
    tokenRequests.push(
      `${request.method()} ${request.postData()?.replace(/client_secret=\w+/, 'client_secret=…')}`,
    );
  });
  return page;
};
beforeAll(async () => {
  tokens.target = petstore.url;
  browser = await chromium.launch({ executablePath: executablePath!, args });
  shared = await newTab();
});
afterEach(() => expect(consoleErrors.splice(0)).toEqual([]));
afterAll(async () => {
  await browser?.close();
  expect(origins).toEqual(new Set([petstore.url, tokens.url]));
});

/** Tests share a tab, because loading takes twice the time in a new one. */
const open = async (address = '', { viewport, isDark } = desktop) => {
  await shared.goto('about:blank');
  await shared.setViewportSize(viewport);
  await shared.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
  await shared.goto(`${petstore.url}/docs${address}`);
  await shared.waitForSelector('.opblock');
  return shared;
};

const authorizeButton = (page: Page) =>
  page.getByRole('button', { name: 'Authorize', exact: true });
const openDialog = async (page: Page) => {
  await authorizeButton(page).click();
  await page.locator('.dialog-ux').waitFor();
};

/** The example orders the newest pet. @returns status and body of the response */
const order = async (page: Page) => {
  await page.locator('.dialog-ux').waitFor({ state: 'detached' });
  const operation = page.locator('#operations-Orders-placeOrder');
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('.try-out__btn').click();
  await operation.locator('.execute').click();
  const response = operation.locator('.live-responses-table');
  await response.waitFor();
  const status = await response.locator('.response-col_status').last().innerText();
  const body = await response.locator('.highlight-code pre').first().innerText();
  return [Number.parseInt(status, 10), JSON.parse(body)];
};

const openAll = (page: Page) =>
  page.evaluate(
    "for (const control of document.querySelectorAll('.opblock-summary-control')) control.click()",
  );

const ofPage = describe.skipIf(!executablePath);

ofPage('the documentation page', () => {
  it('has the guide and the contents without JavaScript', async () => {
    const page = await newTab({ javaScriptEnabled: false });
    await page.goto(`${petstore.url}/docs`);
    const titles = Array.from(guide.matchAll(/^## (.+)$/gm), ([, title]) => title);
    for (const list of [
      page.locator('#guide summary h2'),
      page.locator('nav ul').first().locator('a'),
    ])
      expect(await list.allInnerTexts()).toEqual(titles);
    const links = page.locator('nav a[href^="#/"]');
    const addresses = await links.evaluateAll(all => all.map(link => link.getAttribute('href')));
    expect(addresses.sort()).toEqual(
      allOperations.map(({ id, path }) => `#/${tagOf(path)}/${id}`).sort(),
    );
    await page.locator('nav').getByRole('link', { name: 'Errors' }).click();
    await page.getByText('Errors', { exact: true }).last().click();
    await page.locator('#error-insufficient_stock').waitFor();
    expect(await page.locator('noscript a').allInnerTexts()).toEqual([
      'openapi.json',
      'guide.md',
      'llms.txt',
    ]);
  });

  it('displays each documented status of each operation', async () => {
    const { body: document } = await petstore.anonymous('GET', '/openapi.json');
    const page = await open();
    await openAll(page);
    await page.locator('#operations-Documentation-getDocsFile .response').first().waitFor();
    const rows = await page.locator('.opblock .response').evaluateAll(all =>
      all.map(row => {
        const text = row
          .querySelector('.renderedMarkdown')!
          .textContent!.replace(/\. Headers: .*/s, '');
        return `${row.closest('.opblock')!.id.split('-').at(-1)} ${row.getAttribute('data-code')}: ${text}`;
      }),
    );
    const resolve = resolverOf(document);
    const described = Object.values((document as Document).paths).flatMap(
      Object.values<DocumentedOperation>,
    );
    const documented = described.flatMap(({ operationId, responses }) =>
      Object.entries(responses).map(([status, response]) => {
        const { description } = resolve(response) as { description: string };
        return `${operationId} ${status}: ${description.replaceAll('`', '')}`;
      }),
    );
    expect(rows.sort()).toEqual(documented.sort());
    for (const name of Object.keys(errors) as (keyof typeof errors)[])
      expect(await page.locator(`#error-${toBody(name).code}`).count(), name).toBe(1);
  });

  it('has samples in three languages for each operation, which the API accepts', async () => {
    await stockedPet(petstore.staff, 3);
    const page = await open();
    await openAll(page);
    const samples = await page.locator('.opblock').evaluateAll(blocks =>
      blocks.map(block => {
        const texts = [...block.querySelectorAll('.opblock-description pre')].map(
          ({ textContent }) => textContent!,
        );
        return [block.id.split('-').at(-1)!, ...texts];
      }),
    );
    expect(samples.map(([id]) => id).sort()).toEqual([...operationIds].sort());
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
    const methodOf = (id: string) => operations[id as keyof typeof operations].method;
    const inOrder = samples.sort(
      ([a], [b]) => methods.indexOf(methodOf(a!)) - methods.indexOf(methodOf(b!)),
    );
    // The setup is that of the guide.
    const [shell = '', python = '', _commands, js = ''] = await page
      .locator('#get-a-token pre')
      .allTextContents();
    const folder = await clientFolder(petstore);
    /** Commands that run the setup and the samples of a language, and a program that prints an id before a sample. */
    const languages: [command: string, setup: string, before: (id: string) => string][] = [
      ['bash', shell, id => `echo; echo '# ${id}'`],
      ['node', js, id => `console.log('# ${id}')`],
      ['python3', python, id => `print('# ${id}')`],
    ];
    const env = { ...process.env, CLIENT_ID: 'staff', CLIENT_SECRET: 'local' };
    const placed = new Set<string | undefined>();
    for (const [index, [command, setup, before]] of languages.entries()) {
      if (!hasCommand(command)) continue;
      const calls = inOrder.flatMap(([id, ...texts]) => [before(id!), texts[index]!]);
      writeFileSync(join(folder, 'samples.mjs'), [setup, ...calls].join('\n'));
      const { stdout } = await execute(command, ['samples.mjs'], { cwd: folder, env });
      const responses = stdout.split(/^# (?=\w+$)/m).slice(1);
      expect(responses).toHaveLength(operationIds.length);
      const codes = responses.map(
        response => /^(\w+)\n(?:\d{3} |\{"code":")(\w+)/.exec(response)?.slice(1) ?? [],
      );
      // The other samples succeed. The order of the samples does not exist, their pet and category are in use, and the samples
      // of the first language put the pet on hold.
      expect(Object.fromEntries(codes.filter(([id]) => id))).toEqual({
        ...(command === 'node' && { placeOrder: 'pet_not_available' }),
        getOrder: 'order_not_found',
        updateOrder: 'order_not_found',
        cancelOrder: 'order_not_found',
        deletePet: 'pet_has_open_orders',
        deleteCategory: 'category_in_use',
      });
      if (command !== 'node')
        placed.add(responses.find(response => response.startsWith('placeOrder'))?.trim());
    }
    expect(placed.size, 'a key of the page, which replays the response').toBe(1);
  });

  it('displays the error and a link if it cannot load the document', async () => {
    const page = await newTab();
    const json = { code: 'too_many_requests', message: 'Too many requests.', status: 429 };
    await page.route('**/openapi.json', route => route.fulfill({ status: 429, json }));
    await page.goto(`${petstore.url}/docs`);
    await page.getByText('The document could not be loaded (429 Too many requests.)').waitFor();
    expect(await page.locator('#failure a').getAttribute('href')).toBe('/openapi.json');
    await page.unroute('**/openapi.json');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForSelector('.opblock');
    expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('status of 429')]);
  });

  it('lets a script of another origin read the errors of paths and methods', async () => {
    const page = await browser.newPage();
    await page.goto(`${tokens.url}/pets`);
    const headers = {
      Authorization: `Bearer ${await petstore.token('staff')}`,
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
      baggage: 'shop=1',
    };
    const read = (method: string, path: string) =>
      page.evaluate(
        async ([url, init]) => {
          const response = await fetch(url, init);
          const { code } = (await response.json()) as { code: string };
          return [response.status, code, response.headers.get('Allow')];
        },
        [petstore.url + path, { method, headers }] as const,
      );
    expect(await read('PATCH', '/nothing')).toEqual([404, 'not_found', null]);
    const allow = 'GET, POST, OPTIONS';
    expect(await read('DELETE', '/pets')).toEqual([405, 'method_not_allowed', allow]);
    await page.close();
  });
});

ofPage('to send a request, the page', () => {
  const formOf = (page: Page, text: string) => page.locator('.auth-container', { hasText: text });
  // Cognito does not document whether it supports a CORS preflight, so it gets only a simple request. Without a scope, the
  // token gets all scopes of the client.
  const requestOf = (client: string) =>
    `POST grant_type=client_credentials&client_id=${client}&client_secret=…`;

  it.each([
    ['With an access token', []],
    ['With client id and secret', [requestOf('staff')]],
  ])('places the order of the example, %s', async (scheme, requests) => {
    const pet = await stockedPet(petstore.staff, 1);
    const page = await open();
    await openDialog(page);
    const form = formOf(page, scheme);
    // The form of a client has one of the local server.
    if (requests.length === 0) await form.locator('input').fill(await petstore.token('shop'));
    await form.locator('button.authorize').click();
    await page.getByRole('button', { name: 'Authorized' }).waitFor();
    expect(await order(page)).toMatchObject([201, { petId: pet.id }]);
    expect(tokenRequests.splice(0)).toEqual(requests);
  });

  it('opens the dialog at its first field, and closes it, with the keyboard', async () => {
    const page = await open();
    const focused = (selector: string) => page.locator(`${selector}:focus`).waitFor();
    await authorizeButton(page).focus();
    await page.keyboard.press('Enter');
    await focused('#client_id_clientCredentials');
    await page
      .getByText('Request no scope: the token then has all scopes of its client.')
      .waitFor();
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

  it('says that a token is missing, and that a secret is wrong', async () => {
    await stockedPet(petstore.staff, 1);
    const page = await open();
    expect((await order(page))[0]).toBe(401);
    expect(await page.locator('.response-undocumented').count()).toBe(0);
    await page.getByRole('button', { name: 'Authorize first' }).click();
    for (const secret of ['wrong', 'wrong', 'local']) {
      const form = formOf(page, 'With client id and secret');
      await form.locator('#client_id_clientCredentials').fill('shop');
      await form.locator('#client_secret_clientCredentials').fill(secret);
      await page.keyboard.press('Enter');
      if (secret === 'local') continue;
      const alert = page.locator('.errors:visible', {
        hasText: 'The client id or the secret is wrong',
      });
      await expect.poll(async () => (await alert.boundingBox())!.y).toBeLessThan(760);
    }
    await page.getByRole('button', { name: 'Authorized' }).waitFor();
    await page.locator('.execute').click();
    await page.locator('.live-responses-table .response-col_status', { hasText: '201' }).waitFor();
    expect(tokenRequests.splice(0)).toEqual(Array(3).fill(requestOf('shop')));
    const rejected = [401, 400, 400].map(status => expect.stringContaining(`status of ${status}`));
    expect(consoleErrors.splice(0)).toEqual(rejected);
  });

  it('is used with the keyboard alone', async () => {
    await stockedPet(petstore.staff, 1);
    await shared.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await open();
    /** Presses Tab until an element has the focus, and a visible outline, then a key. */
    const press = async (selector: string, key = 'Enter') => {
      await page.locator(selector).first().waitFor();
      for (
        let count = 0;
        count < 300 && !(await page.locator(`:is(${selector}):focus`).count());
        count++
      )
        await page.keyboard.press('Tab');
      expect(
        await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'),
        selector,
      ).toBe('solid');
      await page.keyboard.press(key);
    };
    const operation = '#operations-Orders-placeOrder';
    await press('nav a[href="#/Orders/placeOrder"]');
    await page.locator(`${operation} :focus`).waitFor();
    await press(`${operation} .authorization__btn`);
    await page.keyboard.press('Enter');
    await page.locator(`${operation} .authorization__btn:focus`).waitFor();
    await press(`${operation} .try-out__btn`);
    await press(`${operation} .execute`);
    await press(`${operation} .live-responses-table .copy`);
    await page.locator('.copy[aria-label="Copied"]:focus').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('"quantity": 1');
    await press(`${operation} [data-code="409"] a`);
    await page.locator('#errors[open] #error-pet_not_available:focus').waitFor();
    await press('#retries summary');
    await page.locator('#retries:not([open])').waitFor({ state: 'visible' });
  });
});

ofPage('to find a place, the page', () => {
  it('finds operations, headings and error codes', async () => {
    const page = await open();
    const found = page.locator('nav li a:visible');
    const search = async (text: string) => {
      await page.getByRole('searchbox').fill(text);
      return found.allInnerTexts();
    };
    const all = await found.count();
    expect(await search('insuff')).toEqual(['insufficient_stock']);
    expect(await search('IDEMPOTENCY')).toEqual(['Idempotency keys', 'idempotency_key_reused']);
    expect(await search('placeorder')).toEqual([expect.stringMatching(/POST\s+Place an order/i)]);
    await page.keyboard.press('Enter');
    await page.locator('#operations-Orders-placeOrder.is-open :focus').waitFor();
    for (const text of ['429', 'cors', '/store/orders', 'oversold'])
      expect(await search(text), text).not.toEqual([]);
    expect(await search('zebra')).toEqual([]);
    await page.getByText('Nothing found').waitFor();
    expect(await search('')).toHaveLength(all);
    await page.locator('.brand').focus();
    await page.keyboard.press('/');
    await page.locator('#search:focus').waitFor();
  });

  it('leaves a key that is typed in a field there', async () => {
    const page = await open();
    await openAll(page);
    await page.locator('.try-out__btn').last().waitFor();
    const left = await page.evaluate(`
      for (const button of document.querySelectorAll('.try-out__btn')) button.click();
      new Promise(requestAnimationFrame).then(() =>
        Array.from(document.querySelectorAll('input, textarea, select'), field => {
          const typed = new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true });
          return field.dispatchEvent(typed) ? field.tagName : field.outerHTML;
        }))`);
    expect(new Set(left as string[])).toEqual(new Set(['INPUT', 'TEXTAREA', 'SELECT']));
  });

  it('has permalinks, marks the current place, and shifts nothing while it loads', async () => {
    const page = await newTab(desktop);
    await page.addInitScript(`globalThis.shifts = 0;
      new PerformanceObserver(list => { for (const { value } of list.getEntries()) shifts += value; })
        .observe({ type: 'layout-shift', buffered: true });`);
    await page.goto(`${petstore.url}/docs`);
    await page.locator('.opblock .permalink').last().waitFor();
    expect(await page.evaluate('shifts')).toBe(0);
    const links = page.locator('.permalink');
    const linked = await links.evaluateAll(all => all.map(link => link.getAttribute('href')!));
    const headings = await page
      .locator('#guide :is(details, h3)')
      .evaluateAll(all => all.map(({ id }) => `#${id}`));
    const addresses = allOperations.map(({ id, path }) => `#/${tagOf(path)}/${id}`);
    expect(linked.sort()).toEqual([...headings, ...addresses].sort());
    for (const address of ['#errors', '#/Orders/placeOrder', '#get-a-token']) {
      await page.locator(`.permalink[href="${address}"]`).click();
      await expect
        .poll(() =>
          page
            .locator('nav [aria-current]')
            .evaluateAll(all => all.map(link => link.getAttribute('href'))),
        )
        .toEqual([address]);
    }
    await page.close();
  });

  const places = [
    ['#/Pets/updatePet', '#operations-Pets-updatePet.is-open:has(.opblock-body)'],
    ['#idempotency-keys', 'details#retries[open] h3#idempotency-keys'],
    ['#error-insufficient_stock', 'details#errors[open] #error-insufficient_stock'],
    ['#errors', 'details#errors[open]'],
  ] as const;

  /** Just below the header of 52 pixels. */
  const expectAtTop = async (page: Page, address: string, place: string) => {
    await page.locator(place).waitFor();
    await expect
      .poll(async () => Math.round((await page.locator(place).boundingBox())!.y))
      .toBe(64);
    expect(new URL(page.url()).hash).toBe(address);
  };

  it.each([desktop, phone])(
    '%j: opens each place at the top, by its URL and by its link',
    async options => {
      for (const [address, place] of places)
        await expectAtTop(await open(address, options), address, place);
      const page = await open('#100%', options);
      for (const [address, place] of places) {
        if (options === phone) expect(await page.locator(place).count()).toBe(0);
        const link = page.locator(`nav ul:not(:last-of-type) a[href="${address}"]`);
        if (!(await link.count())) continue;
        if (options === phone) await page.getByText('Contents', { exact: true }).click();
        await link.click();
        await expectAtTop(page, address, place);
        expect(await page.locator(`${place} :focus`).count()).toBe(1);
      }
    },
  );

  it('remembers the language of the samples, and displays only that', async () => {
    let page = await open();
    await openAll(page);
    const displayed = () => page.locator('.sample[open] > summary').allInnerTexts();
    await expect.poll(displayed).toEqual(operationIds.map(() => 'curl'));
    await page
      .locator('#operations-Orders-placeOrder .sample summary', { hasText: 'Python' })
      .click();
    expect(await displayed()).toEqual(operationIds.map(() => 'Python'));
    page = await open();
    await openAll(page);
    await expect.poll(displayed).toEqual(operationIds.map(() => 'Python'));
    await page.evaluate('localStorage.clear()');
  });

  it('prints the guide open, and names its code blocks by their language', async () => {
    const page = await open('', phone);
    const text = page.locator('#error-insufficient_stock');
    expect(await text.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await text.isVisible()).toBe(true);
    await page.emulateMedia({ media: null });
    const fences = Array.from(guide.matchAll(/^```(\w+)$/gm), ([, language]) => language);
    const labels = await page
      .locator('#guide pre')
      .evaluateAll(all => all.map(code => code.getAttribute('data-label')));
    expect(labels).toEqual(fences);
  });
});

ofPage('in each size and theme, the page', () => {
  it.each([desktop, phone].flatMap(layout => [layout, { ...layout, isDark: true }]))(
    '%j: passes axe-core without motion, and scrolls only vertically',
    async options => {
      const page = await open('', options);
      const topOf = async (locator: Locator) => (await locator.boundingBox())!.y;
      expect(await topOf(authorizeButton(page))).toBeLessThan(60);
      expect(await topOf(page.getByText(petstore.url, { exact: true }))).toBeLessThan(300);
      await page.evaluate(axe);
      await openAll(page);
      await page.locator('#operations-Documentation-getDocsFile .response').first().waitFor();
      expect(await page.evaluate(violations)).toEqual([]);
      await open('#/Pets/updatePet', options);
      await page.evaluate(axe);
      await page.waitForSelector('#operations-Pets-updatePet.is-open .opblock-body');
      const readDark =
        'Number(/\\d+/.exec(getComputedStyle(document.documentElement).backgroundColor)) < 128';
      expect(await page.evaluate(readDark)).toBe(options.isDark);
      const focusOutline = () => page.evaluate('getComputedStyle(document.activeElement).outline');
      expect(await focusOutline()).toContain('solid 3px');
      await page.evaluate(
        "for (const details of document.querySelectorAll('#guide details')) details.open = true",
      );
      const tryOut = async () => {
        await page.locator('.is-open .try-out__btn').click();
        await page.locator('.is-open [data-param-name=petId] input').fill('1');
        await page.locator('.is-open .execute').click();
        await page.getByRole('button', { name: 'Authorize first' }).waitFor();
        expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('status of 401')]);
      };
      for (const prepare of [async () => undefined, tryOut, openDialog]) {
        await prepare(page);
        const moves =
          '[...document.querySelectorAll("*")].filter(one => one.getAnimations().length > 0).length';
        expect(await page.evaluate(moves)).toBe(0);
        expect(
          await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
        ).toBeLessThanOrEqual(0);
        expect(await page.evaluate(violations)).toEqual([]);
      }
      expect(await focusOutline()).toContain('solid 3px');
    },
  );
});
