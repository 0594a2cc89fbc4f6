import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { item, makeInvoice } from '../graphql/books.ts';
import { expectAccessible, press, signedInBookkeeper, startApp, waitUntilIdle, type App } from './app.ts';
import { noBrowser, phone } from './browser.ts';

// Credit notes: by lines, by amounts, of all that is left, and of a cancelled invoice.

const items = [
  { ...item, title: 'Design', quantity: '5', unitPriceNet: '80' },
  { ...item, title: 'Book', quantity: '2', unit: 'pcs', unitPriceNet: '10', vatRate: '7' },
];

describe.skipIf(noBrowser)('credit notes', { timeout: 120_000 }, () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.close());

  it('lines are credited, and what is due is shown before and after', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    const id = await makeInvoice(acme, { items, status: 'ISSUED' });
    await app.visit({ viewport: phone }, async (page) => {
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
    const { acme, open } = await signedInBookkeeper(app);
    const id = await makeInvoice(acme, { items, status: 'PAID' });
    await app.visit({}, async (page) => {
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
      await page.getByRole('heading', { level: 1, name: /^Credit note/ }).waitFor();
      await totals.getByRole('row', { name: 'To refund €10.70' }).waitFor();
    });
  });

  it('all of an invoice is credited; then nothing is left to credit', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    const id = await makeInvoice(acme, { items, status: 'ISSUED' });
    await app.visit({}, async (page) => {
      await open(page, `/invoices/${id}/credit-note`);
      const totals = page.getByRole('table', { name: 'Totals' });
      await totals.getByRole('row', { name: 'Due afterwards €0.00' }).waitFor();
      await page.getByRole('button', { name: 'Create credit note' }).click();
      await page.getByRole('link', { name: '2026-0001' }).click();
      await totals.getByRole('row', { name: 'Credited €497.40' }).waitFor();
      expect(await page.getByRole('link', { name: 'Create credit note' }).count()).toBe(0);
    });
    expect((await acme.rest('GET', `/invoices/${id}`)).body.data).toMatchObject({ status: 'paid', amount_due: 0 });
  });

  it('a cancelled invoice links the credit note that takes it back, which the search finds', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    await app.visit({}, async (page) => {
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
});
