import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchOptions } from '../support/chromium.ts';
import { usePetstore } from '../support/petstore.ts';

/** The layout of the page in both themes and on a phone. Screenshots for review are in .petstore/screenshots. */

const petstore = usePetstore();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const screenshots = join(import.meta.dirname, '../../.petstore/screenshots');

/** Rules that Swagger UI itself violates: a lock and a copy button inside a button, a body field without a label. */
const swaggerUiRules = ['nested-interactive', 'label'];

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

const desktop = { viewport: { width: 1280, height: 900 } };
const layouts: [string, BrowserContextOptions][] = [
  ['in the light theme', { ...desktop, colorScheme: 'light' }],
  ['in the dark theme', { ...desktop, colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 375, height: 812 }, colorScheme: 'light', hasTouch: true }],
];

describe.skipIf(!chromiumPath).each(layouts)('the documentation page %s', (layout, options) => {
  let browser: Awaited<ReturnType<typeof chromium.launch>>;
  let page: Page;

  const screenshot = (part: string) =>
    page.screenshot({ path: join(screenshots, `${layout.replaceAll(' ', '-')}-${part}.png`) });

  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    browser = await chromium.launch(launchOptions);
    page = await (await browser.newContext(options)).newPage();
    await page.goto(`${petstore.url}/docs`);
    await page.waitForSelector('#contents li', { state: 'attached' });
    await screenshot('guide');
  });
  afterAll(() => browser?.close());

  it('uses the color scheme of the browser', async () => {
    const background = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const isDark = Math.max(...String(background).match(/\d+/g)!.map(Number)) < 128;
    expect(isDark).toBe(options.colorScheme === 'dark');
  });

  it('has the guide in collapsed sections, which a link in the contents expands', async () => {
    const sections = page.locator('details.guide-section');
    expect(await sections.count()).toBeGreaterThan(8);
    const retries = sections.filter({ has: page.getByRole('heading', { name: 'Retries', exact: true }) });
    expect(await retries.evaluate(details => (details as unknown as { open: boolean }).open)).toBe(false);
    const contents = page.locator('#contents');
    if (!(await contents.evaluate(details => (details as unknown as { open: boolean }).open)))
      await contents.locator('> summary').click();
    await contents.getByText('Retries', { exact: true }).click();
    await retries.getByText('Idempotency-Key').first().waitFor();
  });

  it('expands an operation with its stability, rate limit and success, and an error response on a click', async () => {
    const operation = page.locator('#operations-Pets-updatePet');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByText('"sold"').last().waitFor();
    expect(await operation.innerText()).toMatch(/Update a pet \(beta\).*may change.*1 request per second/s);
    const { height } = (await operation.boundingBox())!;
    expect(height).toBeLessThan(layout === 'on a phone' ? 2_700 : 1_500);
    await operation.evaluate(opened => (opened as unknown as { scrollIntoView(): void }).scrollIntoView());
    await screenshot('operation');
    expect(await operation.locator('.response:not(.collapsed)').count()).toBe(1);
    await operation.getByRole('button', { name: '409 out_of_stock' }).click();
    await operation.getByText('"out_of_stock"').first().waitFor();
    expect(await operation.locator('.response:not(.collapsed)').count()).toBe(2);
  });

  const expandContents = async () => {
    const isExpanded = 'document.querySelector("#contents").open';
    if (await page.evaluate(isExpanded)) return;
    await page.evaluate('scrollTo(0, 0)');
    await page.locator('#contents > summary').click();
  };

  /** Two seconds later: Swagger UI's zenscroll scrolls for up to one second, and scrolled back from where a click had led. */
  const placeAtRest = async (id: string) => {
    await page.waitForTimeout(2_000);
    const top = await page.evaluate(`document.getElementById(${JSON.stringify(id)}).getBoundingClientRect().top`);
    return { isAtTop: Number(top) >= 0 && Number(top) < 150, address: new URL(page.url()).hash };
  };

  const ways: [string, (link: Locator) => Promise<void>][] = [
    ['a click', link => link.click()],
    ['the keyboard', link => link.press('Enter')],
    ...(options.hasTouch ? [['a tap', link => link.tap()] as [string, (link: Locator) => Promise<void>]] : []),
  ];

  describe.skipIf(options.colorScheme === 'dark').each(ways)('contents, with %s', (way, activate) => {
    it.each([
      ['#errors', 'errors'],
      ['#/Store/placeOrder', 'operations-Store-placeOrder'],
      ['#schemas', 'schemas'],
      ['#/Pets/listPets', 'operations-Pets-listPets'],
    ])('scrolls to %s after a click', async (address, id) => {
      await expandContents();
      await activate(page.locator(`#contents a[href="${address}"]`));
      expect(await placeAtRest(id)).toEqual({ isAtTop: true, address });
      await screenshot(`${way.replace(/^.* /, '')}-${id}`);
    });

    it('returns to the previous position with the back button', async () => {
      await page.goBack();
      expect(await placeAtRest('schemas')).toEqual({ isAtTop: true, address: '#schemas' });
    });
  });

  it.each([
    ['#errors', 'errors'],
    ['#/Store/placeOrder', 'operations-Store-placeOrder'],
  ])('scrolls to %s when it is in the URL', async (address, id) => {
    await page.goto('about:blank');
    await page.goto(`${petstore.url}/docs${address}`);
    await page.waitForSelector('#contents li', { state: 'attached' });
    expect(await placeAtRest(id)).toEqual({ isAtTop: true, address });
  });

  it('labels unstable and deprecated operations in its contents', async () => {
    const labels = await page
      .locator('#contents .stability-label')
      .evaluateAll(elements => elements.map(({ textContent }) => textContent));
    expect(labels).toEqual(['deprecated', 'beta', 'experimental']);
  });

  it('does not scroll horizontally', async () => {
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });

  it('has code blocks in the colors of the theme', async () => {
    const colors = `[...document.querySelectorAll('pre')].map(pre => getComputedStyle(pre).backgroundColor)`;
    const opaque = ((await page.evaluate(colors)) as string[]).filter(color => !/, 0\)$/.test(color));
    expect(opaque.length).toBeGreaterThan(5);
    for (const color of opaque)
      expect(Math.max(...color.match(/\d+/g)!.map(Number)) < 128).toBe(options.colorScheme === 'dark');
  });

  it('has no critical or serious axe-core violation, except those of Swagger UI', async () => {
    await page.evaluate(axe);
    const violations = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as Finding[];
    const serious = violations.filter(({ impact }) => impact === 'critical' || impact === 'serious');
    const ours = serious.filter(({ id }) => !swaggerUiRules.includes(id));
    expect(ours.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(', ')}`)).toEqual([]);
  });
});
