import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Decimal } from '../../schema/money/money.ts';
import { company, setCompany } from '../documents/parties.ts';
import {
  item,
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import type { Integrator } from '../harness.ts';
import { expectAccessible, operationName, startApp, waitUntilIdle, type App } from './app.ts';
import { noBrowser, phone } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';
import { countUnmatched, makePairs } from './pairs.ts';

// Each figure of the overview, and each thing to do, opens the list of what it counts.

interface Figure {
  /** The operation of the list that its link opens, its field, and the type of its filter. */
  operation: string;
  field: string;
  filterType: string;
  selection: string;
  /** The figure's value, by the list's rows. */
  shown: (rows: Record<string, string | number | null>[]) => string[];
}

const euros = (sum: Decimal): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'EUR' }).format(sum.toFixed() as `${number}`);
const sumOf = (rows: Record<string, unknown>[], name: string): Decimal =>
  rows.reduce((sum, row) => sum.plus(String(row[name])), new Decimal(0));

const invoices = {
  operation: 'Invoices',
  field: 'invoices',
  filterType: 'InvoiceFilter',
  selection: 'amountDue',
  shown: (rows: Record<string, unknown>[]) => [euros(sumOf(rows, 'amountDue')), `${rows.length} invoices`],
};

const figures: Record<string, Figure> = {
  Outstanding: invoices,
  Overdue$: invoices,
  'Paid this month': {
    operation: 'InvoicePayments',
    field: 'payments',
    filterType: 'PaymentFilter',
    selection: 'amount creditNoteId',
    shown: (rows) => {
      const refunds = rows.filter(({ creditNoteId }) => creditNoteId !== null);
      const sum = sumOf(rows, 'amount').minus(sumOf(refunds, 'amount').times(2));
      return [euros(sum), `${rows.length} payments and refunds`];
    },
  },
  'Hours not billed': {
    operation: 'TimeEntries',
    field: 'timeEntries',
    filterType: 'TimeEntryFilter',
    selection: 'durationMinutes',
    shown: (rows) => [`${sumOf(rows, 'durationMinutes').div(60).toFixed()} h`],
  },
  '\\d+ overdue invoices': {
    ...invoices,
    shown: (rows) => [euros(sumOf(rows, 'amountDue')), `${rows.length} overdue invoices`],
  },
  '\\d+ refunds': {
    ...invoices,
    selection: 'amountToRefund',
    shown: (rows) => [euros(sumOf(rows, 'amountToRefund')), `${rows.length} refunds to pay`],
  },
  'Overdue \\d': invoices,
  'Due this week': invoices,
  'Due next week': invoices,
  'Due later \\d': invoices,
  '\\d+ drafts of invoices': {
    ...invoices,
    selection: 'totalGross',
    shown: (rows) => [euros(sumOf(rows, 'totalGross')), `${rows.length} drafts of invoices`],
  },
  '\\d+ bank transactions': {
    operation: 'BankTransactions',
    field: 'bankTransactions',
    filterType: 'BankTransactionFilter',
    selection: 'amount',
    shown: (rows) => [`${rows.length} bank transactions to match`],
  },
  '\\d+ receipts': {
    operation: 'Receipts',
    field: 'receipts',
    filterType: 'ReceiptFilter',
    selection: 'amountGross',
    shown: (rows) => [`${rows.length} receipts to pay`],
  },
};

/** A figure's link, by the beginning of its name. */
const findLink = (page: Page, name: string) =>
  page.getByRole('main').getByRole('link', { name: new RegExp(`^${name}`) });

/** Books in which each figure differs from what a wider list has. */
async function fill(acme: Integrator): Promise<void> {
  const now = new Date();
  const today = now.toISOString().slice(0, 10);
  const earlier = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 15)).toISOString().slice(0, 10);
  const customerId = (await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Globex' })).body.data.id;
  const invoice = (fields: object) => makeInvoice(acme, { customerId, invoiceDate: earlier, ...fields });
  await invoice({});
  await invoice({});
  for (const _ of [1, 2]) await makeReceipt(acme, { status: 'BOOKED' });
  await makePayment(acme, await invoice({ status: 'ISSUED', dueDate: earlier }), '19');
  await invoice({ status: 'ISSUED', dueDate: earlier });
  await invoice({ status: 'ISSUED', dueDate: `${now.getUTCFullYear() + 1}-12-31` });
  // Two in each period, but for the rest of the month, which not every day has.
  const sunday = now.getUTCDate() + ((7 - now.getUTCDay()) % 7);
  for (const days of [0, 1, 7])
    for (const _ of [1, 2]) {
      const dueDate = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), sunday + days));
      await invoice({ status: 'ISSUED', dueDate: dueDate.toISOString().slice(0, 10) });
    }
  for (const _ of [1, 2]) await makeCreditNote(acme, { invoiceId: await invoice({ status: 'PAID' }) });
  await invoice({ status: 'ISSUED', invoiceDate: today, dueDate: `${now.getUTCFullYear() + 2}-12-31` });
  const paid = await invoice({ status: 'PAID' });
  const creditNote = await makeCreditNote(acme, { invoiceId: paid });
  await acme.graphql(`mutation { refundCreditNote(id: "${creditNote}", amount: "50", paidOn: "${today}") { id } }`);
  const before = await invoice({ status: 'ISSUED' });
  await acme.graphql(`mutation { payInvoice(id: "${before}", paidOn: "${earlier}") { id } }`);
  const cancelled = await invoice({ status: 'ISSUED', items: [{ ...item, unitPriceNet: '7' }] });
  await acme.graphql(`mutation { cancelInvoice(id: "${cancelled}") { id } }`);
  const projectId = await makeProject(acme);
  for (const [durationMinutes, billable] of [
    [60, true],
    [120, true],
    [240, false],
  ] as const)
    await makeTimeEntry(acme, { projectId, durationMinutes, billable });
  for (const matchStatus of ['UNMATCHED', 'UNMATCHED', 'PARTIALLY_MATCHED', 'IGNORED'])
    await makeBankTransaction(acme, { matchStatus });
}

/** Opens a figure's link. @returns the filter with which the list was requested */
async function openList(page: Page, name: string, { operation }: Figure): Promise<object> {
  const isList = (request: Request): boolean => operationName(request) === operation;
  const [request] = await Promise.all([page.waitForRequest(isList), findLink(page, name).click()]);
  await waitUntilIdle(page);
  const { variables } = JSON.parse(request.postData() ?? '{}') as { variables: { filter: object } };
  return variables.filter;
}

/** Reads the same list through the API. */
async function readList(acme: Integrator, { field, filterType, selection }: Figure, filter: object) {
  const { list } = await acme.graphql(
    `query ($filter: ${filterType}) { list: ${field}(filter: $filter) { nodes { id ${selection} } totalCount } }`,
    { filter },
  );
  expect(list.nodes).toHaveLength(list.totalCount);
  return list.nodes;
}

/** Waits until a list has so many rows. That of unmatched transactions doesn't say how many, if they are on one page. */
async function expectRows(page: Page, count: number): Promise<void> {
  const main = page.getByRole('main');
  const inbox = main.getByRole('list', { name: 'Unmatched transactions' });
  await main.getByText(`1 to ${count} of ${count}`, { exact: true }).or(inbox).waitFor();
  if (await inbox.isVisible()) await expect.poll(() => inbox.locator('[data-transaction]').count()).toBe(count);
}

describe.skipIf(noBrowser)('the figures of the overview', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it('each opens a list with the rows that it counts, and their sum', async () => {
    const { acme, open } = await pages.bookkeeper();
    await fill(acme);
    await pages.visit({}, async (page) => {
      await open(page, '/');
      const cards = page.getByRole('main').getByRole('listitem');
      const months = page.getByRole('main').locator('.chart').getByRole('listitem');
      await expect.poll(async () => (await cards.count()) - (await months.count())).toBe(Object.keys(figures).length);
      for (const [name, figure] of Object.entries(figures)) {
        const card = await cards.filter({ has: page.getByRole('link', { name: new RegExp(`^${name}`) }) }).innerText();
        const rows = await readList(acme, figure, await openList(page, name, figure));
        expect(rows.length).toBeGreaterThan(1);
        for (const text of figure.shown(rows)) expect([name, card]).toEqual([name, expect.stringContaining(text)]);
        await expectRows(page, rows.length);
        await page.goBack();
        await waitUntilIdle(page);
      }
    });
  });

  it('a month of the chart says its amounts, and opens its invoices and credit notes, with the same sum', async () => {
    const { acme, open } = await pages.bookkeeper();
    await fill(acme);
    const { overview } = await acme.graphql('{ overview { months { month invoicedGross paid } } }');
    const list = (field: string, date: string, more = '') =>
      `${field}: ${field}(filter: { ${date}: { gte: "${month}-01", lte: "${lastDay}" } ${more} }) { nodes { totalGross } }`;
    const { month, invoicedGross, paid } = overview.months.at(-1);
    const [year, ofYear] = month.split('-').map(Number);
    const lastDay = new Date(Date.UTC(year, ofYear, 0)).toISOString().slice(0, 10);
    const documents = await acme.graphql(
      `{ ${list('invoices', 'invoiceDate', 'status: { neq: DRAFT }')} ${list('creditNotes', 'creditNoteDate')} }`,
    );
    const [invoiced, credited] = [documents.invoices.nodes, documents.creditNotes.nodes];
    expect(credited.length).toBeGreaterThan(1);
    await pages.visit({}, async (page) => {
      await open(page, '/');
      const months = page.getByRole('main').locator('.chart').getByRole('link');
      expect(await months.count()).toBe(12);
      const name = (await months.last().textContent()) ?? '';
      expect(name).toContain(`Invoiced: ${euros(new Decimal(invoicedGross))}, Paid: ${euros(new Decimal(paid))}`);
      await months.last().click();
      const main = page.getByRole('main');
      await main.getByText(`${euros(new Decimal(invoicedGross))}: the invoices of the month`).waitFor();
      const difference = sumOf(invoiced, 'totalGross').minus(sumOf(credited, 'totalGross'));
      expect(euros(difference)).toBe(euros(new Decimal(invoicedGross)));
      await main
        .getByRole('link', { name: `Invoices ${invoiced.length} ${euros(sumOf(invoiced, 'totalGross'))}` })
        .waitFor();
      await expectAccessible(page);
      await main.getByRole('link', { name: /^Credit notes/ }).click();
      await main.getByText(`1 to ${credited.length} of ${credited.length}`, { exact: true }).waitFor();
      await main
        .getByRole('link', {
          name: `Credit notes ${credited.length} ${euros(sumOf(credited, 'totalGross').negated())}`,
        })
        .waitFor();
      await expectAccessible(page);
    });
  });

  it('a month that is mistyped in the address is read as this month', async () => {
    const { open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      const title = async (query: string): Promise<string> => {
        await open(page, `/invoiced${query}`);
        return page.getByRole('heading', { level: 1 }).innerText();
      };
      const thisMonth = await title('');
      for (const mistyped of ['2026-13', '2026-3', 'March', '2026-03-01'])
        expect([mistyped, await title(`?month=${mistyped}`)]).toEqual([mistyped, thisMonth]);
      expect(await title('?month=2025-03')).toBe('Invoiced in Mar 2025');
    });
  });

  it('begins with what is to be done: failing webhooks first, and a month to lock last', async () => {
    const { acme, open } = await pages.bookkeeper();
    await setCompany(acme, company);
    const customerId = await makeCustomer(acme);
    await makeInvoice(acme, { customerId });
    await makeInvoice(acme, { customerId, status: 'ISSUED', dueDate: '2026-03-02', invoiceDate: '2026-03-01' });
    await acme.graphql(
      `mutation { createWebhook(input: { url: "${app.receiver.url}", events: ["export.finished"] }) { webhook { id } } }`,
    );
    await acme.db.webhook.updateMany({ data: { consecutiveFailures: 3 } });
    await acme.graphql(
      'mutation { setPeriodLock(input: { series: ALL, kind: SOFT, lockedUntil: "2026-01-31" }) { lockedUntil } }',
    );
    await app.visit({}, async (page) => {
      await page.clock.setFixedTime(new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 15, 12)));
      await open(page, '/');
      const sections = page.getByRole('main').getByRole('heading', { level: 2 });
      const toDo = page.getByRole('region', { name: 'To do' }).getByRole('listitem');
      await toDo.first().waitFor();
      expect((await sections.allInnerTexts())[0]).toBe('To do');
      const texts = await toDo.allInnerTexts();
      expect(texts.map((text) => text.split('\n')[0])).toEqual([
        '1 failing webhook',
        '1 overdue invoice',
        '1 draft of an invoice',
        expect.stringMatching(/^\w+ \d{4} can be locked$/),
      ]);
      await page.getByText('Invoiced a year before').first().waitFor();
      await expectAccessible(page);
    });
  });

  it('leads to the exact bank matches, which are confirmed together', async () => {
    const { acme, open } = await pages.bookkeeper();
    await makePairs(acme, 2);
    await pages.visit({}, async (page) => {
      await open(page, '/');
      const toDo = page.getByRole('region', { name: 'To do' });
      await toDo.getByRole('link', { name: '2 bank transactions to match' }).waitFor();
      await toDo.getByRole('link', { name: 'Exact bank matches to confirm' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Confirm 2 matches' }).click();
      await expect.poll(() => countUnmatched(acme)).toBe(0);
    });
  });

  it('new books have first steps, and no zeros', async () => {
    const { open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/');
      await page.getByRole('main').getByText('First steps').waitFor();
      expect(await page.getByRole('main').innerText()).not.toMatch(/0\.00|\b0\b/);
    });
  });

  it('a paid invoice of which a refund is owed says so, and not that it is paid', async () => {
    const { acme, open } = await pages.bookkeeper();
    const invoiceId = await makeInvoice(acme, { status: 'PAID' });
    const creditNote = await makeCreditNote(acme, { invoiceId });
    await pages.visit({ viewport: phone }, async (page) => {
      await open(page, `/invoices/${invoiceId}`);
      const main = page.getByRole('main');
      expect(await main.locator('.mantine-Badge-root').allInnerTexts()).toEqual(['Refund due']);
      await expectAccessible(page);
      await open(page, '/invoices');
      await main.getByText('Refund due', { exact: true }).waitFor();
      await main.getByRole('cell', { name: '€119.00 to refund', exact: true }).waitFor();
      await acme.graphql(`mutation { refundCreditNote(id: "${creditNote}") { id } }`);
      await open(page, '/invoices');
      await main.getByRole('table').getByText('Paid', { exact: true }).waitFor();
      expect(await main.getByText('Refund due').count()).toBe(0);
    });
  });
});
