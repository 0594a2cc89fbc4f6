import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationName, signedInBookkeeper, startApp, type App } from './app.ts';
import { noBrowser } from './browser.ts';

describe.skipIf(noBrowser)('pages are live', { timeout: 120_000 }, () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.close());

  it('a list shows what others add, and the overview counts it', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    const add = (name: string) => acme.rest('POST', '/customers', { type: 'customer', company_name: name });
    await add('Nordlicht Verlag');
    await app.visit({}, async (page) => {
      await open(page, '/customers');
      await page.getByText('Nordlicht Verlag').waitFor();
      const { body } = await add('Globex');
      await page.getByText('Globex').waitFor();
      await open(page, '/');
      expect(await page.getByText('1 draft of an invoice').count()).toBe(0);
      await acme.rest('POST', '/invoices', {
        customer_id: body.data.id,
        invoice_date: '2026-01-31',
        items: [{ title: 'Layout', quantity: 1, unit_price_net: 85, vat_rate: 19 }],
      });
      await page.getByText('1 draft of an invoice').waitFor();
    });
  });

  it('unsaved input stays, and the page is fetched again once it is saved', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    await acme.graphql('mutation { updateCompany(input: { legalName: "Acme GmbH" }) { id } }');
    await app.visit({}, async (page) => {
      await open(page, '/settings/company');
      const city = page.getByLabel('City');
      await city.fill('Kiel');
      const fetched: string[] = [];
      page.on('request', (request) => {
        if (operationName(request) === 'Company') fetched.push('Company');
      });
      await acme.graphql('mutation { updateCompany(input: { postalCode: "24103" }) { id } }');
      await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Globex' });
      await page.waitForTimeout(7000);
      expect(await city.inputValue()).toBe('Kiel');
      expect(fetched).toEqual([]);
      // Saving merges what was changed elsewhere; then the page follows again.
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Not saved yet: changed elsewhere').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => page.getByLabel('Postal code').inputValue()).toBe('24103');
      expect(await city.inputValue()).toBe('Kiel');
    });
  });

  it('a thousand changes cost a page few requests', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    await app.visit({}, async (page) => {
      await open(page, '/customers');
      const times: number[] = [];
      page.on('request', (request) => {
        if (operationName(request) === 'Customers') times.push(performance.now());
      });
      for (let batch = 0; batch < 10; batch++) {
        const items = Array.from({ length: 100 }, (_, at) => ({ type: 'customer', company_name: `C ${batch} ${at}` }));
        await acme.rest('POST', '/customers/batch', { items });
      }
      await page.getByText('of 1,000').waitFor();
      const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThan(4000);
    });
  });
});
