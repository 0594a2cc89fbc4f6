import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enter } from '../identity/browser.ts';
import { expectAccessible, follow, signInByCookie, waitUntilIdle, startApp, type App } from './app.ts';
import { desktop, noBrowser, open, phone } from './browser.ts';
import { makeLongValues } from './long-values.ts';
import { layoutProblems } from './layout-problems.ts';

// Measures every page of the dashboard with the longest valid values, on a phone, a tablet, and a desktop. The same walk looks
// for what is not accessible, in light and dark on a desktop and on a phone, as opening a page takes longer than looking at it.
// languages.system.test.ts does so in German.
// SCREENSHOTS=folder saves a screenshot of each for review.

const widths = [1440, 768, 390];
const pictures = process.env['SCREENSHOTS'];

/** Pages in another state, or of other rows, than one that is looked at for all. */
const alike = new Set([
  'usual invoices',
  'a draft',
  'an overdue, part-paid invoice',
  'a part-paid invoice',
  'a paid invoice',
  'a cancelled invoice',
  'a supplier',
  'receipts of a supplier',
  'a draft of a receipt',
  'a paid receipt',
  'a reversed receipt',
  'the reversal of a receipt',
  'unmatched transactions',
  'money out',
  'a matched transaction',
  'a partially matched transaction',
  'an ignored transaction',
  'open items of suppliers',
]);

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
  });
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
      const problems = [...(await layoutProblems(page, { touch: 24 })), ...(await tablesThatScroll(page))];
      if (problems.length > 0) found[width] = problems;
      if (pictures) {
        mkdirSync(pictures, { recursive: true });
        const path = join(pictures, `${name.replaceAll(/\W+/g, '-')}-${width}.png`);
        await page.screenshot({ path, fullPage: !(await page.getByRole('dialog').isVisible()) });
      }
    }
    expect(found).toEqual({});
  }

  async function inTheDark(page: Page, steps: () => Promise<void>): Promise<void> {
    await page.emulateMedia({ colorScheme: 'dark' });
    await steps().finally(() => page.emulateMedia({ colorScheme: 'light' }));
  }

  /** Figures have at most 15 digits, so there is room for all columns: what can't be seen isn't found. */
  const tablesThatScroll = (page: Page): Promise<string[]> =>
    page
      .locator('.rows-scroll')
      .evaluateAll((tables) =>
        tables.flatMap(({ scrollWidth, clientWidth, ariaLabel }) =>
          scrollWidth > clientWidth ? [`${ariaLabel} are ${scrollWidth - clientWidth} pixels too wide`] : [],
        ),
      );

  const heightsOfRows = (page: Page): Promise<number[]> =>
    page.locator('.stack > tbody > tr').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));

  const openPage = async (name: string): Promise<Page> => {
    const { page } = visited;
    await page.setViewportSize({ width: 1440, height: 900 });
    await follow(page, `/${tenantId}${pages[name]}`);
    return page;
  };

  const names = [
    'overview',
    'invoices',
    'usual invoices',
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
    'bank accounts',
    'a bank account',
    'payments',
    'audit log',
    'anchors',
    'period locks',
    'test tenants',
    'bulk operations',
    'a bulk operation',
    'no page',
  ];

  it('all pages are measured', () => {
    expect(Object.keys(pages)).toEqual(names);
  });

  it.each(names)('%s', async (name) => {
    const { watch } = visited;
    watch.errors.length = 0;
    const page = await openPage(name);
    await expectToFit(page, name);
    if (!alike.has(name)) {
      await page.setViewportSize(phone);
      await expectAccessible(page);
      await inTheDark(page, () => expectAccessible(page, { onlyColors: true }));
      await page.setViewportSize(desktop);
      await expectAccessible(page);
      await inTheDark(page, () => expectAccessible(page, { onlyColors: true }));
    }
    expect(watch.errors).toEqual([]);
  });

  it('a hovered row is accessible, in light and dark', async () => {
    const page = await openPage('customers');
    await page.setViewportSize(desktop);
    await page.getByRole('row').nth(1).hover();
    await expectAccessible(page);
    await inTheDark(page, () => expectAccessible(page));
    await page.mouse.move(0, 0);
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

  it.each([
    ['invoices', 1440],
    ['usual invoices', 768],
    ['time entries', 1440],
    ['time entries', 768],
  ])('rows and headers of %s have one line at %i pixels', async (name, width) => {
    const page = await openPage(name);
    await page.setViewportSize({ width, height: 900 });
    await waitUntilIdle(page);
    const header = (await page.locator('.stack > thead > tr').boundingBox())!.height;
    const heights = [header, ...(await heightsOfRows(page))];
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(36);
    expect(Math.max(...heights)).toBeLessThanOrEqual(40);
  });

  it('a usual name is not cut at 768 pixels, and the values of a row stand on one line', async () => {
    const page = await openPage('usual invoices');
    await page.setViewportSize({ width: 768, height: 900 });
    await waitUntilIdle(page);
    const shown = await page.locator('td[data-phone="title"] .long').evaluateAll((found) =>
      found.map((name) => {
        const range = document.createRange();
        range.selectNodeContents(name);
        return [name.textContent, range.getClientRects().length];
      }),
    );
    expect(shown).toEqual([
      ['Bäckerei Sonnenschein GmbH', 1],
      ['Bäckerei Sonnenschein GmbH', 1],
    ]);
    const bases = await page
      .locator('tbody > tr:first-child > td:is([data-phone="title"], .numbers, :has(> span.figure))')
      .evaluateAll((cells) =>
        cells
          .map((cell) => cell.querySelector('.long, span.figure') ?? cell)
          .filter((value) => value.textContent !== '' && value.checkVisibility())
          .map((value) => {
            const range = document.createRange();
            range.selectNodeContents(value);
            return range.getBoundingClientRect().bottom; // all have one typeface and size
          }),
      );
    expect(bases.length).toBeGreaterThan(2);
    expect(Math.max(...bases) - Math.min(...bases)).toBeLessThan(0.5);
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

  it('on a phone a time entry’s title has room, in German too', async () => {
    const page = await openPage('time entries');
    await page.evaluate(() => localStorage.setItem('kontor-language', 'de'));
    try {
      await openPage('time entries');
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByText('Nicht abgerechnet').waitFor();
      await waitUntilIdle(page);
      const titles = await page
        .locator('td[data-phone="title"]')
        .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().width));
      expect(Math.min(...titles)).toBeGreaterThan(200);
    } finally {
      await page.evaluate(() => localStorage.removeItem('kontor-language'));
      await page.reload(); // in English again for the tests that follow
    }
  });

  it('on a phone what selects rows is in the line of the headers, and no line is doubled', async () => {
    const page = await openPage('receipts');
    await page.setViewportSize({ width: 390, height: 844 });
    await waitUntilIdle(page);
    const select = (await page.getByRole('button', { name: 'Select', exact: true }).boundingBox())!;
    const header = (await page.locator('.stack > thead > tr').boundingBox())!;
    expect(header.height).toBeLessThanOrEqual(40);
    expect(select.y).toBeGreaterThanOrEqual(header.y - 1);
    expect(select.y + select.height).toBeLessThanOrEqual(header.y + header.height + 1);
    const last = page.locator('.stack > tbody > tr').last();
    expect(await last.evaluate((row) => getComputedStyle(row).borderBottomWidth)).toBe('0px');
    await openPage('deliveries'); // whose headers sort nothing
    await page.setViewportSize({ width: 390, height: 844 });
    await waitUntilIdle(page);
    expect((await page.locator('.stack > thead').boundingBox())!.height).toBe(0);
  });

  it('on a phone a page’s description follows its title, and its actions follow both', async () => {
    const page = await openPage('an issued invoice');
    await page.setViewportSize({ width: 390, height: 844 });
    await waitUntilIdle(page);
    const description = (await page.locator('.page-description').boundingBox())!;
    const action = (await page.getByRole('button', { name: 'Record a payment' }).boundingBox())!;
    expect(action.y).toBeGreaterThanOrEqual(description.y + description.height);
    expect(description.width).toBeGreaterThan(300);
  });

  it('the bars of the overview don’t cover its axis', async () => {
    const page = await openPage('overview');
    await page.setViewportSize({ width: 768, height: 900 });
    await waitUntilIdle(page);
    const ends = await page.locator('.chart-grid > span').evaluateAll((ticks) =>
      ticks.map((tick) => {
        const range = document.createRange();
        range.selectNodeContents(tick);
        return range.getBoundingClientRect().right;
      }),
    );
    const months = (await page.locator('.chart-months').boundingBox())!;
    expect(ends.length).toBeGreaterThan(1);
    expect(Math.max(...ends)).toBeLessThanOrEqual(months.x);
    // A phone has no room beside the bars: the axis is before them.
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.locator('.chart-grid').evaluate((axis) => getComputedStyle(axis).zIndex)).toBe('1');
  });

  it.each(['a cancelled invoice', 'a credit note'])('%s: the totals end where their column ends', async (name) => {
    const page = await openPage(name);
    const ends = (cells: string): Promise<number[]> =>
      page.locator(cells).evaluateAll((found) =>
        found.map((cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return Math.round(range.getBoundingClientRect().right);
        }),
      );
    const column = await ends('main .stack > tbody > tr > td:last-child');
    const totals = await ends('main .totals > tbody > tr > td');
    expect(totals.length).toBeGreaterThan(2);
    expect(new Set([...column, ...totals]).size).toBe(1);
  });

  it.each(['invoices', 'a cancelled invoice', 'open items', 'account'])(
    '%s: no edge of a table is seen in the dark',
    async (name) => {
      const { page } = visited;
      await page.emulateMedia({ colorScheme: 'dark' });
      await openPage(name);
      const colors = await page.locator('.rows-scroll').evaluateAll((tables) =>
        tables.map((table) => {
          const probe = document.createElement('i');
          probe.style.background = 'var(--surface)'; // what covers the shadows at its ends
          table.append(probe);
          const cover = getComputedStyle(probe).backgroundColor;
          probe.remove();
          let around: Element | null = table;
          while (around && getComputedStyle(around).backgroundColor === 'rgba(0, 0, 0, 0)')
            around = around.parentElement;
          return [cover, around && getComputedStyle(around).backgroundColor];
        }),
      );
      await page.emulateMedia({ colorScheme: 'light' });
      expect(colors.length).toBeGreaterThan(0);
      for (const [cover, around] of colors) expect(around).toBe(cover);
    },
  );

  it('what belongs together is in one line: filters and what clears them, an id and what copies it', async () => {
    const line = async (page: Page, name: string): Promise<number> => {
      const box = (await page.getByRole('button', { name }).first().boundingBox())!;
      return box.y + box.height / 2;
    };
    let page = await openPage('unmatched transactions');
    const search = (await page.getByRole('searchbox', { name: 'Search transactions' }).boundingBox())!;
    expect(Math.abs((await line(page, 'Clear filters')) - search.y - search.height / 2)).toBeLessThan(4);
    page = await openPage('a delivery');
    await page.setViewportSize({ width: 390, height: 844 });
    await waitUntilIdle(page);
    const id = (await page.locator('main dd code').first().boundingBox())!;
    expect(Math.abs((await line(page, 'Copy the delivery’s id')) - id.y - id.height / 2)).toBeLessThan(4);
  });

  it('the typeface is served with the dashboard, and its figures are equally wide', async () => {
    const page = await openPage('invoices');
    const [isLoaded, ...digits] = await page.evaluate(() => {
      const cell = document.querySelector('td.numbers')!;
      const measure = (text: string): number => {
        const probe = document.createElement('span');
        probe.textContent = text;
        cell.append(probe);
        const { width } = probe.getBoundingClientRect();
        probe.remove();
        return width;
      };
      const isUsed = getComputedStyle(cell).fontFamily.startsWith('"Geist Variable"');
      return [isUsed && document.fonts.check('14px "Geist Variable"'), measure('1111'), measure('8888')];
    });
    expect(isLoaded).toBe(true);
    expect(digits[0]).toBe(digits[1]);
  });

  it('motion is for those who did not ask for less of it', async () => {
    const page = await openPage('overview');
    const isMoving = (): Promise<string> =>
      page.evaluate(() => {
        const bar = document.createElement('div');
        bar.className = 'busy';
        bar.dataset['on'] = 'true';
        document.body.append(bar);
        const { animationIterationCount } = getComputedStyle(bar, '::after');
        bar.remove();
        return animationIterationCount;
      });
    expect(await isMoving()).toBe('1');
    // Else a color that elements inherit would pass on from one to the next.
    expect(await page.evaluate(() => getComputedStyle(document.body).transitionProperty)).toBe('none');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    const moving = await isMoving();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(moving).toBe('infinite');
  });

  it('what is printed is the page’s content', async () => {
    const page = await openPage('customers');
    await page.emulateMedia({ media: 'print' });
    const shown = (selector: string): Promise<boolean> => page.locator(selector).isVisible();
    expect([await shown('header'), await shown('nav'), await shown('main h1')]).toEqual([false, false, true]);
    await page.emulateMedia({ media: 'screen' });
  });

  it('the navigation has groups, and rows have the chosen density, which is kept', async () => {
    const page = await openPage('invoices');
    const navigation = await page.getByRole('navigation', { name: 'Main' }).innerText();
    for (const group of ['Books', 'Money', 'Reports', 'Developers', 'Settings'])
      expect(navigation).toMatch(new RegExp(`^${group}$`, 'm'));
    await page.getByRole('button', { name: 'Show rows with more space' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Show rows with less space' }).waitFor();
    await waitUntilIdle(page);
    expect(Math.min(...(await heightsOfRows(page)))).toBeGreaterThan(40);
    await page.getByRole('button', { name: 'Show rows with less space' }).click();
    await expect.poll(async () => Math.max(...(await heightsOfRows(page)))).toBeLessThanOrEqual(40);
  });

  it('an empty list has no pages', async () => {
    const page = await openPage('what was invoiced in a month');
    await page.getByText('No documents in this month').waitFor();
    expect(await page.getByRole('group', { name: 'Pages' }).count()).toBe(0);
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
