import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buyer, setCompany } from '../documents/parties.ts';
import { item, makeBankTransaction, makeCreditNote, makeCustomer, makeInvoice } from '../graphql/books.ts';
import { expectAccessible, press, startApp, waitUntilIdle, type App } from './app.ts';
import { noBrowser, phone } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

// Credit notes: by lines, by amounts, of all that is left, and of a cancelled invoice; their refunds, and their files.

const items = [
  { ...item, title: 'Design', quantity: '5', unitPriceNet: '80' },
  { ...item, title: 'Book', quantity: '2', unit: 'pcs', unitPriceNet: '10', vatRate: '7' },
];

describe.skipIf(noBrowser)('credit notes', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it('lines are credited, and what is due is shown before and after', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme, { items, status: 'ISSUED' });
    await pages.visit({ viewport: phone }, async (page) => {
      await open(page, `/invoices/${id}`);
      await page.getByRole('link', { name: 'Create credit note' }).click();
      await page.getByRole('radio', { name: 'Lines, in whole or in part' }).click();
      await page.getByRole('button', { name: 'Create credit note' }).click();
      await page.getByText('Must have 1 to 500 items.').waitFor();
      await page.getByRole('checkbox', { name: 'Design' }).click();
      const quantity = page.getByRole('textbox', { name: 'Quantity, Design' });
      expect(await quantity.inputValue()).toBe('5');
      await quantity.fill('6');
      await page.getByText('Must not be more than the 5 left of this line.').waitFor();
      await quantity.fill('2');
      const totals = page.getByRole('table', { name: 'Totals' });
      await totals.getByRole('row', { name: 'Total €190.40' }).waitFor();
      await totals.getByRole('row', { name: 'Due afterwards €307.00' }).waitFor();
      await page.getByRole('textbox', { name: 'Reason' }).fill('Two hours less');
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Create credit note' }).click();
      await page.getByRole('dialog', { name: 'Create a credit note of €190.40?' }).waitFor();
      await page.getByRole('button', { name: 'Cancel' }).last().click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      expect((await acme.rest('GET', '/credit-notes')).body.meta.total).toBe(0);
      await page.getByRole('button', { name: 'Create credit note' }).click();
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: /^Credit note CN-\d{4}-0001$/ }).waitFor();
      await page.getByText('Two hours less').first().waitFor();
      await expectAccessible(page);
      await page.getByRole('link', { name: '2026-0001' }).click();
      await totals.getByRole('row', { name: 'Credited €190.40' }).waitFor();
      await totals.getByRole('row', { name: 'Due €307.00' }).waitFor();
      await page.getByRole('link', { name: /^CN-\d{4}-0001$/ }).waitFor();
      await page.getByRole('link', { name: 'Create credit note' }).click();
      await page.getByRole('radio', { name: 'Lines, in whole or in part' }).click();
      await page.getByRole('checkbox', { name: 'Design' }).click();
      expect(await quantity.inputValue()).toBe('3');
    });
  });

  it('amounts by VAT rate are credited by keyboard alone', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme, { items, status: 'PAID' });
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/${id}`);
      await page.getByRole('link', { name: 'Create credit note' }).focus();
      await press(page, 'Enter');
      await page.getByRole('heading', { level: 1, name: 'New credit note' }).waitFor();
      await waitUntilIdle(page);
      await page.getByRole('radio', { name: 'All that is left' }).focus();
      await press(page, 'ArrowUp'); // to the last one
      await press(page, 'Tab');
      await press(page, 'Space');
      await press(page, 'Tab');
      const net = page.getByRole('textbox', { name: 'Net in EUR, VAT 7%' });
      expect(await net.evaluate((field) => field === document.activeElement)).toBe(true);
      expect(await net.inputValue()).toBe('20.00');
      await net.fill('10');
      const totals = page.getByRole('table', { name: 'Totals' });
      await totals.getByRole('row', { name: 'VAT 7% on €10.00 €0.70' }).waitFor();
      await totals.getByRole('row', { name: 'To refund afterwards €10.70' }).waitFor();
      await expectAccessible(page);
      await net.press('Enter');
      await page.getByRole('dialog', { name: 'Create a credit note of €10.70?' }).waitFor();
      await press(page, 'Enter'); // on its main action
      await page.getByRole('heading', { level: 1, name: /^Credit note/ }).waitFor();
      await totals.getByRole('row', { name: 'To refund €10.70' }).waitFor();
    });
  });

  it('all of an invoice is credited; then nothing is left to credit', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme, { items, status: 'ISSUED' });
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/${id}/credit-note`);
      const totals = page.getByRole('table', { name: 'Totals' });
      await totals.getByRole('row', { name: 'Due afterwards €0.00' }).waitFor();
      await page.getByRole('button', { name: 'Create credit note' }).click();
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: /^Credit note/ }).waitFor();
      await page.getByRole('link', { name: '2026-0001' }).click();
      await totals.getByRole('row', { name: 'Credited €497.40' }).waitFor();
      expect(await page.getByRole('link', { name: 'Create credit note' }).count()).toBe(0);
    });
    expect((await acme.rest('GET', `/invoices/${id}`)).body.data).toMatchObject({ status: 'paid', amount_due: 0 });
  });

  it('a cancelled invoice links the credit note that takes it back, which the search finds', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/${id}`);
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Cancel…' }).click();
      await page.getByText('a credit note takes back all that is left of it').waitFor();
      await page.getByRole('button', { name: 'Cancel the invoice' }).click();
      await page.getByRole('link', { name: /^CN-\d{4}-0001$/ }).waitFor();
      await press(page, '/');
      await page.getByRole('textbox', { name: 'Search everything' }).fill('CN-');
      await page.getByRole('option', { name: /^CN-\d{4}-0001/ }).click();
      await page.getByRole('heading', { level: 1, name: /^Credit note CN-/ }).waitFor();
      await page.getByText('The invoice was cancelled').waitFor();
    });
  });

  it('a refund is recorded and undone', async () => {
    const { acme, open } = await pages.bookkeeper();
    const invoiceId = await makeInvoice(acme, { status: 'PAID' });
    const id = await makeCreditNote(acme, { invoiceId });
    const refunded = async () => (await acme.rest('GET', `/credit-notes/${id}`)).body.data.amount_refunded;
    await pages.visit({ viewport: phone }, async (page) => {
      await open(page, `/credit-notes/${id}`);
      const record = page.getByRole('button', { name: 'Record a refund' });
      await record.click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('€119.00 is to be refunded').waitFor();
      await dialog.getByLabel(/Amount in EUR/).fill('100');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Record the refund' }).click();
      const totals = page.getByRole('table', { name: 'Totals' });
      await totals.getByRole('row', { name: 'Refunded €100.00' }).waitFor();
      await totals.getByRole('row', { name: 'To refund €19.00' }).waitFor();
      await page.getByText(/^Refund of €100\.00 on /).waitFor();
      expect(await refunded()).toBe(100);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('€100.00 is to be refunded again.').waitFor();
      await page.getByRole('dialog').getByLabel('Reason').fill('The wrong account');
      await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
      await totals.getByRole('row', { name: 'To refund €119.00' }).waitFor();
      expect(await refunded()).toBe(0);
    });
  });

  it('money out is matched with credit notes: found by number, and suggested', async () => {
    const { acme, open } = await pages.bookkeeper();
    const invoiceId = await makeInvoice(acme, { status: 'PAID' });
    const id = await makeCreditNote(acme, { invoiceId });
    const { number } = (await acme.rest('GET', `/credit-notes/${id}`)).body.data;
    const amount = '-119';
    const transaction = await makeBankTransaction(acme, { amount, amountOpen: amount, reference: `Refund ${number}` });
    await pages.visit({}, async (page) => {
      await open(page, `/bank-transactions/${transaction}`);
      await page.getByRole('button', { name: 'Match manually' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('combobox', { name: 'Add a receipt or credit note' }).fill(number);
      await page.getByRole('option', { name: new RegExp(`^Credit note ${number} · Globex · €119\\.00 due`) }).click();
      await dialog.getByLabel(/^Amount in EUR/).fill('19');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Match', exact: true }).click();
      await page.getByRole('button', { name: `Undo the match with Credit note ${number}` }).waitFor();
      await page.getByRole('button', { name: `Confirm Credit note ${number}` }).click();
      await page.getByText(`Matched with Credit note ${number}.`).waitFor();
    });
    const { data } = (await acme.rest('GET', `/credit-notes/${id}`)).body;
    expect(data).toMatchObject({ amount_refunded: 119, amount_due: 0 });
  });

  it('its PDF and its e-invoice are saved', async () => {
    const { acme, open } = await pages.bookkeeper();
    await setCompany(acme);
    const invoiceId = await makeInvoice(acme, { customerId: await makeCustomer(acme, buyer), status: 'ISSUED' });
    const id = await makeCreditNote(acme, { invoiceId });
    const { number } = (await acme.rest('GET', `/credit-notes/${id}`)).body.data;
    await pages.visit({ acceptDownloads: true }, async (page) => {
      await open(page, `/credit-notes/${id}`);
      const save = async (button: string): Promise<string> => {
        const waiting = page.waitForEvent('download');
        await page.getByRole('button', { name: button }).click();
        return (await waiting).suggestedFilename();
      };
      expect(await save('Download PDF')).toBe(`${number}.pdf`);
      expect(await save('Download e-invoice')).toBe(`${number}-xrechnung-cii.xml`);
    });
  });
});
