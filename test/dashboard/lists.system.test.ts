import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  makeBankTransaction,
  makeCustomer,
  makeDelivery,
  makeInvoice,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import type { Integrator } from '../harness.ts';
import { expectUsable, settle, signIn, startApp, type App } from './app.ts';
import { noBrowser } from './browser.ts';

/** Made one after the other, so that one is newer. */
async function twice(make: (at: number) => Promise<unknown>): Promise<void> {
  for (const at of [0, 1]) await make(at);
}

interface List {
  path: string;
  fill: (acme: Integrator) => Promise<void>;
  /** How it says that it begins. */
  begins: string;
  /** What the row says that it begins with. */
  first: RegExp;
  /** The columns that it can be ordered by. */
  columns: string[];
}

// The later made has the earlier date.
const day = (at: number): string => ['2026-03-02', '2026-02-03'][at]!;

const lists: List[] = [
  {
    path: '/customers',
    fill: (acme) => twice((at) => makeCustomer(acme, { companyName: ['Older', 'Newer'][at]! })),
    begins: 'Newest first',
    first: /Newer/,
    columns: ['Company'],
  },
  {
    path: '/invoices',
    fill: (acme) => twice((at) => makeInvoice(acme, { subject: ['Older', 'Newer'][at]!, invoiceDate: day(at) })),
    begins: 'Newest first',
    first: /Feb 3, 2026/,
    columns: ['Number', 'Date', 'Due', 'Total'],
  },
  {
    path: '/receipts',
    fill: (acme) => twice((at) => makeReceipt(acme, { receiptDate: day(at) })),
    begins: 'Newest first',
    first: /Feb 3, 2026/,
    columns: ['Date', 'Gross'],
  },
  {
    path: '/projects',
    fill: (acme) => twice((at) => makeProject(acme, { name: ['Older', 'Newer'][at]! })),
    begins: 'Newest first',
    first: /Newer/,
    columns: ['Project'],
  },
  {
    path: '/time-entries',
    fill: (acme) => twice((at) => makeTimeEntry(acme, { date: day(at) })),
    begins: 'Ordered by Day, descending',
    first: /Mar 2, 2026/,
    columns: ['Day'],
  },
  {
    path: '/bank-transactions',
    fill: (acme) => twice((at) => makeBankTransaction(acme, { bookingDate: new Date(day(at)) })),
    begins: 'Ordered by Booked, descending',
    first: /Mar 2, 2026/,
    columns: ['Booked', 'Amount'],
  },
  {
    path: '/deliveries',
    fill: (acme) => twice(() => makeDelivery(acme)),
    begins: 'Newest first',
    first: /./,
    columns: [],
  },
];

describe.skipIf(noBrowser)('a list says what it is ordered by', { timeout: 120_000 }, () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.close());

  it.each(lists)('$path: as it begins, and by each column', async ({ path, fill, begins, first, columns }) => {
    const { email, acme } = await app.bookkeeper();
    await fill(acme);
    await app.visit({}, async (page) => {
      await signIn(page, email, `/${acme.tenantId}${path}`);
      const main = page.getByRole('main');
      await main.getByText(begins, { exact: true }).waitFor();
      await expectUsable(page);
      expect(await main.getByRole('row').nth(1).innerText()).toMatch(first);
      const headers = main.getByRole('columnheader').getByRole('button');
      expect((await headers.allInnerTexts()).map((text) => text.trim())).toEqual(columns);
      for (const column of columns) {
        const header = headers.filter({ hasText: column });
        for (const direction of ['ascending', 'descending']) {
          await header.click();
          await main.getByText(`Ordered by ${column}, ${direction}`, { exact: true }).waitFor();
          await settle(page);
        }
      }
    });
  });
});
