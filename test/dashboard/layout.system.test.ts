import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enter } from '../identity/browser.ts';
import { signInByCookie, waitUntilIdle, startApp, type App } from './app.ts';
import { noBrowser, open } from './browser.ts';
import { makeLongValues } from './long-values.ts';
import { layoutProblems } from './layout-problems.ts';

// Measures every page of the dashboard with the longest valid values, on a phone, a tablet, and a desktop.
// SCREENSHOTS=folder saves a screenshot of each for review.

const widths = [1440, 768, 390];
const pictures = process.env['SCREENSHOTS'];

describe.skipIf(noBrowser)('layout with the longest values', { timeout: 240_000 }, () => {
  let app: App;
  let pages: Record<string, string>;
  let tenantId: string;
  let visited: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    app = await startApp();
    const { email, acme } = await app.bookkeeper();
    pages = await makeLongValues(app.service, acme);
    tenantId = acme.tenantId;
    visited = await open(app.browser, app.service.url, { viewport: { width: 1440, height: 900 } });
    await signInByCookie(visited.page, (await enter(app.service, { email })).cookie ?? '');
    await visited.page.addInitScript(() => localStorage.setItem('kontor-signed-in', 'yes'));
  }, 120_000);
  afterAll(async () => {
    await visited?.close();
    await app?.close();
  });

  /** Measures the current page at each width. */
  async function expectToFit(page: Page, name: string): Promise<void> {
    const found: Record<number, string[]> = {};
    for (const width of widths) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await waitUntilIdle(page);
      const problems = await layoutProblems(page, { touch: 24 });
      if (problems.length > 0) found[width] = problems;
      if (pictures) {
        mkdirSync(pictures, { recursive: true });
        const path = join(pictures, `${name.replaceAll(/\W+/g, '-')}-${width}.png`);
        await page.screenshot({ path, fullPage: !(await page.getByRole('dialog').isVisible()) });
      }
    }
    expect(found).toEqual({});
  }

  const heightsOfRows = (page: Page): Promise<number[]> =>
    page.locator('.stack > tbody > tr').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));

  const openPage = async (name: string): Promise<Page> => {
    const { page } = visited;
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`/${tenantId}${pages[name]}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await waitUntilIdle(page);
    return page;
  };

  const names = [
    'overview',
    'invoices',
    'a draft',
    'a draft, edited',
    'an issued invoice',
    'an overdue, part-paid invoice',
    'a part-paid invoice',
    'a paid invoice',
    'a cancelled invoice',
    'a new invoice',
    'a new credit note',
    'credit notes',
    'a credit note',
    'customers',
    'a customer',
    'a supplier',
    'what was invoiced in a month',
    'receipts',
    'receipts of a supplier',
    'a draft of a receipt',
    'a booked receipt',
    'a paid receipt',
    'a reversed receipt',
    'the reversal of a receipt',
    'bank transactions',
    'unmatched transactions',
    'the upload of a statement',
    'an unmatched transaction',
    'money out',
    'a matched transaction',
    'a partially matched transaction',
    'an ignored transaction',
    'projects',
    'a project',
    'time entries',
    'import',
    'open items',
    'open items of suppliers',
    'profit and loss',
    'documents of a profit and loss',
    'VAT',
    'documents of VAT',
    'EC sales',
    'documents of EC sales',
    'exports',
    'a new export',
    'company',
    'members',
    'API tokens',
    'webhooks',
    'a webhook',
    'deliveries',
    'a delivery',
    'account',
    'no page',
  ];

  it('all pages are measured', () => {
    expect(Object.keys(pages)).toEqual(names);
  });

  it.each(names)('%s', async (name) => {
    await expectToFit(await openPage(name), name);
  });

  it.each([
    ['customers', 'Add a customer'],
    ['receipts', 'Add a receipt'],
    ['an issued invoice', 'Record a payment'],
    ['a part-paid invoice', 'Undo'],
    ['a booked receipt', 'Reverse'],
    ['a credit note', 'Record a refund'],
    ['an unmatched transaction', 'Match manually'],
    ['money out', 'Create receipt'],
    ['a project', 'Bill the time'],
    ['a project', 'Edit'],
    ['a customer', 'Delete'],
    ['API tokens', 'Generate a token'],
    ['exports', 'New export'],
  ])('%s: the dialog of “%s”', async (name, button) => {
    const page = await openPage(name);
    await page.getByRole('button', { name: button, exact: true }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(Cancel|Keep)/ })
      .waitFor();
    await expectToFit(page, `${name} ${button}`);
  });

  it('the global search', async () => {
    const page = await openPage('overview');
    await page.getByRole('button', { name: /^Search/ }).click();
    await page.getByRole('textbox', { name: 'Search everything' }).fill('wxyz');
    await page.getByRole('option', { name: /^Wxyz/ }).first().waitFor();
    await expectToFit(page, 'search');
  });

  it.each([1440, 768])('rows of invoices have one line at %i pixels', async (width) => {
    const page = await openPage('invoices');
    await page.setViewportSize({ width, height: 900 });
    await waitUntilIdle(page);
    const heights = await heightsOfRows(page);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(36);
    expect(Math.max(...heights)).toBeLessThanOrEqual(40);
  });

  it.each([
    'invoices',
    'credit notes',
    'customers',
    'receipts',
    'bank transactions',
    'projects',
    'time entries',
    'deliveries',
  ])('on a phone rows of %s have two lines, and open wherever they are touched', async (name) => {
    const page = await openPage(name);
    await page.setViewportSize({ width: 390, height: 844 });
    await waitUntilIdle(page);
    expect(Math.max(...(await heightsOfRows(page)))).toBeLessThanOrEqual(68);
    const row = page.getByRole('table').locator('tbody tr').first();
    const box = (await row.boundingBox())!;
    await row.click({ position: { x: box.width * 0.45, y: box.height - 4 } });
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/[\da-f-]{36}$/);
  });

  it('on a phone the first invoice is visible without scrolling, and filters are behind a button', async () => {
    const page = await openPage('invoices');
    await page.setViewportSize({ width: 390, height: 844 });
    await waitUntilIdle(page);
    const first = page.getByRole('table').getByRole('link').first();
    const box = await first.boundingBox();
    expect(box!.y + box!.height).toBeLessThan(844);
    expect(await page.getByRole('combobox', { name: 'State' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'State' }).waitFor();
    await expectToFit(page, 'invoices filters');
  });
});
