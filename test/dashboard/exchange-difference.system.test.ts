import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, startApp, type App } from './app.ts';
import { noBrowser, phone } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

describe.skipIf(noBrowser)('a payment in foreign money', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it.each([
    ['desktop', {}],
    ['phone', { viewport: phone }],
  ])('takes a rate of its day, and shows what it gained: %s', async (_, options) => {
    const { acme, open } = await pages.bookkeeper();
    const customer = await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Globex' });
    const invoice = await acme.rest('POST', '/invoices', {
      customer_id: customer.body.data.id,
      invoice_date: '2026-01-31',
      status: 'issued',
      items: [{ title: 'Layout', quantity: 1, unit_price_net: 100, vat_rate: 0 }],
      currency: 'USD',
      exchange_rate: 0.9,
      exchange_rate_date: '2026-01-30',
    });
    const { id, number } = invoice.body.data;
    await pages.visit(options, async (page) => {
      await open(page, `/invoices/${id}`);
      await page.getByRole('button', { name: 'Record a payment' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: /^Amount/ }).fill('60');
      await dialog.getByRole('textbox', { name: /^Exchange rate of that day/ }).fill('0.95');
      await dialog.getByLabel('Paid on').fill('2026-02-10');
      await dialog.getByText('EUR for 1 USD').waitFor();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Record the payment' }).click();
      await page.getByText('Exchange gain: €3.00').waitFor();
      const { status } = await acme.rest('POST', `/invoices/${id}/payments`, {
        exchange_rate: 0.85,
        paid_on: '2026-02-11',
      });
      expect(status).toBe(200);

      await open(page, '/payments');
      await page.getByText('Exchange gain: €3.00').waitFor();
      await page.getByText('Exchange loss: €2.00').waitFor();

      await open(page, '/reports/profit-and-loss?from=2026-01-01&to=2026-12-31');
      for (const figure of ['Exchange gains', 'Exchange losses']) await page.getByText(figure).first().waitFor();
      await page.getByText('€91.00').first().waitFor();
      await expectAccessible(page);
      await page.getByRole('link', { name: '€3.00' }).first().click();
      await page.getByText(/^Exchange gains, /).waitFor();
      await page.getByRole('link', { name: `Adjustments of invoice ${number}` }).waitFor();
    });
  });
});
