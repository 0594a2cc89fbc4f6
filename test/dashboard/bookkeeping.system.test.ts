import { buffer } from 'node:stream/consumers';
import type { Browser, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { camt } from '../bank/statement.ts';
import { buyer, setCompany } from '../documents/parties.ts';
import { makeBankTransaction, makeCustomer, makeInvoice, makeProject, makeTimeEntry } from '../graphql/books.ts';
import { drop, expectAccessible, issueInvoice, navigateTo, startApp, type App } from './app.ts';
import { desktop, launch, noBrowser, noPdfViewer, phone, visit } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

describe.skipIf(noBrowser)('bookkeeping', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  let pdfBrowser: Promise<Browser> | undefined;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(async () => {
    await (await pdfBrowser)?.close();
    await app?.close();
  });

  const statement = (number: string) => ({
    name: 'statement.xml',
    mimeType: 'application/xml',
    buffer: Buffer.from(
      camt([
        { amount: '455.18', id: 'B1', name: 'Nordlicht Verlag', reference: `Invoice ${number}, thank you` },
        { amount: '-12.00', id: 'B2', name: 'A bank', reference: 'Fees' },
      ]),
    ),
  });

  describe.each([
    ['on a desktop', desktop],
    ['on a phone', phone],
  ])('%s', (_, viewport) => {
    it('a statement is uploaded, and its payment settles the invoice', async () => {
      const { acme, open } = await pages.bookkeeper();
      const { number } = await issueInvoice(acme);
      await pages.visit({ viewport }, async (page) => {
        await open(page, '/');
        await navigateTo(page, 'Invoices');
        await page.getByRole('link', { name: number }).click();
        await page.getByRole('heading', { level: 1, name: number }).waitFor();
        await expectAccessible(page);
        await page.getByText('Issued', { exact: true }).first().waitFor();

        await navigateTo(page, 'Bank transactions');
        await page.getByRole('link', { name: 'Upload a statement' }).first().click();
        await page.getByRole('heading', { level: 1, name: /upload/i }).waitFor();
        await expectAccessible(page);
        await page.getByLabel('Bank statement').setInputFiles(statement(number));
        await page.getByRole('button', { name: 'Import' }).click();
        const outcome = page.getByRole('region', { name: 'Import result' });
        await outcome.getByText('The statement is imported').waitFor();
        await expectAccessible(page);

        await navigateTo(page, 'Bank transactions');
        await page.getByText('Nordlicht Verlag').first().waitFor();
        await expectAccessible(page);
        await navigateTo(page, 'Invoices');
        await page.getByRole('row').filter({ hasText: number }).getByText('Paid').first().waitFor();
      });
      expect((await acme.rest('GET', '/invoices?status=paid')).body.data[0].number).toBe(number);
    });

    it('an invoice is written, issued, and counted as outstanding', async () => {
      const { acme, open } = await pages.bookkeeper();
      await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Museum aan de Haven' });
      await pages.visit({ viewport }, async (page) => {
        await open(page, '/');
        await navigateTo(page, 'Customers');
        await page.getByRole('link', { name: 'Museum aan de Haven' }).click();
        await page.getByRole('link', { name: 'New invoice' }).first().click();
        await page.getByLabel('Date of supply').fill('2026-02-27');
        const line = page.getByRole('group', { name: 'Line 1' });
        await line.getByLabel(/Title/).fill('Guided tour');
        await line.getByLabel(/Quantity/).fill('2');
        await line.getByLabel(/Unit price/).fill('120');
        await line.getByLabel(/VAT, per cent/).fill('19');
        await page.getByRole('combobox', { name: 'E-invoice' }).click();
        await page.getByRole('option', { name: 'XRechnung (CII)' }).click();
        const missing = page.getByRole('region', { name: 'Missing for the e-invoice' });
        await missing.getByText('(BR-DE-8, customer.city)').waitFor();
        expect(await missing.getByText('BR-E-10').count()).toBe(0);
        await line.getByLabel(/VAT, per cent/).fill('0');
        await line.getByRole('button', { name: /More/ }).click();
        await line.getByRole('combobox', { name: /category/ }).click();
        await page.getByRole('option', { name: /^E / }).click();
        await missing.getByText('(BR-E-10, items.0.exemption_reason)').waitFor();
        await line.getByRole('combobox', { name: /category/ }).click();
        await page.getByRole('option', { name: /^S / }).click();
        await line.getByLabel(/VAT, per cent/).fill('19');
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Save draft' }).click();
        await page.getByRole('button', { name: 'Issue', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Issue', exact: true }).click();
        await page.getByRole('heading', { level: 1, name: /\d{4}-0001/ }).waitFor();
        await page.getByText('Date of supply').waitFor();
        await page.getByText('Feb 27, 2026').waitFor();
        await navigateTo(page, 'Overview');
        await page.getByRole('listitem').filter({ hasText: 'Outstanding' }).getByText('285.60').waitFor();
      });
    });

    it.skipIf(noPdfViewer)('an invoice is looked at, and its files are saved', async () => {
      const { acme, open } = await pages.bookkeeper();
      await setCompany(acme);
      const customerId = await makeCustomer(acme, { ...buyer, language: 'en' });
      const id = await makeInvoice(acme, { customerId, deliveryDate: '2026-02-27' });
      const lacking = await makeInvoice(acme);
      const browser = await (pdfBrowser ??= launch({ showsPdfs: true }));
      await visit(browser, app.service.url, { viewport, acceptDownloads: true }, async (page, watch) => {
        watch.allowed.push(/chrome(-extension)?:/); // Chromium shows a PDF by pages of its own
        const save = async (button: string): Promise<{ name: string; bytes: Buffer }> => {
          const waiting = page.waitForEvent('download');
          await page.getByRole('button', { name: button }).click();
          const download = await waiting;
          return { name: download.suggestedFilename(), bytes: await buffer(await download.createReadStream()) };
        };
        await open(page, `/invoices/${lacking}`);
        await page.getByText('(BR-DE-8, customer.city)').waitFor();
        await open(page, `/invoices/${id}`);
        await page.getByText('Nothing is missing for this e-invoice.').waitFor();
        expect(await page.getByRole('button', { name: 'Download e-invoice' }).isDisabled()).toBe(true);
        expect((await save('Download PDF')).name).toBe('draft.pdf');
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Issue', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Issue', exact: true }).click();
        await page.getByRole('heading', { level: 1, name: /2026-0001/ }).waitFor();
        const pdf = await save('Download PDF');
        expect([pdf.name, pdf.bytes.subarray(0, 5).toString()]).toEqual(['2026-0001.pdf', '%PDF-']);
        await page.getByRole('combobox', { name: 'E-invoice' }).click();
        await page.getByRole('option', { name: 'Peppol BIS Billing' }).click();
        const xml = await save('Download e-invoice');
        expect([xml.name, xml.bytes.toString().includes('Stadt Ulm')]).toEqual(['2026-0001-peppol.xml', true]);
        const preview = page.waitForEvent('popup');
        await page.getByRole('button', { name: 'Preview PDF' }).click();
        await (await preview).waitForURL(/^blob:/);
      });
    });

    it('a match is undone, and its suggestion is confirmed', async () => {
      const { acme, open } = await pages.bookkeeper();
      const { number } = await issueInvoice(acme);
      const amount = '455.18';
      const id = await makeBankTransaction(acme, { amount, amountOpen: amount, reference: `Invoice ${number}` });
      const status = async (): Promise<string> => (await acme.rest('GET', '/invoices')).body.data[0].status;
      await pages.visit({ viewport }, async (page) => {
        await open(page, `/bank-transactions/${id}`);
        const suggested = page.getByRole('button', { name: `Confirm Invoice ${number}` });
        await suggested.click();
        await page.getByRole('button', { name: `Undo the match with Invoice ${number}` }).click();
        expect(await status()).toBe('paid');
        await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
        await suggested.waitFor();
        await expectAccessible(page);
        expect(await status()).toBe('issued');
      });
    });

    it("a project's time is billed", async () => {
      const { acme, open } = await pages.bookkeeper();
      await issueInvoice(acme);
      const { id: customerId } = (await acme.rest('GET', '/customers')).body.data[0];
      const projectId = await makeProject(acme, { customerId, hourlyRateNet: '80' });
      await makeTimeEntry(acme, { projectId, durationMinutes: 90 });
      await pages.visit({ viewport }, async (page) => {
        await open(page, '/');
        await navigateTo(page, 'Projects');
        await page.getByRole('link', { name: 'Website' }).click();
        await page.getByRole('button', { name: /^Bill/ }).click();
        await page.getByLabel(/^VAT/).fill('19');
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Save draft' }).click();
        await page.getByRole('heading', { level: 1, name: 'Draft' }).waitFor();
        await page.getByText('142.80').first().waitFor();
      });
      const { project } = await acme.graphql(`{ project(id: "${projectId}") { unbilledMinutes } }`);
      expect(project.unbilledMinutes).toBe(0);
    });
  });

  it('a CSV is dropped alone, its day is asked for, leaving stops its upload, and its mapping is of its tenant', async () => {
    const csv = Buffer.from('Day;Betrag;Name\n2026-02-01;1,50;Nordlicht Verlag\n');
    const file = { name: 'bank.csv', mimeType: 'text/csv', buffer: csv };
    const [first, second] = [await pages.bookkeeper(), await pages.bookkeeper()];
    const path = '/bank-transactions/upload';
    await pages.visit({}, async (page, watch) => {
      watch.allowed.push(/ERR_FAILED|ERR_ABORTED/);
      const iban = page.getByLabel('Your account’s IBAN');
      const isUpload = (request: Request): boolean =>
        (request.headers()['content-type'] ?? '').startsWith('multipart/');
      const fill = async (): Promise<void> => {
        await drop(page, [file]); // beside the field
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        const day = page.getByRole('combobox', { name: 'Booking date' });
        await expect.poll(() => day.evaluate((node) => node === document.activeElement)).toBe(true);
        await page.getByText('Choose one.').waitFor();
        await day.click();
        await page.getByRole('option', { name: /^Day/ }).click();
        await page.getByRole('combobox', { name: 'Date format' }).fill('YYYY-MM-DD');
        await iban.fill('DE89370400440532013000');
      };
      await first.open(page, path);
      await drop(page, [file, { ...file, name: 'another.csv' }]);
      await page.getByRole('alert').filter({ hasText: 'Drop one file only.' }).getByRole('button').click();
      await fill();
      const left = Promise.withResolvers<void>();
      await page.route('**/graphql', async (route) => {
        if (isUpload(route.request())) await left.promise;
        await route.fallback().catch(() => undefined); // it has been stopped
      });
      const ended = Promise.race([
        page.waitForEvent('requestfailed', isUpload),
        page.waitForEvent('requestfinished', isUpload),
      ]);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('Uploading: ').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('heading', { level: 1, name: 'Bank transactions' }).waitFor();
      left.resolve();
      await ended;
      expect((await first.acme.rest('GET', '/bank-transactions')).body.data).toEqual([]);

      await page.getByRole('link', { name: 'Upload a statement' }).first().click();
      await fill();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('The statement is imported').waitFor();
      for (const [{ open }, known] of [
        [first, 'DE89370400440532013000'],
        [second, ''],
      ] as const) {
        await open(page, '/');
        await open(page, path);
        await drop(page, [file]);
        await page.getByRole('heading', { name: 'Match the columns' }).waitFor();
        expect(await iban.inputValue()).toBe(known);
      }
    });
  });
});
