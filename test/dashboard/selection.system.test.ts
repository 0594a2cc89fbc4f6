import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buyer, company, setCompany } from '../documents/parties.ts';
import { readCsv } from '../exports/exports.ts';
import {
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import type { Integrator } from '../harness.ts';
import { expectAccessible, press, startApp, waitUntilIdle, type App } from './app.ts';
import { noBrowser } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

// Rows of a list are selected, and something is done with all of them; the keys that do so are listed under `?`.

const wide = { viewport: { width: 1440, height: 900 } };

/** Drafts to a customer who lacks nothing, of these days. */
async function makeDrafts(acme: Integrator, days: string[]): Promise<string[]> {
  const customerId = await makeCustomer(acme, buyer);
  const ids: string[] = [];
  for (const day of days)
    ids.push(await makeInvoice(acme, { customerId, invoiceDate: day, deliveryDate: day, dueDate: '2999-12-31' }));
  return ids;
}

const selected = (page: Page) => page.getByRole('region', { name: 'Selection' });

/** The text of the row that has the focus. */
const focusedRow = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.closest('tbody tr')?.textContent ?? 'none');

describe.skipIf(noBrowser)('selected rows', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it('are issued and paid by keyboard; those that can’t be are named, and stay selected', async () => {
    const { acme, open } = await pages.bookkeeper();
    await setCompany(acme, company);
    const [later = '', earlier = ''] = await makeDrafts(acme, ['2026-03-03', '2026-03-02']);
    const strict = { ...buyer, companyName: 'Strict', buyerReference: null, requiredEInvoice: 'XRECHNUNG_CII' };
    const refused = await makeInvoice(acme, {
      customerId: await makeCustomer(acme, strict),
      invoiceDate: '2026-03-04',
      deliveryDate: '2026-03-04',
    });
    await makeInvoice(acme, { invoiceDate: '2026-03-01' }); // of a customer without an address
    await pages.visit(wide, async (page) => {
      await open(page, '/invoices');
      await press(page, 'j');
      expect(await focusedRow(page)).toContain('Strict');
      await press(page, 'ArrowDown');
      expect(await focusedRow(page)).toContain('Mar 3, 2026');
      await press(page, 'x');
      await selected(page).getByText('1 selected').waitFor();
      await page.getByRole('checkbox', { name: /^Select Draft .*Globex/ }).click({ modifiers: ['Shift'] });
      await selected(page).getByText('3 selected').waitFor();
      await selected(page).getByText('€357.00').waitFor();
      await press(page, 'Shift+X');
      await selected(page).getByText('4 selected').waitFor();
      await expectAccessible(page);

      await press(page, 'a');
      await press(page, 'Enter');
      const dialog = page.getByRole('dialog', { name: 'Issue the invoices?' });
      await dialog.getByText('3 invoices will be issued. €357.00').waitFor();
      const left = dialog.getByRole('list', { name: 'Left as they are' }).getByRole('listitem');
      expect(await left.allTextContents()).toEqual([expect.stringMatching(/^Draft .*Globex: .*address/)]);
      await expectAccessible(page);
      await press(page, 'Enter');
      await dialog.getByText('2 invoices are issued. 2 are left as they are:').waitFor();
      await expect
        .poll(() => left.allTextContents())
        .toEqual([expect.stringMatching(/^Draft .*Strict: /), expect.stringMatching(/^Draft .*Globex: /)]);
      expect(await left.getByRole('link').first().getAttribute('href')).toContain(`/invoices/${refused}`);
      await expectAccessible(page);
      await press(page, 'Escape');
      await dialog.waitFor({ state: 'detached' });
      // The Escape that closes a dialog keeps the selection.
      await selected(page).getByText('2 selected').waitFor();
      await press(page, 'Escape');
      await selected(page).waitFor({ state: 'detached' });
      const numberOf = async (id: string) => (await acme.rest('GET', `/invoices/${id}`)).body.data.number;
      expect([await numberOf(earlier), await numberOf(later)]).toEqual(['2026-0001', '2026-0002']);

      await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
      await selected(page).getByRole('button', { name: 'Mark as paid (2)' }).click();
      const paying = page.getByRole('dialog', { name: 'Mark the invoices as paid?' });
      await paying.getByText('2 invoices will be marked as paid. €238.00').waitFor();
      await paying.getByLabel('Paid on').fill('2026-03-20');
      await press(page, 'Enter');
      await paying.getByText('2 invoices are paid. 2 are left as they are:').waitFor();
      await press(page, 'Escape');
      const { body } = await acme.rest('GET', `/invoices/${earlier}`);
      expect([body.data.status, body.data.amount_paid]).toEqual(['paid', 119]);
    });
  });

  it('stay selected when the list is fetched again, as long as they are in it, and no longer on another page', async () => {
    const { acme, open } = await pages.bookkeeper();
    const [first = ''] = await makeDrafts(acme, ['2026-03-03', '2026-03-02']);
    await pages.visit(wide, async (page) => {
      await open(page, '/invoices');
      await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
      await selected(page).getByText('2 selected').waitFor();
      await acme.graphql('mutation ($id: UUID!) { deleteInvoice(id: $id) { id } }', { id: first });
      await selected(page).getByText('1 selected').waitFor();
      await page
        .getByRole('navigation', { name: 'Invoices by state' })
        .getByRole('link', { name: /^Drafts/ })
        .click();
      await selected(page).waitFor({ state: 'detached' });
      await press(page, 'j');
      await press(page, 'x');
      await selected(page).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByText('1 draft will be deleted.').waitFor();
      await press(page, 'Enter'); // the first focus is on what deletes nothing
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await selected(page).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('1 draft is deleted.').waitFor();
      await page.getByText('No invoices match').waitFor();
    });
  });

  it('are booked by touch on a phone', async () => {
    const { acme, open } = await pages.bookkeeper();
    for (const day of ['2026-03-01', '2026-03-02', '2026-03-03']) await makeReceipt(acme, { receiptDate: day });
    const size = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    await pages.visit(size, async (page) => {
      await open(page, '/receipts');
      expect(await page.getByRole('checkbox').count()).toBe(0);
      await page.getByRole('button', { name: 'Select', exact: true }).tap();
      const tapRow = async (day: string) => {
        const { x = 0, y = 0 } = (await page.getByText(day).boundingBox()) ?? {};
        await page.touchscreen.tap(x, y);
      };
      for (const day of ['Mar 3, 2026', 'Mar 1, 2026']) await tapRow(day);
      await selected(page).getByText('2 selected').waitFor();
      await selected(page).getByText('€238.00').waitFor();
      await expectAccessible(page);
      await selected(page).getByRole('button', { name: 'Book' }).tap();
      await page.getByRole('dialog').getByText('2 receipts will be booked. €238.00').waitFor();
      await expectAccessible(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Book' }).tap();
      await page.getByText('2 receipts are booked.').waitFor();
      await selected(page).waitFor({ state: 'detached' });
      await tapRow('Mar 2, 2026'); // opens the row again
      await page.getByRole('heading', { level: 1, name: /^Receipt/ }).waitFor();
    });
    const { body } = await acme.rest('GET', '/receipts');
    const booked = body.data.filter(({ status }: { status: string }) => status === 'booked');
    expect(booked.map((row: { receipt_date: string }) => row.receipt_date).toSorted()).toEqual([
      '2026-03-01',
      '2026-03-03',
    ]);
  });

  it('are exported, and no others', async () => {
    const { acme, open } = await pages.bookkeeper();
    const [, second = '', third = ''] = await makeDrafts(acme, ['2026-03-01', '2026-03-02', '2026-03-03']);
    await pages.visit(wide, async (page) => {
      await open(page, '/invoices');
      for (const key of ['j', 'x', 'j', 'x', 'a']) await press(page, key);
      await page.getByRole('button', { name: 'Export', exact: true }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Export the selection' });
      await dialog.getByText('2 rows will be exported. €238.00').waitFor();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Export' }).press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Exports' }).waitFor();
      await page.getByText('Invoices, 2 selected, CSV').waitFor();
      const saving = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download invoices-selection.csv' }).click();
      const rows = readCsv(await readFile(await (await saving).path()));
      expect(rows.map(({ id }) => id)).toEqual([second, third]);
      await expectAccessible(page);
    });
  });

  it('of credit notes are refunded, and of projects deleted, as far as their states allow it', async () => {
    const { acme, open } = await pages.bookkeeper();
    for (const status of ['PAID', 'PAID', 'ISSUED'])
      await makeCreditNote(acme, { invoiceId: await makeInvoice(acme, { status }) });
    await makeProject(acme, { name: 'Empty' });
    await makeTimeEntry(acme, { projectId: await makeProject(acme, { name: 'Tracked' }) });
    await pages.visit(wide, async (page) => {
      await open(page, '/credit-notes');
      await press(page, 'Shift+X');
      await selected(page).getByText('3 selected').waitFor();
      await selected(page).getByRole('button', { name: 'Export', exact: true }).waitFor();
      await selected(page).getByRole('button', { name: 'Mark as refunded (2)' }).click();
      const dialog = page.getByRole('dialog', { name: 'Mark the credit notes as refunded?' });
      await dialog.getByText('2 credit notes will be marked as refunded. €238.00').waitFor();
      await expectAccessible(page);
      await press(page, 'Enter');
      await dialog.getByText('2 credit notes are refunded. 1 is left as it is:').waitFor();
      await press(page, 'Escape');

      await open(page, '/projects');
      await press(page, 'Shift+X');
      await selected(page).getByRole('button', { name: 'Export', exact: true }).waitFor();
      await selected(page).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByText('2 projects will be deleted. 1 h').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByText('1 project is deleted. 1 is left as it is:').waitFor();
      await expectAccessible(page);
    });
    const { body } = await acme.rest('GET', '/credit-notes');
    expect(body.data.map((row: { amount_refunded: number }) => row.amount_refunded).toSorted()).toEqual([0, 119, 119]);
  });

  it('of bank transactions are ignored and back, and of payments undone with one reason', async () => {
    const { acme, open } = await pages.bookkeeper();
    for (const matchStatus of ['UNMATCHED', 'UNMATCHED', 'MATCHED']) await makeBankTransaction(acme, { matchStatus });
    const [byHand = '', byBank = ''] = [
      await makeInvoice(acme, { status: 'ISSUED' }),
      await makeInvoice(acme, { status: 'ISSUED' }),
    ];
    await acme.graphql(`mutation { payInvoice(id: "${byHand}") { id } }`);
    const transaction = await makeBankTransaction(acme, { amount: '119' });
    await acme.graphql(
      `mutation { matchBankTransaction(id: "${transaction}", matches: [{ type: INVOICE, id: "${byBank}" }]) { id } }`,
    );
    const countIgnored = async (): Promise<number> =>
      (await acme.rest('GET', '/bank-transactions?match_status=ignored')).body.data.length;
    await pages.visit(wide, async (page) => {
      const dialog = page.getByRole('dialog');
      await open(page, '/bank-transactions');
      await press(page, 'Shift+X');
      await selected(page).getByText('4 selected').waitFor();
      await selected(page).getByRole('button', { name: 'Export', exact: true }).waitFor();
      await selected(page).getByRole('button', { name: 'Ignore (2)' }).click();
      await dialog.getByText('2 transactions will be ignored.').waitFor();
      await expectAccessible(page);
      await press(page, 'Enter');
      await dialog.getByText('2 transactions are ignored. 2 are left as they are:').waitFor();
      expect(await countIgnored()).toBe(2);
      await press(page, 'Escape');
      await press(page, 'Shift+X');
      await selected(page).getByRole('button', { name: 'Stop ignoring (2)' }).click();
      await press(page, 'Enter');
      await dialog.getByText('2 transactions are no longer ignored. 2 are left as they are:').waitFor();
      expect(await countIgnored()).toBe(0);

      await open(page, '/payments');
      await press(page, 'Shift+X');
      await selected(page).getByText('2 selected').waitFor();
      await selected(page).getByRole('button', { name: 'Undo (1)' }).click();
      await dialog.getByText('1 payment will be undone. €119.00').waitFor();
      await expectAccessible(page);
      await press(page, 'Enter'); // without a reason
      await dialog.getByLabel('Reason').fill('A wrong customer');
      await press(page, 'Enter');
      await dialog.getByText('1 payment is undone. 1 is left as it is:').waitFor();
      await expectAccessible(page);
    });
    const read = async (id: string) => (await acme.rest('GET', `/invoices/${id}`)).body.data.status;
    expect([await read(byHand), await read(byBank)]).toEqual(['issued', 'paid']);
    const { payments } = await acme.graphql(
      '{ payments(filter: { reason: { eq: "A wrong customer" } }) { nodes { amount } } }',
    );
    expect(payments.nodes.map((row: { amount: string }) => row.amount).toSorted()).toEqual(['-119', '119']);
  });

  it('have German names, as the keys have', async () => {
    const { acme, open } = await pages.bookkeeper();
    await makeCustomer(acme, { companyName: 'Ohne Rechnung' });
    const customerId = await makeCustomer(acme, { companyName: 'Mit Rechnung' });
    await makeInvoice(acme, { customerId });
    await pages.visit({ ...wide, locale: 'de-DE', colorScheme: 'dark' }, async (page) => {
      await open(page, '/customers');
      await press(page, 'Shift+X');
      await page.getByRole('region', { name: 'Auswahl' }).getByText('2 ausgewählt').waitFor();
      await page.getByRole('button', { name: 'Löschen' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Löschen' }).click();
      await page.getByText('Ein Kunde oder Lieferant ist gelöscht. Eines bleibt, wie es ist:').waitFor();
      expect(await page.getByRole('list', { name: 'Unverändert' }).textContent()).toMatch(/^Mit Rechnung: .*Rechnung/);
      await press(page, 'Escape');
      await press(page, '?');
      await page.getByRole('dialog', { name: 'Tastenkürzel' }).getByText('Zeile auswählen oder abwählen').waitFor();
      await expectAccessible(page);
    });
  });

  it('and their keys are listed under ?, and can be switched off', async () => {
    const { open } = await pages.bookkeeper();
    await pages.visit(wide, async (page) => {
      await open(page, '/');
      await press(page, 'g');
      await press(page, 'c');
      await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
      await page.getByLabel('Search customers').press('?');
      expect(await page.getByLabel('Search customers').inputValue()).toBe('?');
      await page.getByRole('heading', { level: 1 }).focus();
      await press(page, '?');
      const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await dialog.getByText('Add a customer').waitFor();
      expect(await dialog.getByText('New invoice').count()).toBe(0); // its key adds a customer here
      await dialog.getByText('Go to the actions of the selection').waitFor();
      await expectAccessible(page);
      await press(page, 'n'); // not behind the dialog
      await dialog.getByLabel('Shortcuts of single keys').uncheck();
      await press(page, 'Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await page.getByRole('dialog').count()).toBe(0);
      await press(page, 'n');
      await press(page, '?');
      await press(page, 'Control+k');
      await page.getByRole('dialog', { name: 'Search everything' }).waitFor();
      expect(await page.getByRole('dialog').count()).toBe(1);
      await press(page, 'Escape');
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
      await dialog.getByLabel('Shortcuts of single keys').check();
      await press(page, 'Escape');
      await waitUntilIdle(page);
      await press(page, 'n');
      await page.getByRole('dialog', { name: 'Add a customer' }).waitFor();
    });
  });
});
