import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buyer, company, setCompany } from '../documents/parties.ts';
import { item, makeCreditNote, makeCustomer, makeInvoice } from '../graphql/books.ts';
import { expectAccessible, operationName, signedInBookkeeper, startApp, waitUntilIdle, type App } from './app.ts';
import { launch, noBrowser, noPdfViewer, visit } from './browser.ts';

// An invoice's page begins with what is due, has the PDF beside it, and says who did what.

describe.skipIf(noBrowser)('an invoice’s page', { timeout: 120_000 }, () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.close());

  it.skipIf(noPdfViewer)('says what is overdue, beside the PDF, and who issued it', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    await setCompany(acme, company);
    const customerId = await makeCustomer(acme, buyer);
    const id = await makeInvoice(acme, {
      customerId,
      dueDate: '2026-03-02',
      invoiceDate: '2026-03-01',
      status: 'ISSUED',
    });
    await using browser = await launch({ showsPdfs: true });
    await visit(browser, app.service.url, { viewport: { width: 1440, height: 900 } }, async (page, watch) => {
      watch.allowed.push(/chrome(-extension)?:/); // Chromium shows a PDF by pages of its own
      await open(page, `/invoices/${id}`);
      await page.getByText(/^\d+ days? overdue: was due on Mar 2, 2026$/).waitFor();
      const frame = page.locator('iframe[title="Preview of the invoice"][src^="blob:"]');
      await frame.waitFor();
      // The PDF is not made again when something else changes, which the page fetches again for.
      const shown = await frame.getAttribute('src');
      const fetched: (string | undefined)[] = [];
      page.on('request', (request) => fetched.push(operationName(request)));
      await makeCustomer(acme, buyer);
      await expect.poll(() => fetched).toContain('Invoice');
      expect(fetched).not.toContain('InvoicePdf');
      expect(await frame.getAttribute('src')).toBe(shown);
      await page
        .locator('.mantine-Timeline-item')
        .filter({ hasText: 'Issued' })
        .getByText(/by the token/)
        .waitFor();
      await expectAccessible(page);
    });
  });

  it.each([
    [
      'of which half is credited, only what was paid',
      { amounts: [{ vatCategory: 'S', vatRate: '19', net: '50' }] },
      '€59.50',
    ],
    ['that is wholly credited, that nothing was paid', {}, '€0.00'],
  ])('says of a settled invoice %s', async (_what, extent, paid) => {
    const { acme, open } = await signedInBookkeeper(app);
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    await makeCreditNote(acme, { invoiceId: id, ...extent });
    if (paid !== '€0.00') await acme.graphql('mutation ($id: UUID!) { payInvoice(id: $id) { id } }', { id });
    await app.visit({}, async (page) => {
      await open(page, `/invoices/${id}`);
      const headline = page.getByText(/^Paid on /).locator('..');
      expect((await headline.innerText()).split('\n').filter(Boolean).slice(0, 2)).toEqual(['Paid', paid]);
    });
  });

  it('by touch on a phone: no PDF, and a duplicate that only the user saves', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    const customerId = await makeCustomer(acme, buyer);
    const lines = [
      { ...item, title: 'Concept', quantity: '2.5', servicePeriodStart: '2026-02-01' },
      { ...item, title: 'Draft' },
    ];
    const id = await makeInvoice(acme, { customerId, items: lines, invoiceDate: '2026-03-01', status: 'PAID' });
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const count = () => acme.db.invoice.count();
    await app.visit(phone, async (page) => {
      await page.addInitScript(() => localStorage.setItem('kontor-language', 'de'));
      await open(page, `/invoices/${id}`);
      await page.getByText(/^Bezahlt am /).waitFor();
      expect(await page.locator('iframe').count()).toBe(0);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Weitere Aktionen' }).tap();
      await page.getByRole('menuitem', { name: 'Duplizieren' }).tap();
      const titles = page.getByRole('textbox', { name: /^Bezeichnung/ });
      await titles.first().waitFor();
      expect(await Promise.all((await titles.all()).map((field) => field.inputValue()))).toEqual(['Concept', 'Draft']);
      await waitUntilIdle(page);
      expect(await count()).toBe(1);
      await page.getByRole('button', { name: 'Entwurf speichern' }).tap();
      await page.getByRole('heading', { level: 1, name: 'Entwurf' }).waitFor();
    });
    const [copy] = (await acme.rest('GET', '/invoices?status=draft')).body.data;
    expect(copy).toMatchObject({ customer_id: customerId, status: 'draft', delivery_date: null });
    expect(copy.invoice_date).toBe(new Date().toISOString().slice(0, 10));
    expect(copy.items).toMatchObject([
      { title: 'Concept', quantity: 2.5, service_period_start: null },
      { title: 'Draft' },
    ]);
  });
});
