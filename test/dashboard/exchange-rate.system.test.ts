import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, startApp, type App } from './app.ts';
import { noBrowser, phone } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

describe.skipIf(noBrowser)('an invoice in foreign money', { timeout: 120_000 }, () => {
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
  ])('has a rate with its day and source, which the form asks for: %s', async (_, options) => {
    const { acme, open } = await pages.bookkeeper();
    await acme.graphql('mutation { updateCompany(input: { legalName: "Acme GmbH", country: "DE" }) { id } }');
    const customer = await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Globex' });
    await pages.visit(options, async (page) => {
      await open(page, `/invoices/new?customer=${customer.body.data.id}`);
      const rate = page.getByRole('textbox', { name: /^Exchange rate/ });
      expect(await rate.count()).toBe(0);
      await page.getByRole('combobox', { name: 'Currency' }).fill('US Dollar');
      await page.keyboard.press('Enter');
      await rate.fill('0.92');
      await page.getByLabel('Day of the rate').fill('2026-01-30');
      await page.getByRole('textbox', { name: /^Source of the rate/ }).fill('ECB');
      await page.getByRole('textbox', { name: /^Title/ }).fill('Layout');
      await page.getByRole('textbox', { name: /^Unit price/ }).fill('100');
      await page.getByRole('textbox', { name: /^VAT/ }).fill('19');
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByRole('heading', { level: 1, name: 'Draft', exact: true }).waitFor();
      await page.getByText('0.92, Jan 30, 2026, ECB').waitFor();
      const { invoices } = await acme.graphql('{ invoices { nodes { currency exchangeRate exchangeRateDate } } }');
      expect(invoices.nodes).toEqual([{ currency: 'USD', exchangeRate: '0.92', exchangeRateDate: '2026-01-30' }]);
      // Editing keeps it.
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await expect.poll(() => rate.inputValue()).toBe('0.92');
    });
  });
});
