import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enter } from '../identity/browser.ts';
import { enterWith, settle, startApp, type App } from './app.ts';
import { noBrowser, open } from './browser.ts';
import { makeLongBooks } from './long-books.ts';
import { misfits } from './measure.ts';

// Every page of the dashboard, with the longest values that are legal, on a phone, a tablet and a desk. What only looking
// tells is looked at: SCREENSHOTS=folder keeps a picture of each.

const widths = [1440, 768, 390];
const pictures = process.env['SCREENSHOTS'];

describe.skipIf(noBrowser)('pages fit, whatever they show', { timeout: 240_000 }, () => {
  let app: App;
  let pages: Record<string, string>;
  let tenantId: string;
  let visited: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    app = await startApp();
    const { email, acme } = await app.bookkeeper();
    pages = await makeLongBooks(app.service, acme);
    tenantId = acme.tenantId;
    visited = await open(app.browser, app.service.url, { viewport: { width: 1440, height: 900 } });
    await enterWith(visited.page, (await enter(app.service, { email })).cookie ?? '');
    await visited.page.addInitScript(() => localStorage.setItem('kontor-signed-in', 'yes'));
  }, 120_000);
  afterAll(async () => {
    await visited?.close();
    await app?.close();
  });

  /** Measures the page as it stands, at each width. */
  async function expectToFit(page: Page, name: string): Promise<void> {
    const found: Record<number, string[]> = {};
    for (const width of widths) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await settle(page);
      const misfit = await misfits(page, { touch: 24 });
      if (misfit.length > 0) found[width] = misfit;
      if (pictures) {
        mkdirSync(pictures, { recursive: true });
        const path = join(pictures, `${name.replaceAll(/\W+/g, '-')}-${width}.png`);
        await page.screenshot({ path, fullPage: !(await page.getByRole('dialog').isVisible()) });
      }
    }
    expect(found).toEqual({});
  }

  const arrive = async (name: string): Promise<Page> => {
    const { page } = visited;
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`/${tenantId}${pages[name]}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settle(page);
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
    'customers',
    'a customer',
    'a supplier',
    'receipts',
    'a draft of a receipt',
    'a booked receipt',
    'a paid receipt',
    'bank transactions',
    'the upload of a statement',
    'an unmatched transaction',
    'money out',
    'a matched transaction',
    'a partially matched transaction',
    'an ignored transaction',
    'projects',
    'a project',
    'time entries',
    'members',
    'API tokens',
    'webhooks',
    'a webhook',
    'deliveries',
    'a delivery',
    'account',
    'no page',
  ];

  it('these are all of the pages', () => {
    expect(Object.keys(pages)).toEqual(names);
  });

  it.each(names)('%s', async (name) => {
    await expectToFit(await arrive(name), name);
  });

  it.each([
    ['customers', 'Add a customer'],
    ['receipts', 'Add a receipt'],
    ['an issued invoice', 'Record a payment'],
    ['an unmatched transaction', 'Match manually'],
    ['money out', 'Create receipt'],
    ['a project', 'Bill the time'],
    ['a project', 'Edit'],
    ['a customer', 'Delete'],
    ['API tokens', 'Generate a token'],
  ])('%s: the dialog of “%s”', async (name, button) => {
    const page = await arrive(name);
    await page.getByRole('button', { name: button, exact: true }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(Cancel|Keep)/ })
      .waitFor();
    await expectToFit(page, `${name} ${button}`);
  });

  it('the search of everything', async () => {
    const page = await arrive('overview');
    await page.getByRole('button', { name: /^Search/ }).click();
    await page.getByRole('textbox', { name: 'Search everything' }).fill('wxyz');
    await page.getByRole('option', { name: /^Wxyz/ }).first().waitFor();
    await expectToFit(page, 'search');
  });

  it('on a phone the first invoice is on the first screen, and the filters behind one button', async () => {
    const page = await arrive('invoices');
    await page.setViewportSize({ width: 390, height: 844 });
    await settle(page);
    const first = page.getByRole('table').getByRole('link').first();
    const box = await first.boundingBox();
    expect(box!.y + box!.height).toBeLessThan(844);
    expect(await page.getByRole('combobox', { name: 'State' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'State' }).waitFor();
    await expectToFit(page, 'invoices filters');
  });
});
