import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { zohoContacts, zohoInvoices } from '../record-import/exported-files.ts';
import { expectAccessible, navigateTo, startApp, type App } from './app.ts';
import { desktop, noBrowser, phone } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

const file = (name: string, csv: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(csv) });

// Two contacts have no display name, only a company.
const contacts = zohoContacts(
  {
    'Display Name': 'Bäckerei Sonnenschein',
    'Company Name': 'Bäckerei Sonnenschein GmbH',
    'Customer ID': '9001',
    'Billing Country': 'Germany',
  },
  { 'Company Name': 'Nordlicht Verlag', 'Customer ID': '9002' },
  { 'Company Name': 'Papierhaus', 'Customer ID': '9003', 'Contact Type': 'vendor' },
);

const invoice = {
  'Invoice Date': '2025-03-01',
  'Due Date': '2025-03-31',
  'Invoice ID': '77001',
  'Invoice Number': 'INV-000001',
  'Customer ID': '9001',
  'Item Tax %': '19',
  'Last Payment Date': '2025-03-20',
  Total: '226.00',
  Balance: '0.00',
};
const invoices = zohoInvoices(
  { ...invoice, 'Item Name': 'Bread', Quantity: '10.00', 'Item Price': '10.00', 'Item Total': '100.00' },
  {
    ...invoice,
    'Item Name': 'Books',
    'Item Tax %': '7',
    Quantity: '1.00',
    'Item Price': '100.00',
    'Item Total': '100.00',
  },
  {
    ...invoice,
    'Invoice ID': '77002',
    'Invoice Number': 'INV-000002',
    'Invoice Status': 'Draft',
    'Item Name': 'Cake',
    Quantity: '1.00',
    'Item Price': '1.00',
  },
);

const chooseFile = (page: Page, chosen: ReturnType<typeof file>): Promise<void> =>
  page.getByLabel('File to import').setInputFiles(chosen);
const column = (page: Page, label: string) => page.getByRole('combobox', { name: label, exact: true });

/** Chooses a file whose system is detected, and checks it. */
async function check(page: Page, chosen: ReturnType<typeof file>): Promise<void> {
  await chooseFile(page, chosen);
  await page.getByRole('button', { name: 'Next' }).click();
  expect(await page.getByRole('combobox', { name: 'System', exact: true }).inputValue()).toBe('Zoho Books');
  await page.getByRole('button', { name: 'Check the file' }).click();
}

describe.skipIf(noBrowser)('import', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it.each([
    ['on a desktop', desktop],
    ['on a phone', phone],
  ])(
    '%s: errors are shown by line, the columns are corrected, and the records are in the lists',
    async (_, viewport) => {
      const { acme, open } = await pages.bookkeeper();
      await pages.visit({ viewport }, async (page) => {
        await open(page, '/');
        await navigateTo(page, 'Customers');
        await page.getByRole('link', { name: 'Import: Customers' }).first().click();
        await page.getByRole('heading', { level: 1, name: 'Import' }).waitFor();
        await expectAccessible(page);

        await check(page, file('Contacts.csv', contacts));
        const errors = page.getByRole('table').filter({ hasText: 'Error' });
        await errors.getByRole('row').nth(2).waitFor();
        const cells = await errors.getByRole('row').allInnerTexts();
        expect(cells.slice(1).map((row) => row.split(/\s+/).slice(0, 3).join(' '))).toEqual([
          '3 Display Name',
          '4 Display Name',
        ]);
        await expectAccessible(page);
        expect((await acme.rest('GET', '/customers')).body.data).toEqual([]);

        await page.getByRole('button', { name: 'Back to the columns' }).click();
        await column(page, 'Name').click();
        await page.getByRole('option', { name: /^Company Name/ }).click();
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Check the file' }).click();
        await page.getByText('The file has no errors').waitFor();
        await page.getByRole('region', { name: 'The first rows' }).getByText('Bäckerei Sonnenschein GmbH').waitFor();
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        const outcome = page.getByRole('region', { name: 'Import result' });
        await outcome.getByText('The file is imported').waitFor();
        await expectAccessible(page);
        await outcome.getByRole('link', { name: 'Show the list' }).click();
        await page.getByRole('link', { name: 'Bäckerei Sonnenschein GmbH' }).waitFor();
        await page.getByRole('link', { name: 'Papierhaus' }).waitFor();

        await navigateTo(page, 'Invoices');
        await page.getByRole('link', { name: 'Import: Invoices' }).first().click();
        await check(page, file('Invoice.csv', invoices));
        await page.getByText('The file has no errors').waitFor();
        await page.getByText('Rows left out').waitFor();
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await outcome.getByRole('link', { name: 'Show the list' }).click();
        await page.getByRole('row').filter({ hasText: 'INV-000001' }).getByText('Paid').first().waitFor();

        await navigateTo(page, 'Import');
        await column(page, 'Records').click();
        await page.getByRole('option', { name: 'Invoices' }).click();
        await check(page, file('Invoice.csv', invoices));
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await outcome.getByText('Nothing is new in this file').waitFor();
      });
      const { data } = (await acme.rest('GET', '/invoices')).body;
      expect(data).toMatchObject([{ number: 'INV-000001', total_gross: 226, status: 'paid' }]);
      expect((await acme.rest('GET', '/customers?type=supplier')).body.data).toMatchObject([
        { company_name: 'Papierhaus' },
      ]);
    },
  );

  it('a file of no known system is mapped by its headings; how it is written is detected, and can be changed', async () => {
    const { acme, open } = await pages.bookkeeper();
    const csv = Buffer.from('Nr;Firma;Ort\n7;Müller & Söhne;Köln\n', 'latin1');
    await pages.visit({ viewport: desktop }, async (page) => {
      await open(page, '/import');
      await chooseFile(page, { name: 'kunden.csv', mimeType: 'text/csv', buffer: csv });
      await page.getByRole('button', { name: 'Next' }).click();
      expect(await column(page, 'System').inputValue()).toBe('Another one');
      expect(await column(page, 'Delimiter').inputValue()).toBe('Detected: semicolon');
      expect(await column(page, 'Encoding').inputValue()).toBe('Detected: Windows-1252');
      expect(await column(page, 'Name').inputValue()).toContain('Firma');
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByRole('alert').getByText('Type: ').waitFor();
      await expectAccessible(page);
      await page.getByLabel('Type, if there is none').fill('customer');
      await column(page, 'Encoding').click();
      await page.getByRole('option', { name: 'ISO 8859-15' }).click();
      await page.getByRole('region', { name: 'The file’s first rows' }).getByText('Müller & Söhne').waitFor();
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('The file is imported').waitFor();
    });
    expect((await acme.rest('GET', '/customers')).body.data).toMatchObject([
      { company_name: 'Müller & Söhne', city: 'Köln', external_id: '7' },
    ]);
  });

  it('leaving asks before columns that were matched by hand are lost, until the file is imported', async () => {
    const { open } = await pages.bookkeeper();
    await pages.visit({ viewport: desktop }, async (page) => {
      await open(page, '/import');
      const leave = () =>
        page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Customers', exact: true }).click();
      const question = page.getByRole('dialog', { name: 'Discard your changes?' });
      const begin = async (): Promise<void> => {
        await chooseFile(page, file('customers.csv', 'Id,Company\n7,Globex\n'));
        await page.getByRole('button', { name: 'Next' }).click();
        await column(page, 'System').waitFor();
      };
      await begin();
      await leave(); // nothing is done by hand yet
      await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
      await navigateTo(page, 'Import');
      await begin();
      await page.getByLabel('Type, if there is none').fill('customer');
      await leave();
      await question.getByRole('button', { name: 'Keep editing' }).click();
      await question.waitFor({ state: 'hidden' });
      expect(await page.getByLabel('Type, if there is none').inputValue()).toBe('customer');
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByText('The file has no errors').waitFor();
      await leave();
      await question.getByRole('button', { name: 'Keep editing' }).click();
      await question.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('The file is imported').waitFor();
      await leave();
      await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
    });
  });

  it('says that an import has failed, and not that its check has', async () => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({ viewport: desktop }, async (page, watch) => {
      watch.allowed.push(/Failed to load resource/);
      await open(page, '/import');
      await chooseFile(page, file('customers.csv', 'Id,Company,Type\n7,Globex,customer\n'));
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('button', { name: 'Check the file' }).click();
      await page.getByText('The file has no errors').waitFor();
      await page.route('**/graphql', (route) =>
        /multipart/.test(route.request().headers()['content-type'] ?? '') ? route.abort() : route.fallback(),
      );
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      const alert = page.getByRole('alert').filter({ hasText: 'The server can’t be reached.' });
      await alert.getByText('That didn’t work').waitFor();
      expect(await page.getByText('The file can’t be checked yet').count()).toBe(0);
      await page.getByRole('button', { name: 'Check the file' }).click();
      await alert.getByText('The file can’t be checked yet').waitFor();
    });
    expect((await acme.rest('GET', '/customers')).body.data).toEqual([]);
  });

  it('says that a file can’t be read: of an import, of a bank statement, and of the logo', async () => {
    const { open } = await pages.bookkeeper();
    await app.visit({}, async (page) => {
      // As where the file was moved or changed after it was chosen.
      await page.addInitScript(() => {
        Blob.prototype.arrayBuffer = () => Promise.reject(new DOMException('No file', 'NotReadableError'));
        FileReader.prototype.readAsDataURL = function fail(this: FileReader) {
          this.dispatchEvent(new ProgressEvent('error'));
        };
      });
      for (const [path, label] of [
        ['/import', 'File to import'],
        ['/bank-transactions/upload', 'Bank statement'],
        ['/settings/company', 'Logo'],
      ] as const) {
        await open(page, path);
        const shown = page.getByRole('alert').getByText('The file can’t be read.');
        expect(await shown.count()).toBe(0);
        await page.getByLabel(label, { exact: true }).setInputFiles(file('a.csv', 'a'));
        await shown.waitFor();
        await page.getByRole('button', { name: 'Dismiss' }).click();
      }
    });
  });

  it('shows how far the import is', async () => {
    const { open } = await pages.bookkeeper();
    const rows = Array.from({ length: 2000 }, (_, at) => `${at},Customer ${at},customer\n`).join('');
    await pages.visit({ viewport: desktop }, async (page) => {
      await open(page, '/import');
      await chooseFile(page, file('customers.csv', `Id,Company,Type\n${rows}`));
      await page.getByRole('button', { name: 'Next' }).click();
      // The file is sent once the page follows the progress.
      const followed = page.waitForResponse((answer) => /event-stream/.test(answer.headers()['content-type'] ?? ''));
      await page.route('**/graphql', async (route) => {
        if (/multipart/.test(route.request().headers()['content-type'] ?? '')) await followed;
        await route.continue();
      });
      // All rows can be read, and none can be written until the lock is released.
      await app.service.client.$transaction(
        async (locking) => {
          await locking.$executeRaw`lock table customers in share mode`;
          await page.getByRole('button', { name: 'Check the file' }).click();
          await page.getByText('Checking the file: 50%').waitFor();
          expect(await page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('50');
        },
        { timeout: 60_000 },
      );
      await page.getByText('The file has no errors').waitFor();
      await page.getByText('2,000').first().waitFor();
    });
  });
});
