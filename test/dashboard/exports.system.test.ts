import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FileStorage } from '../../schema/graphql/file-storage.ts';
import { readCsv, startExport, unzip } from '../exports/exports.ts';
import { makeCustomer, makeInvoice, makeReceipt } from '../graphql/books.ts';
import type { Integrator } from '../harness.ts';
import { enter } from '../identity/browser.ts';
import { makeWrittenExport } from '../resources.ts';
import { expectAccessible, navigateTo, press, signInByCookie, startApp, type App } from './app.ts';
import { desktop, noBrowser, phone } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';
import { layoutProblems } from './layout-problems.ts';

const longPoll = { timeout: 20_000 };

/** The label of what has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement | null;
    const label = element?.labels?.[0]?.textContent ?? element?.getAttribute('aria-label') ?? element?.textContent;
    return label?.replace(/\s*\*$/, '').trim() ?? '';
  });

async function expectFocus(page: Page, name: string): Promise<void> {
  await expect.poll(() => focused(page), longPoll).toBe(name);
}

/** Presses Tab until this has the focus. A date has several stops. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let stops = 0; stops < 25; stops += 1) {
    await press(page, 'Tab');
    if ((await focused(page)) === name) return;
  }
  expect(await focused(page)).toBe(name);
}

/** Chooses an option of a selection by its place. */
async function choose(page: Page, field: string, option: string): Promise<void> {
  await tabTo(page, field);
  await press(page, 'ArrowDown');
  await page.getByRole('option', { name: option, exact: true }).waitFor();
  const names = await page.getByRole('option').allInnerTexts();
  const isSelected = (name: string): Promise<boolean> =>
    page.evaluate(
      (text) => document.querySelector('[role=option][data-combobox-selected]')?.textContent.trim() === text,
      name,
    );
  for (let steps = 0; steps <= names.length && !(await isSelected(option)); steps += 1) await press(page, 'ArrowDown');
  await press(page, 'Enter');
  await page.getByRole('listbox').waitFor({ state: 'hidden' });
}

/** Opens the dialog by keyboard, and chooses the type. @param steps from the first type down */
async function openDialog(page: Page, type: string, steps: number): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'New export' }).first().focus();
  await press(page, 'Enter');
  await page.getByRole('dialog', { name: 'New export' }).waitFor();
  await expectFocus(page, 'List');
  for (let step = 0; step < steps; step += 1) await press(page, 'ArrowDown');
  await expectFocus(page, type);
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'New export' });

/** The first row of the list. */
const firstRow = (page: Page) => page.getByRole('row').nth(1);

/** Sends the dialog by Enter, waits until the export is completed, and saves its file by keyboard. */
async function finishAndSave(page: Page, title: string): Promise<{ name: string; file: Buffer }> {
  await press(page, 'Enter');
  await dialogOf(page).waitFor({ state: 'hidden' });
  const row = page.getByRole('row').filter({ hasText: title });
  await row.getByText('Completed', { exact: true }).waitFor();
  await row.getByRole('link', { name: /^Download / }).focus();
  const saving = page.waitForEvent('download');
  await press(page, 'Enter');
  const download = await saving;
  return { name: download.suggestedFilename(), file: await readFile(await download.path()) };
}

describe.skipIf(noBrowser)('exports', { timeout: 180_000 }, () => {
  let app: App;
  let pages: KeptPages;
  /** The promise that a file waits for before it is stored. */
  let beforeStoring: Promise<void> | undefined;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
    const storage: FileStorage = app.service.fileStorage;
    const write = storage.write.bind(storage);
    storage.write = async (...args) => {
      await beforeStoring;
      return write(...args);
    };
  });
  afterEach(() => {
    beforeStoring = undefined;
  });
  afterAll(() => app?.close());

  /** Lets no export end until the steps are done. */
  async function holding(steps: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    beforeStoring = promise;
    await steps().finally(resolve);
  }

  it.each([
    ['on a desktop', desktop],
    ['on a phone', phone],
  ])('%s: each type is started by keyboard, followed to its end, and its file is saved', async (_, viewport) => {
    const { acme, open } = await pages.bookkeeper();
    const customerId = await makeCustomer(acme, { companyName: 'Nordlicht Verlag', country: 'DE' });
    await makeInvoice(acme, { customerId, status: 'ISSUED', invoiceDate: '2026-03-10' });
    await makeInvoice(acme, { customerId, status: 'ISSUED', invoiceDate: '2026-07-10' });
    await pages.visit({ viewport }, async (page) => {
      await open(page, '/');
      await navigateTo(page, 'Exports');
      await page.getByText('No exports yet').waitFor();
      await expectAccessible(page);

      await openDialog(page, 'List', 0);
      await expectAccessible(page);
      await choose(page, 'Which list', 'Invoices');
      await tabTo(page, 'From');
      await page.keyboard.type('03012026');
      await tabTo(page, 'To');
      await page.keyboard.type('03312026');
      const list = await finishAndSave(page, 'Invoices, CSV');
      expect(list.name).toBe('invoices-2026-03-01-2026-03-31.csv');
      expect(readCsv(list.file)).toMatchObject([{ invoice_date: '2026-03-10', status: 'issued' }]);
      await firstRow(page).getByText('Mar 1, 2026 to Mar 31, 2026').waitFor();
      const expires = new Date(Date.now() + 7 * 86_400_000).toLocaleDateString('en-US', { dateStyle: 'medium' });
      await firstRow(page).getByText(expires, { exact: true }).waitFor();

      await openDialog(page, 'Open items', 1);
      await expectAccessible(page);
      await choose(page, 'Format', 'Excel (XLSX)');
      await tabTo(page, 'Export');
      const items = await finishAndSave(page, 'Open items, receivable, XLSX');
      expect(items.name).toMatch(/^open-items-receivable-20\d\d-\d\d-\d\d\.xlsx$/);
      expect([...(await unzip(items.file)).keys()]).toContain('xl/workbook.xml');

      await openDialog(page, 'DATEV', 2);
      await expectAccessible(page);
      await tabTo(page, 'From');
      await page.keyboard.type('03012026');
      await tabTo(page, 'To');
      await page.keyboard.type('03312026');
      await choose(page, 'Chart of accounts', 'SKR04');
      await tabTo(page, 'Consultant number');
      await page.keyboard.type('29098');
      await tabTo(page, 'Client number');
      await page.keyboard.type('55003');
      const datev = await finishAndSave(page, 'DATEV, SKR04');
      expect(datev.name).toBe('EXTF_Buchungsstapel_20260301_20260331.csv');
      const [head] = datev.file.toString('latin1').split('\r\n');
      expect(head).toMatch(/^"EXTF";700;21;"Buchungsstapel";13;.*;29098;55003;/);
      await firstRow(page).getByText('Consultant 29098, client 55003').waitFor();

      await openDialog(page, 'Tax audit (GoBD)', 3);
      await expectAccessible(page);
      await tabTo(page, 'From');
      await page.keyboard.type('01012026');
      await tabTo(page, 'To');
      await page.keyboard.type('12312026');
      const gobd = await finishAndSave(page, 'Tax audit (GoBD)');
      expect(gobd.name).toBe('gobd-2026-01-01-2026-12-31.zip');
      const files = await unzip(gobd.file);
      expect([...files.keys()].slice(0, 2)).toEqual(['index.xml', expect.stringMatching(/\.dtd$/)]);
      expect(files.get('invoices.csv')?.toString().trim().split('\r\n')).toHaveLength(3);
      await expectAccessible(page);

      // The numbers are known from the last export.
      await openDialog(page, 'DATEV', 2);
      expect(await dialogOf(page).getByLabel('Consultant number').inputValue()).toBe('29098');
      expect(await dialogOf(page).getByLabel('Client number').inputValue()).toBe('55003');
      expect(await dialogOf(page).getByRole('combobox', { name: 'Chart of accounts' }).inputValue()).toBe('SKR04');
    });
  });

  it('begins with the last month for DATEV, the last year for a tax audit, and today for open items', async () => {
    const { open } = await pages.bookkeeper();
    await app.visit({ timezoneId: 'UTC' }, async (page) => {
      await page.clock.setFixedTime('2027-01-15T12:00:00Z');
      await open(page, '/exports');
      await openDialog(page, 'List', 0);
      const value = (name: string): Promise<string> => dialogOf(page).getByLabel(name).inputValue();
      expect([await value('From'), await value('To')]).toEqual(['', '']);
      await press(page, 'ArrowDown');
      await expect.poll(() => value('At the end of'), longPoll).toBe('2027-01-15');
      await press(page, 'ArrowDown');
      await expect.poll(() => value('From'), longPoll).toBe('2026-12-01');
      expect(await value('To')).toBe('2026-12-31');
      await press(page, 'ArrowDown');
      await expect.poll(() => value('From'), longPoll).toBe('2026-01-01');
      expect(await value('To')).toBe('2026-12-31');
      await press(page, 'ArrowUp');
      await expect.poll(() => value('From'), longPoll).toBe('2026-12-01');
    });
  });

  it('has a period only for a list whose rows have a day', async () => {
    const { acme, open } = await pages.bookkeeper();
    await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
    await pages.visit({}, async (page) => {
      await open(page, '/exports');
      await openDialog(page, 'List', 0);
      await dialogOf(page).getByLabel('From').fill('2026-01-01');
      await choose(page, 'Which list', 'Customers');
      expect(await dialogOf(page).getByLabel('From').count()).toBe(0);
      await tabTo(page, 'Export');
      const { name, file } = await finishAndSave(page, 'Customers, CSV');
      expect(name).toBe('customers.csv');
      expect(readCsv(file)).toMatchObject([{ company_name: 'Nordlicht Verlag' }]);
    });
  });

  it('shows what runs and what waits, follows both, and cancels', async () => {
    const { acme, open } = await pages.bookkeeper();
    await makeCustomer(acme);
    await pages.visit({}, async (page) => {
      await holding(async () => {
        await startExport(acme, { type: 'list', resource: 'customers' });
        await startExport(acme, { type: 'list', resource: 'projects', format: 'xlsx' });
        await open(page, '/exports');
        const running = page.getByRole('row').filter({ hasText: 'Customers, CSV' });
        const waiting = page.getByRole('row').filter({ hasText: 'Projects, XLSX' });
        await running.getByText('Running', { exact: true }).waitFor();
        await running.getByText('of 1 rows').waitFor();
        await waiting.getByText('Pending', { exact: true }).waitFor();
        await expectAccessible(page);
        await waiting.getByRole('button', { name: 'Cancel Projects, XLSX' }).focus();
        await press(page, 'Enter');
        await page.getByRole('dialog', { name: 'Cancel the export?' }).waitFor();
        await expectFocus(page, 'Let it go on');
        await tabTo(page, 'Cancel the export');
        await press(page, 'Enter');
        await waiting.getByText('Cancelled', { exact: true }).waitFor();
        await page.getByText('The export is cancelled.').waitFor();
        expect(await waiting.getByRole('button').count()).toBe(0);
        await expectAccessible(page);
      });
      const done = page.getByRole('row').filter({ hasText: 'Customers, CSV' });
      await done.getByText('Completed', { exact: true }).waitFor();
      await done.getByRole('link', { name: 'Download customers.csv' }).waitFor();
      await page.getByRole('status').getByText('Customers, CSV: Completed').waitFor({ state: 'attached' });
    });
  });

  it('says how many rows of how many are written', async () => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await holding(async () => {
        const id = await startExport(acme, { type: 'list', resource: 'invoices' });
        await open(page, '/exports');
        await firstRow(page).getByText('Running', { exact: true }).waitFor();
        await acme.db.export.updateMany({ where: { id }, data: { rows: 5000, processedRows: 1200 } });
        await page.getByText('1,200 of 5,000 rows').waitFor();
        const progress = page.getByRole('progressbar', { name: 'Progress of Invoices, CSV' });
        expect(await progress.getAttribute('aria-valuenow')).toBe('24');
        await acme.db.export.updateMany({ where: { id }, data: { processedRows: 4000 } });
        await page.getByText('4,000 of 5,000 rows').waitFor();
        await expectAccessible(page);
        for (const width of [1440, 768, 390]) {
          await page.setViewportSize({ width, height: 900 });
          await expectAccessible(page, { onlyColors: true });
          expect(await layoutProblems(page, { touch: 24 })).toEqual([]);
        }
        // Not counted yet.
        await acme.db.export.updateMany({ where: { id }, data: { rows: null, processedRows: 4100 } });
        await page.getByText('4,100 rows').waitFor();
        expect(await page.getByRole('progressbar').count()).toBe(0);
      });
    });
  });

  it('says why one has failed', async () => {
    const { acme, open } = await pages.bookkeeper();
    await makeReceipt(acme, { status: 'BOOKED', receiptNumber: 'R-1', amountGross: '99999999999.99' });
    await pages.visit({ viewport: phone }, async (page) => {
      await open(page, '/exports?new=DATEV&from=2026-03-01&to=2026-03-31');
      await dialogOf(page).getByRole('button', { name: 'Export' }).click();
      const row = page.getByRole('row').filter({ hasText: 'DATEV, SKR03' });
      await row.getByText('Failed', { exact: true }).waitFor();
      await row.getByText(/^The amount of .* is too large for DATEV\.$/).waitFor();
      expect(await row.getByRole('link').count()).toBe(0);
      await expectAccessible(page);
    });
  });

  it('shows what is refused at its field, and keeps the input', async () => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/exports');
      await openDialog(page, 'DATEV', 2);
      const dialog = dialogOf(page);
      await dialog.getByLabel('From').fill('2026-03-31');
      await dialog.getByLabel('To').fill('2026-03-01');
      await press(page, 'Enter');
      await dialog.getByText('Must not be before the first day.').waitFor();
      await expectFocus(page, 'To');
      expect(await dialog.getByLabel('To').getAttribute('aria-invalid')).toBe('true');
      await expectAccessible(page);
      await dialog.getByLabel('To').fill('2026-03-31');
      await dialog.getByLabel('From').fill('');
      await dialog.getByLabel('Consultant number').fill('12');
      await press(page, 'Enter');
      await expect.poll(() => dialog.locator('[aria-invalid="true"]').count(), longPoll).toBeGreaterThan(0);
      await expectFocus(page, 'Consultant number');
      await dialog.getByLabel('Consultant number').fill('1001');
      await press(page, 'Enter');
      await dialog.getByText('Fill this in.').waitFor();
      await expectFocus(page, 'From');
      expect(await dialog.getByLabel('To').inputValue()).toBe('2026-03-31');
    });
    expect(await acme.db.export.count()).toBe(0);
  });

  it('keeps the input where the server can’t be reached, and starts the export once', async () => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({}, async (page, watch) => {
      watch.allowed.push(/Failed to load resource/);
      await open(page, '/exports');
      await openDialog(page, 'Tax audit (GoBD)', 3);
      await dialogOf(page).getByLabel('From').fill('2025-07-01');
      await page.context().setOffline(true);
      await press(page, 'Enter');
      await dialogOf(page)
        .getByText(/can’t be reached/)
        .waitFor();
      expect(await dialogOf(page).getByLabel('From').inputValue()).toBe('2025-07-01');
      await page.context().setOffline(false);
      await dialogOf(page).getByRole('button', { name: 'Export' }).click();
      await page.getByRole('row').filter({ hasText: 'Jul 1, 2025' }).getByText('Completed').waitFor();
    });
    expect(await acme.db.export.count()).toBe(1);
  });

  it('says that too many have not ended', async () => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await holding(async () => {
        for (let count = 0; count < 5; count += 1) await startExport(acme, { type: 'list', resource: 'invoices' });
        await open(page, '/exports?new=LIST&of=CUSTOMERS');
        await dialogOf(page).getByRole('button', { name: 'Export' }).click();
        await dialogOf(page)
          .getByText(/at most 5 exports that have not ended\. Wait for one, or cancel it\./)
          .waitFor();
        await expectAccessible(page);
      });
    });
  });

  it('a list’s page opens the dialog with its list and period, and a report with its day and side', async () => {
    const { acme, open } = await pages.bookkeeper();
    await makeInvoice(acme, { invoiceDate: '2026-03-10' });
    await pages.visit({}, async (page) => {
      await open(page, '/invoices?from=2026-03-01&to=2026-03-31');
      await page.getByRole('link', { name: 'Export invoices' }).click();
      const dialog = dialogOf(page);
      expect(await dialog.getByRole('combobox', { name: 'Which list' }).inputValue()).toBe('Invoices');
      expect(await dialog.getByLabel('From').inputValue()).toBe('2026-03-01');
      expect(await dialog.getByLabel('To').inputValue()).toBe('2026-03-31');
      expect(new URL(page.url()).search).toBe('');
      await press(page, 'Escape');
      await dialog.waitFor({ state: 'hidden' });
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
      expect(new URL(page.url()).search).toBe('?from=2026-03-01&to=2026-03-31');
      await page.goForward();
      await page.getByRole('heading', { level: 1, name: 'Exports' }).waitFor();
      expect(await dialog.count()).toBe(0);

      await open(page, '/reports/open-items?at=2026-06-30&side=PAYABLE');
      await page.getByRole('link', { name: 'Export open items' }).click();
      expect(await dialog.getByLabel('At the end of').inputValue()).toBe('2026-06-30');
      expect(await dialog.getByRole('combobox', { name: 'Who owes' }).inputValue()).toBe('Owed to suppliers');
    });
  });

  it('the search opens the dialog each time, on the page of exports as well', async () => {
    const { open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/exports');
      const dialog = dialogOf(page);
      for (let time = 0; time < 2; time++) {
        await press(page, '/');
        await page.getByRole('textbox', { name: 'Search everything' }).fill('New export');
        await page.getByRole('option', { name: 'New export' }).click();
        await dialog.waitFor();
        expect(new URL(page.url()).search).toBe('');
        await press(page, 'Escape');
        await dialog.waitFor({ state: 'hidden' });
      }
    });
  });

  it('filters by type and status, and shows a new one although a filter would hide it', async () => {
    const { acme, open } = await pages.bookkeeper();
    await makeWrittenExport(app.service, acme);
    await pages.visit({}, async (page) => {
      await open(page, '/exports?status=FAILED');
      await page.getByText('No exports match').waitFor();
      await page.getByRole('button', { name: 'New export' }).first().click();
      await dialogOf(page).getByRole('button', { name: 'Export' }).click();
      await page.getByRole('row').nth(2).waitFor();
      expect(new URL(page.url()).search).toBe('');
      await open(page, '/exports?type=DATEV');
      await page.getByText('No exports match').waitFor();
    });
  });

  it('a member of several tenants saves the file of the one that is shown', async () => {
    const { acme } = await pages.bookkeeper();
    const other = await app.bookkeeper();
    const { email } = await app.newUser(other.acme.tenantId, acme.tenantId);
    await makeWrittenExport(app.service, acme);
    const { cookie } = await enter(app.service, { email });
    await app.visit({}, async (page) => {
      await signInByCookie(page, cookie ?? '');
      await page.goto(`/${acme.tenantId}/exports`);
      const saving = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download invoices.csv' }).click();
      const download = await saving;
      expect(await readFile(await download.path(), 'utf8')).toBe('x');
      await page.goto(`/${other.acme.tenantId}/exports`);
      await page.getByText('No exports yet').waitFor();
    });
  });

  it('has no link to a file that has expired', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeWrittenExport(app.service, acme);
    await expire(acme, id);
    await pages.visit({}, async (page) => {
      await open(page, '/exports');
      await page.getByText('Expired', { exact: true }).waitFor();
      expect(await page.getByRole('link', { name: /^Download/ }).count()).toBe(0);
    });
  });
});

const expire = (acme: Integrator, id: string) =>
  acme.db.export.updateMany({ where: { id }, data: { expiresAt: new Date(Date.now() - 1000) } });
