import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  item,
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeDelivery,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import type { Integrator } from '../harness.ts';
import type { Page } from 'playwright-core';
import { sum } from '../../src/dashboard/format/decimal.ts';
import { expectAccessible, waitUntilIdle, startApp, type App } from './app.ts';
import { noBrowser } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

/** Runs a function twice, one after the other, so that the second row is newer. */
async function twice(make: (at: number) => Promise<unknown>): Promise<void> {
  for (const at of [0, 1]) await make(at);
}

interface List {
  path: string;
  fill: (acme: Integrator) => Promise<void>;
  /** The description of the initial order. */
  initialOrder: string;
  /** The text of the first row in the initial order. */
  firstRow: RegExp;
  /** The columns that the list can be sorted by. */
  columns: string[];
}

// The newer row has the earlier date.
const day = (at: number): string => ['2026-03-02', '2026-02-03'][at]!;

const lists: List[] = [
  {
    path: '/customers',
    fill: (acme) => twice((at) => makeCustomer(acme, { companyName: ['Older', 'Newer'][at]! })),
    initialOrder: 'Newest first',
    firstRow: /Newer/,
    columns: ['Company'],
  },
  {
    path: '/invoices',
    fill: (acme) => twice((at) => makeInvoice(acme, { subject: ['Older', 'Newer'][at]!, invoiceDate: day(at) })),
    initialOrder: 'Ordered by Date, descending',
    firstRow: /Mar 2, 2026/,
    columns: ['Number', 'Date', 'Due', 'Total', 'Open'],
  },
  {
    path: '/credit-notes',
    fill: (acme) => twice((at) => makeCreditNote(acme, { creditNoteDate: ['2026-03-04', '2026-03-02'][at] })),
    initialOrder: 'Ordered by Date, descending',
    firstRow: /Mar 4, 2026/,
    columns: ['Number', 'Date', 'Total'],
  },
  {
    path: '/receipts',
    fill: (acme) => twice((at) => makeReceipt(acme, { receiptDate: day(at) })),
    initialOrder: 'Ordered by Date, descending',
    firstRow: /Mar 2, 2026/,
    columns: ['Date', 'Gross'],
  },
  {
    path: '/payments',
    fill: async (acme) => {
      const id = await makeInvoice(acme, { status: 'ISSUED' });
      await twice((at) =>
        acme.graphql(`mutation { payInvoice(id: "${id}", amount: "1", paidOn: "${day(at)}") { id } }`),
      );
    },
    initialOrder: 'Ordered by Paid on, descending',
    firstRow: /Mar 2, 2026/,
    columns: ['Paid on'],
  },
  {
    path: '/projects',
    fill: (acme) => twice((at) => makeProject(acme, { name: ['Older', 'Newer'][at]! })),
    initialOrder: 'Newest first',
    firstRow: /Newer/,
    columns: ['Project'],
  },
  {
    path: '/time-entries',
    fill: (acme) => twice((at) => makeTimeEntry(acme, { date: day(at) })),
    initialOrder: 'Ordered by Day, descending',
    firstRow: /Mar 2, 2026/,
    columns: ['Day'],
  },
  {
    path: '/bank-transactions',
    fill: (acme) => twice((at) => makeBankTransaction(acme, { bookingDate: new Date(day(at)) })),
    initialOrder: 'Ordered by Booked, descending',
    firstRow: /Mar 2, 2026/,
    columns: ['Booked', 'Amount'],
  },
  {
    path: '/deliveries',
    fill: (acme) => twice(() => makeDelivery(acme)),
    initialOrder: 'Newest first',
    firstRow: /./,
    columns: [],
  },
];

/** The amounts in a column, as numbers. */
async function readColumn(page: Page, header: string): Promise<string[]> {
  const table = page.getByRole('table');
  const headers = (await table.getByRole('columnheader').allInnerTexts()).map((text) => text.trim());
  const cells = table.locator(`tbody td:nth-child(${headers.indexOf(header) + 1})`);
  return (await cells.allInnerTexts()).filter(Boolean).map((text) => text.replaceAll(/[€,]/g, ''));
}

const euros = (amount: number): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'EUR' }).format(amount);

interface TabsOf {
  path: string;
  /** The columns that the tabs' sums add up. */
  columns: Record<string, string>;
  fill: (acme: Integrator) => Promise<void>;
  /** The number of rows in each tab after a search for one supplier or customer. */
  filtered: Record<string, string>;
}

const priced = (unitPriceNet: string) => ({ items: [{ ...item, unitPriceNet }] });

const tabs: TabsOf[] = [
  {
    path: '/invoices',
    columns: { All: 'Total', Drafts: 'Total', Open: 'Open', Overdue: 'Open', Paid: 'Total' },
    fill: async (acme) => {
      const customerId = await makeCustomer(acme, { companyName: 'Umbrella' });
      const later = { dueDate: '2999-12-31' };
      await makeInvoice(acme, priced('0.01'));
      await makeInvoice(acme, { ...later, ...priced('1000.10'), status: 'ISSUED', customerId });
      await makePayment(acme, await makeInvoice(acme, { ...later, status: 'ISSUED' }), '19');
      await makeInvoice(acme, { status: 'ISSUED', customerId, invoiceDate: '2026-01-01', dueDate: '2026-01-02' });
      await makeInvoice(acme, { ...priced('33.33'), status: 'PAID' });
      const cancelled = await makeInvoice(acme, { status: 'ISSUED' });
      await acme.graphql('mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }', { id: cancelled });
    },
    filtered: { All: '2', Drafts: '0', Open: '2', Overdue: '1', Paid: '0' },
  },
  {
    path: '/receipts',
    columns: { All: 'Gross', Drafts: 'Gross', 'To pay': 'Open', Paid: 'Gross' },
    fill: async (acme) => {
      const supplierId = await makeCustomer(acme, { type: 'SUPPLIER', companyName: 'Umbrella' });
      await makeReceipt(acme);
      await makeReceipt(acme, { status: 'BOOKED', supplierId });
      const partPaid = await makeReceipt(acme, { status: 'BOOKED' });
      await acme.graphql('mutation ($id: UUID!) { payReceipt(id: $id, amount: "9.07") { id } }', { id: partPaid });
      const paid = await makeReceipt(acme, { status: 'BOOKED', supplierId });
      await acme.graphql('mutation ($id: UUID!) { payReceipt(id: $id) { id } }', { id: paid });
    },
    filtered: { All: '2', Drafts: '0', 'To pay': '1', Paid: '1' },
  },
];

let app: App;
let pages: KeptPages;
beforeAll(async () => {
  if (noBrowser) return;
  app = await startApp();
  pages = keepPages(app);
});
afterAll(() => app?.close());

describe.skipIf(noBrowser)('tabs above a list', { timeout: 120_000 }, () => {
  it.each(tabs)('$path: each has the number and the sum of its list', async ({ path, columns, fill, filtered }) => {
    const { acme, open } = await pages.bookkeeper();
    await fill(acme);
    await pages.visit({ viewport: { width: 1440, height: 900 } }, async (page) => {
      await open(page, path);
      const states = page.getByRole('navigation', { name: /by state$/ });
      const names = states.getByRole('link');
      const read = async (): Promise<Record<string, string>> =>
        Object.fromEntries(
          (await names.allInnerTexts()).map((text) => {
            const [, name = '', number = '', total = ''] = /^(\D+) (\d+)\s*(.*)$/s.exec(text) ?? [];
            return [name, `${number} ${total.trim()}`.trim()];
          }),
        );
      await expect.poll(async () => Object.keys(await read())).toEqual(Object.keys(columns));
      const figures = await read();
      for (const [name, column] of Object.entries(columns)) {
        await names.filter({ hasText: name }).click();
        await states.locator('[aria-current]').filter({ hasText: name }).waitFor();
        await waitUntilIdle(page);
        const rows = await page.getByRole('table').locator('tbody tr').count();
        const total = Number(sum(await readColumn(page, column)));
        expect([name, figures[name]]).toEqual([name, `${rows} ${euros(total)}`]);
      }
      // They count what the other filters leave.
      await page.getByRole('searchbox').fill('Umbrella');
      await expect
        .poll(async () =>
          Object.fromEntries(Object.entries(await read()).map(([name, text]) => [name, text.split(' ')[0]])),
        )
        .toEqual(filtered);
      expect(new URL(page.url()).searchParams.get('status')).toBe('PAID');
      await expectAccessible(page);
      // The address is what is saved: opened again, it has the same filters, and one that is forged has none.
      const address = page.url();
      await page.goto('about:blank');
      await page.goto(address);
      await states.locator('[aria-current]').filter({ hasText: 'Paid' }).waitFor();
      expect(await page.getByRole('searchbox').inputValue()).toBe('Umbrella');
      await waitUntilIdle(page);
      expect(String(await page.getByRole('table').locator('tbody tr').count())).toBe(filtered.Paid);
      await open(page, `${path}?status=NOTHING&sort=-nothing&page=x`);
      expect(`${await page.getByRole('table').locator('tbody tr').count()}`).toBe(figures['All']?.split(' ')[0]);
    });
  });

  it('without a sum where rows have several currencies', async () => {
    const { acme, open } = await pages.bookkeeper();
    await makeInvoice(acme);
    await makeInvoice(acme, { currency: 'USD', status: 'ISSUED', dueDate: '2999-12-31' });
    await pages.visit({}, async (page) => {
      await open(page, '/invoices');
      const links = page.getByRole('navigation', { name: 'Invoices by state' }).getByRole('link');
      await expect
        .poll(async () => (await links.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim()))
        .toEqual(['All 2', 'Drafts 1 €119.00', 'Open 1 $119.00', 'Overdue 0', 'Paid 0']);
    });
  });
});

describe.skipIf(noBrowser)('a page of a list that takes long', { timeout: 120_000 }, () => {
  it('is opened once, however often it is asked for meanwhile, and has its own number', async () => {
    const { acme, open } = await pages.bookkeeper();
    const items = Array.from({ length: 60 }, (_, at) => ({ type: 'customer', company_name: `C ${at}` }));
    await acme.rest('POST', '/customers/batch', { items });
    await pages.visit({}, async (page) => {
      await open(page, '/customers');
      const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
      await page.route('**/graphql', async (route) => {
        await answered;
        await route.continue();
      });
      await page.getByRole('button', { name: 'Next page' }).dblclick();
      await page.getByText('1 to 25 of 60').waitFor();
      answer();
      await page.getByText('26 to 50 of 60').waitFor();
      await page.goBack();
      await page.getByText('1 to 25 of 60').waitFor();
      expect(new URL(page.url()).search).toBe('');
    });
  });
});

describe.skipIf(noBrowser)('the last page of a list', { timeout: 120_000 }, () => {
  it('gives way to the first one where its rows were deleted', async () => {
    const { acme, open } = await pages.bookkeeper();
    const customerId = await makeCustomer(acme);
    for (let at = 0; at < 26; at++) await makeInvoice(acme, { customerId });
    await pages.visit({}, async (page) => {
      await open(page, '/invoices?status=DRAFT');
      const rows = page.getByRole('table').locator('tbody tr');
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('26 to 26 of 26').waitFor();
      await waitUntilIdle(page);
      await rows.getByRole('checkbox').click();
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('1 draft is deleted.').waitFor();
      await page.getByText('1 to 25 of 25').waitFor();
      expect(await rows.count()).toBe(25);
      expect(new URL(page.url()).search).toBe('?status=DRAFT');
    });
  });
});

describe.skipIf(noBrowser)('a list shows its order', { timeout: 120_000 }, () => {
  it.each(lists)(
    '$path: initially, and sorted by each column',
    async ({ path, fill, initialOrder, firstRow, columns }) => {
      const { acme, open } = await pages.bookkeeper();
      await fill(acme);
      await pages.visit({}, async (page) => {
        await open(page, path);
        const main = page.getByRole('main');
        await main.getByText(initialOrder, { exact: true }).waitFor();
        await expectAccessible(page);
        expect(await main.getByRole('row').nth(1).innerText()).toMatch(firstRow);
        const headers = main.getByRole('columnheader').getByRole('button');
        expect((await headers.allInnerTexts()).map((text) => text.trim())).toEqual(columns);
        for (const column of columns) {
          const header = headers.filter({ hasText: column });
          for (const direction of ['ascending', 'descending']) {
            await header.click();
            await main.getByText(`Ordered by ${column}, ${direction}`, { exact: true }).waitFor();
            await waitUntilIdle(page);
          }
        }
      });
    },
  );

  it.each<[string, (acme: Integrator) => Promise<string>, string]>([
    [
      'a customer’s invoices',
      async (acme) => {
        const customerId = await makeCustomer(acme);
        await twice((at) => makeInvoice(acme, { customerId, invoiceDate: day(at) }));
        return `/customers/${customerId}`;
      },
      'Ordered by Date, descending',
    ],
    [
      'a project’s time',
      async (acme) => {
        const projectId = await makeProject(acme);
        await twice((at) => makeTimeEntry(acme, { projectId, date: day(at) }));
        return `/projects/${projectId}`;
      },
      'Ordered by Day, descending',
    ],
  ])('%s: the latest date first', async (_, fill, initialOrder) => {
    const { acme, open } = await pages.bookkeeper();
    const path = await fill(acme);
    await pages.visit({}, async (page) => {
      await open(page, path);
      const main = page.getByRole('main');
      await main.getByText(initialOrder, { exact: true }).waitFor();
      expect(await main.getByRole('row').nth(1).innerText()).toContain('Mar 2, 2026');
    });
  });
});
