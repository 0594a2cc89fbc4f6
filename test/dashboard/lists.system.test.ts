import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeDelivery,
  makeInvoice,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import type { Integrator } from '../harness.ts';
import { expectAccessible, signedInBookkeeper, waitUntilIdle, signIn, startApp, type App } from './app.ts';
import { noBrowser } from './browser.ts';

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
    columns: ['Number', 'Date', 'Due', 'Total'],
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

describe.skipIf(noBrowser)('a list shows its order', { timeout: 120_000 }, () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.close());

  it.each(lists)(
    '$path: initially, and sorted by each column',
    async ({ path, fill, initialOrder, firstRow, columns }) => {
      const { email, acme } = await app.bookkeeper();
      await fill(acme);
      await app.visit({}, async (page) => {
        await signIn(page, email, `/${acme.tenantId}${path}`);
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
    const { acme, open } = await signedInBookkeeper(app);
    const path = await fill(acme);
    await app.visit({}, async (page) => {
      await open(page, path);
      const main = page.getByRole('main');
      await main.getByText(initialOrder, { exact: true }).waitFor();
      expect(await main.getByRole('row').nth(1).innerText()).toContain('Mar 2, 2026');
    });
  });
});
