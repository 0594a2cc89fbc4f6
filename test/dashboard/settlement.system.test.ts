import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCustomer, makeInvoice, makePayment, makeReceipt } from '../graphql/books.ts';
import { makePdf, png } from '../attachments/files.ts';
import { expectAccessible, startApp, type App, press } from './app.ts';
import { desktop, noBrowser, phone } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

// Receipts of several lines with their files, suppliers' credits, and payments that settle the rest.

const longPoll = { timeout: 10_000 };

describe.skipIf(noBrowser)('receipts and what settles documents', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it.each([
    ['a desktop', desktop],
    ['a phone', phone],
  ])('a receipt of two rates is typed by keyboard, gets its files, and is booked: on %s', async (_name, viewport) => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({ viewport }, async (page) => {
      await open(page, '/receipts');
      await page.getByRole('button', { name: 'Add a receipt' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Number').fill('R-2026-7');
      await dialog.getByLabel('Amount, gross').fill('119');
      await dialog.getByLabel('VAT, %').fill('19');
      await dialog.getByRole('button', { name: 'Add a line' }).click();
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), longPoll)
        .toBe('Description, line 2');
      await page.keyboard.type('Books');
      await page.keyboard.press('Tab');
      await page.keyboard.type('10.70');
      await page.keyboard.press('Tab');
      await page.keyboard.type('7');
      await dialog.getByRole('button', { name: 'More, line 2' }).click();
      await dialog.getByLabel('Account, line 2').fill('4940');
      await dialog.getByLabel('Deductible, per cent, line 2').fill('50');
      await expectAccessible(page);
      await dialog.getByRole('switch', { name: 'Book it now' }).uncheck();
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Receipt R-2026-7' }).waitFor();
      const lines = page.getByRole('region', { name: 'Lines' });
      await lines.getByText('Account 4940').waitFor();

      const input = page.locator('input[type=file]').first();
      await input.setInputFiles({ name: 'receipt.pdf', mimeType: 'application/pdf', buffer: makePdf() });
      await page.getByText('receipt.pdf is attached.').waitFor();
      await input.setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: png });
      await page.getByText('photo.png is attached.').waitFor();
      await input.setInputFiles({ name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<html></html>') });
      await page.getByText('page.html is none of these: PDF, JPEG, PNG, WEBP, XML.').waitFor();
      await page.getByRole('button', { name: 'Remove photo.png' }).waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Book' }).click();
      await page.getByText('The receipt is booked.').waitFor();
      await expect.poll(() => page.getByRole('button', { name: /^Remove/ }).count(), longPoll).toBe(0);
      await expectAccessible(page);
    });
    const [receipt] = (await acme.rest('GET', '/receipts')).body.data;
    expect(receipt).toMatchObject({
      status: 'booked',
      amount_gross: 129.7,
      lines: [
        { vat_rate: 19, amount_gross: 119, vat_amount: 19 },
        {
          vat_rate: 7,
          amount_gross: 10.7,
          vat_amount: 0.7,
          description: 'Books',
          account: '4940',
          deductible_percent: 50,
        },
      ],
    });
    const files = (await acme.rest('GET', `/receipts/${receipt.id}/attachments`)).body.data;
    expect(files.map(({ filename }: { filename: string }) => filename)).toEqual(['receipt.pdf', 'photo.png']);
  });

  it.each([
    ['a desktop', desktop],
    ['a phone', phone],
  ])(
    'a payment settles the rest as a discount, and more than is due becomes credit: on %s',
    async (_name, viewport) => {
      const { acme, open } = await pages.bookkeeper();
      const customerId = await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
      const [first, second] = [
        await makeInvoice(acme, { customerId, status: 'ISSUED' }),
        await makeInvoice(acme, { customerId, status: 'ISSUED' }),
      ];
      await pages.visit({ viewport }, async (page) => {
        await open(page, `/invoices/${first}`);
        await page.getByRole('button', { name: 'Record a payment' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Amount').fill('115.43');
        await dialog.getByRole('combobox', { name: /^The rest/ }).click();
        await page.getByRole('option', { name: 'Deducted as a cash discount' }).click();
        await expectAccessible(page);
        await dialog.getByRole('button', { name: 'Record' }).click();
        await page.getByRole('main').getByText('Paid', { exact: true }).first().waitFor();
        await page.getByText('Cash discount').first().waitFor();
        await expectAccessible(page);

        await open(page, `/invoices/${second}`);
        await page.getByRole('button', { name: 'Record a payment' }).click();
        await dialog.getByLabel('Amount').fill('150');
        await dialog.getByRole('combobox', { name: /^More than is due/ }).click();
        await page.getByRole('option', { name: /credit/ }).click();
        await dialog.getByRole('button', { name: 'Record' }).click();
        await page.getByRole('main').getByText('Paid', { exact: true }).first().waitFor();

        await open(page, `/customers/${customerId}`);
        await page.getByRole('heading', { name: 'Credit', exact: true }).waitFor();
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Refund the credit in EUR' }).click();
        await dialog.getByRole('button', { name: /^Record/ }).click();
        await page.getByText('The refund is recorded.').waitFor();
        await expect.poll(() => page.getByRole('heading', { name: 'Credit', exact: true }).count(), longPoll).toBe(0);
      });
      const invoice = async (id: string) => (await acme.rest('GET', `/invoices/${id}`)).body.data;
      expect(await invoice(first)).toMatchObject({ status: 'paid', amount_paid: 115.43, amount_adjusted: 3.57 });
      expect(await invoice(second)).toMatchObject({ status: 'paid', amount_paid: 119 });
      expect((await acme.rest('GET', `/customers/${customerId}/credit`)).body.data.items).toEqual([]);
    },
  );

  it('a supplier’s credit takes back every line of its receipt, and has no adjustments', async () => {
    const { acme, open } = await pages.bookkeeper();
    const { body: made } = await acme.rest('POST', '/receipts', {
      receipt_date: '2026-03-02',
      lines: [
        { description: 'Paper', amount_gross: 119, vat_rate: 19 },
        { description: 'Books', amount_gross: 10.7, vat_rate: 7 },
        { description: 'Abroad', amount_gross: 100, vat_rate: 19, vat_category: 'AE' },
      ],
    });
    await acme.rest('POST', `/receipts/${made.data.id}/book`);
    await pages.visit({}, async (page) => {
      await open(page, `/receipts/${made.data.id}`);
      await page.getByRole('button', { name: 'Add a credit' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Number').fill('C-2');
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Credit C-2' }).waitFor();
      await page.getByRole('button', { name: 'Record a payment' }).click();
      await dialog.getByLabel('Amount').fill('1');
      await press(page, 'Tab');
      expect(await dialog.getByRole('combobox', { name: /^The rest/ }).count()).toBe(0);
    });
    const [credit] = (await acme.rest('GET', '/receipts')).body.data;
    expect(credit).toMatchObject({ credited_receipt_id: made.data.id, amount_gross: -229.7 });
    expect(credit.lines).toMatchObject([
      { amount_gross: -119, vat_amount: -19, vat_category: 'S' },
      { amount_gross: -10.7, vat_amount: -0.7, vat_category: 'S' },
      { amount_gross: -100, vat_amount: 0, vat_category: 'AE' },
    ]);
  });

  it('an invoice whose payment was undone can be cancelled', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    await makePayment(acme, id, '19');
    const [payment] = (await acme.rest('GET', `/payments?invoice_id=${id}`)).body.data;
    await acme.rest('POST', `/payments/${payment.id}/reverse`);
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/${id}`);
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Cancel…' }).click();
      await page.getByRole('button', { name: 'Cancel the invoice' }).click();
      await page.getByText(/ is cancelled\.$/).waitFor();
    });
    expect((await acme.rest('GET', `/invoices/${id}`)).body.data.status).toBe('cancelled');
  });

  it('a supplier’s credit is entered beside the receipt, and a write-off asks for its reason', async () => {
    const { acme, open } = await pages.bookkeeper();
    const supplierId = await makeCustomer(acme, { companyName: 'Papier Union GmbH', type: 'SUPPLIER' });
    const id = await makeReceipt(acme, { supplierId, status: 'BOOKED', receiptNumber: 'R-9' });
    await pages.visit({}, async (page) => {
      await open(page, `/receipts/${id}`);
      await page.getByRole('button', { name: 'Add a credit' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Number').fill('C-1');
      await dialog.getByLabel('Amount, gross').fill('-11.90');
      await dialog.getByLabel('VAT, %').fill('19');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Credit C-1' }).waitFor();
      await expectAccessible(page);
      await open(page, `/receipts/${id}`);
      await page.getByRole('button', { name: 'Record a payment' }).click();
      await dialog.getByLabel('Amount').fill('118');
      await dialog.getByRole('combobox', { name: /^The rest/ }).click();
      await page.getByRole('option', { name: 'Write it off' }).click();
      await press(page, 'Tab');
      await dialog.getByLabel('Reason').fill('Too little to ask for');
      await dialog.getByRole('button', { name: 'Record' }).click();
      await page.getByRole('main').getByText('Paid', { exact: true }).first().waitFor();
    });
    const { body } = await acme.rest('GET', '/payments?kind=write_off');
    expect(body.data).toMatchObject([{ receipt_id: id, amount: 1, reason: 'Too little to ask for' }]);
    const [credit] = (await acme.rest('GET', '/receipts')).body.data;
    expect(credit).toMatchObject({ credited_receipt_id: id, amount_gross: -11.9, vat_amount: -1.9, status: 'booked' });
  });
});
