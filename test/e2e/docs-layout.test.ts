import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchOptions } from '../support/chromium.ts';
import { usePetstore } from '../support/petstore.ts';

/** How the page looks, in both themes and on a phone. Pictures of each are left in .petstore/screenshots, to be looked at. */

const petstore = usePetstore();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const pictures = join(import.meta.dirname, '../../.petstore/screenshots');

/** Findings of axe-core in what Swagger UI draws, by rule: a lock and a copy button within a button, a body's field without a label. */
const renderers = ['nested-interactive', 'label'];

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

const desk = { viewport: { width: 1280, height: 900 } };
const looks: [string, BrowserContextOptions][] = [
  ['in light', { ...desk, colorScheme: 'light' }],
  ['in the dark', { ...desk, colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 375, height: 812 }, colorScheme: 'light' }],
];

describe.skipIf(!chromiumPath).each(looks)('the documentation page %s', (look, options) => {
  let browser: Awaited<ReturnType<typeof chromium.launch>>;
  let page: Page;

  const picture = (part: string) =>
    page.screenshot({ path: join(pictures, `${look.replaceAll(' ', '-')}-${part}.png`) });

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    browser = await chromium.launch(launchOptions);
    page = await (await browser.newContext(options)).newPage();
    await page.goto(`${petstore.url}/docs`);
    await page.waitForSelector('#contents li', { state: 'attached' });
    await picture('guide');
  });
  afterAll(() => browser?.close());

  it('has the colours that the browser prefers', async () => {
    const background = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const isDark = Math.max(...String(background).match(/\d+/g)!.map(Number)) < 128;
    expect(isDark).toBe(options.colorScheme === 'dark');
  });

  it('shows the guide in parts, of which its contents open one', async () => {
    const parts = page.locator('details.part');
    expect(await parts.count()).toBeGreaterThan(8);
    const retries = parts.filter({ has: page.getByRole('heading', { name: 'Retries', exact: true }) });
    expect(await retries.evaluate(part => (part as unknown as { open: boolean }).open)).toBe(false);
    const contents = page.locator('#contents');
    if (!(await contents.evaluate(part => (part as unknown as { open: boolean }).open)))
      await contents.locator('> summary').click();
    await contents.getByText('Retries', { exact: true }).click();
    await retries.getByText('Idempotency-Key').first().waitFor();
  });

  it('shows an operation with its marks, its limit and its success, and every other answer when asked', async () => {
    const operation = page.locator('#operations-Pets-updatePet');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByText('"sold"').last().waitFor();
    expect(await operation.innerText()).toMatch(/Change a pet \(beta\).*may still change.*1 request a second/s);
    const { height } = (await operation.boundingBox())!;
    expect(height).toBeLessThan(look === 'on a phone' ? 2_000 : 1_200);
    await operation.evaluate(opened => (opened as unknown as { scrollIntoView(): void }).scrollIntoView());
    await picture('operation');
    expect(await operation.locator('.response:not(.folded)').count()).toBe(1);
    await operation.getByRole('button', { name: '409 out_of_stock' }).click();
    await operation.getByText('"out_of_stock"').first().waitFor();
    expect(await operation.locator('.response:not(.folded)').count()).toBe(2);
  });

  it('marks in its contents what may change or end', async () => {
    const marks = await page.locator('#contents .mark').evaluateAll(found => found.map(mark => mark.textContent));
    expect(marks).toEqual(['deprecated', 'beta', 'experimental']);
  });

  it('needs no scrolling sideways', async () => {
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });

  it('has no critical or serious finding of axe-core that is not the renderer’s', async () => {
    await page.evaluate(axe);
    const violations = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as Finding[];
    const grave = violations.filter(({ impact }) => impact === 'critical' || impact === 'serious');
    const ours = grave.filter(({ id }) => !renderers.includes(id));
    expect(ours.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(', ')}`)).toEqual([]);
  });
});
