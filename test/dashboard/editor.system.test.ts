import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buyer, company, setCompany } from '../documents/parties.ts';
import { makeCustomer, makeInvoice } from '../graphql/books.ts';
import { enter } from '../identity/browser.ts';
import {
  expectAccessible,
  operationName,
  press,
  signedInBookkeeper,
  signInByCookie,
  startApp,
  waitUntilIdle,
  type App,
} from './app.ts';
import { launch, noBrowser, noPdfViewer, visit } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

// The editor of invoices: lines by keyboard, totals in view, the PDF beside it, and input that a reload keeps.

/** The field that has the focus, by its path in the form. */
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-path'));

const cell = (page: Page, line: number, column: string) => page.locator(`[data-path="items.${line}.${column}"]`);

describe.skipIf(noBrowser)('the editor of invoices', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it('issues an invoice of three lines by keyboard', async () => {
    const { acme, open } = await pages.bookkeeper();
    await setCompany(acme, { ...company, defaultVatRate: '19' });
    await makeCustomer(acme, { ...buyer, companyName: 'Nordlicht Verlag' });
    await pages.visit({}, async (page) => {
      await open(page, '/invoices/new');
      const picker = page.getByRole('combobox', { name: 'Customer' });
      await picker.focus();
      let presses = 0;
      /** Presses keys, and expects the focus in a field. */
      const go = async (path: string, ...keys: string[]): Promise<void> => {
        for (const key of keys) {
          await page.keyboard.press(key);
          presses += 1;
        }
        await expect.poll(() => focused(page)).toBe(path);
      };
      await page.keyboard.press('Enter'); // in an open list
      await page.keyboard.type('nordl');
      await go('customerId', 'Enter');
      await expect.poll(() => picker.inputValue()).toBe('Nordlicht Verlag');
      await page.getByRole('listbox').waitFor({ state: 'hidden' });
      await go('items.0.title', 'Control+Enter');
      await page.keyboard.type('Concept');
      await go('items.0.unitPriceNet', 'Enter', 'Enter', 'Enter');
      await page.keyboard.type('100');
      await go('items.1.title', 'Control+Enter');
      await page.keyboard.type('Draft');
      await go('items.1.unitPriceNet', 'Enter', 'Enter', 'Enter');
      await page.keyboard.type('50');
      await go('items.2.title', 'Enter', 'Enter'); // past the VAT
      await page.keyboard.type('Print');
      await go('items.2.unitPriceNet', 'Enter', 'Enter', 'Enter');
      await page.keyboard.type('10');
      expect(presses).toBe(14);

      await go('items.1.unitPriceNet', 'ArrowUp');
      await go('items.0.unitPriceNet', 'Alt+ArrowUp');
      expect(await cell(page, 0, 'title').inputValue()).toBe('Draft');
      await go('items.0.unitPriceNet', 'Control+Shift+Backspace');
      expect(await cell(page, 0, 'title').inputValue()).toBe('Concept');
      await page.getByText('Line 1 is removed.').waitFor();
      await page.getByRole('button', { name: 'Undo' }).press('Enter');
      await expect.poll(() => focused(page)).toBe('items.0.title');
      expect(await cell(page, 0, 'title').inputValue()).toBe('Draft');
      for (const column of ['quantity', 'unitPriceNet', 'vatRate'])
        expect(await cell(page, 0, column).getAttribute('inputmode')).toBe('decimal');
      await page.getByRole('textbox', { name: 'Unit price, net, line 3' }).waitFor();
      await page.getByRole('group', { name: 'Totals so far' }).getByText('€190.40').waitFor();
      await expectAccessible(page);

      await press(page, 'Control+s');
      await page.getByRole('heading', { level: 1, name: 'Draft', exact: true }).waitFor();
      await press(page, 'Tab');
      await press(page, 'Enter');
      await page.getByRole('list', { name: 'Checklist' }).waitFor();
      await press(page, 'Enter');
      await page.getByRole('heading', { level: 1, name: /^Invoice 2026-/ }).waitFor();
    });
    const { items, total_gross } = (await acme.rest('GET', '/invoices')).body.data[0];
    expect([items.map(({ title }: { title: string }) => title), total_gross]).toEqual([
      ['Draft', 'Concept', 'Print'],
      190.4,
    ]);
  });

  it('saves a draft once, however often its key is pressed', async () => {
    const { acme, open } = await pages.bookkeeper();
    const customerId = await makeCustomer(acme, buyer);
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/new?customer=${customerId}`);
      await cell(page, 0, 'title').fill('Concept');
      await cell(page, 0, 'unitPriceNet').fill('100');
      await cell(page, 0, 'vatRate').fill('19');
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const asked = page.waitForRequest((request) => operationName(request) === 'CreateInvoice');
      await page.route('**/graphql', async (route) => {
        if (operationName(route.request()) === 'CreateInvoice') await released;
        await route.continue();
      });
      await page.keyboard.press('Control+s');
      await asked;
      await page.keyboard.press('Control+s');
      await waitUntilIdle(page);
      release();
      await page.getByRole('heading', { level: 1, name: 'Draft', exact: true }).waitFor();
      await waitUntilIdle(page);
    });
    expect(await acme.db.invoice.count()).toBe(1);
  });

  it('asks for the due date of a draft where it was cleared; a new one has a default', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme, { dueDate: '2026-03-20' });
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/${id}/edit`);
      const due = page.getByLabel('Due date');
      const save = page.getByRole('button', { name: 'Save draft' });
      await due.fill('');
      await save.click();
      await page.getByText('Enter a date.').waitFor();
      await expect.poll(() => focused(page)).toBe('dueDate');
      await due.fill('2026-03-25');
      await save.click();
      await page.getByRole('heading', { level: 1, name: 'Draft', exact: true }).waitFor();
    });
    const { invoice } = await acme.graphql('query ($id: UUID!) { invoice(id: $id) { dueDate } }', { id });
    expect(invoice.dueDate).toBe('2026-03-25');
  });

  it('copies an invoice; if that can’t be read, it says so, and opens once it can', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme, { subject: 'Concept of spring' });
    await pages.visit({}, async (page, watch) => {
      watch.allowed.push(/Failed to load resource/);
      await page.route('**/graphql', (route) =>
        operationName(route.request()) === 'Invoice'
          ? route.fulfill({ status: 503, contentType: 'application/json', body: '{}' })
          : route.continue(),
      );
      await open(page, `/invoices/new?copy=${id}`);
      const notLoaded = page.getByRole('alert').filter({ hasText: 'Couldn’t load this' });
      await notLoaded.waitFor();
      expect(await page.getByLabel('Subject').count()).toBe(0);
      await page.unroute('**/graphql');
      // The notice above has such a button as well, if this was the page's last answer.
      await notLoaded.getByRole('button', { name: 'Try again' }).click();
      await expect.poll(() => page.getByLabel('Subject').inputValue()).toBe('Concept of spring');
    });
    await pages.visit({}, async (page) => {
      await open(page, '/invoices/new?copy=019c0000-0000-7000-8000-000000000000');
      await page.getByRole('alert').getByText('Not found').waitFor();
    });
  });

  it('is led to its lines by a key also while a customer is looked for', async () => {
    const { open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/invoices/new');
      await page.getByRole('combobox', { name: 'Customer' }).fill('nobody');
      await page.keyboard.press('Control+Enter');
      await expect.poll(() => focused(page)).toBe('items.0.title');
    });
  });

  it('keeps input over a reload, for its user alone, until it is discarded', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    const other = await enter(app.service, { email: (await app.newUser(acme.tenantId)).email });
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/ERR_INCOMPLETE_CHUNKED_ENCODING/); // the stream of events ends with the session
      await open(page, '/invoices/new');
      const subject = page.getByLabel('Subject');
      const isBack = page.getByRole('status').filter({ hasText: 'Your unsaved input is back' });
      const fill = async (): Promise<void> => {
        await subject.fill('Spring catalogue');
        await page.getByRole('button', { name: 'Add a line' }).click();
        await cell(page, 1, 'unitPriceNet').fill('a hundred');
      };
      await fill();
      await page.reload();
      await isBack.waitFor();
      expect(await subject.inputValue()).toBe('Spring catalogue');
      expect(await cell(page, 1, 'unitPriceNet').inputValue()).toBe('a hundred');
      await expectAccessible(page);
      await isBack.getByRole('button', { name: 'Discard it' }).click();
      expect([await subject.inputValue(), await page.getByLabel(/^Title, line/).count()]).toEqual(['', 1]);
      await page.reload();
      await subject.waitFor();
      expect(await isBack.count()).toBe(0);

      await fill();
      await page.context().clearCookies();
      await signInByCookie(page, other.cookie ?? '');
      await page.reload();
      await subject.waitFor();
      await waitUntilIdle(page);
      expect([await isBack.count(), await subject.inputValue()]).toEqual([0, '']);
      expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('Spring catalogue');
      await subject.fill('Autumn catalogue');
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
      await page.getByLabel('E-mail address').waitFor();
      expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('Autumn catalogue');
    });
  });

  it('a draft and a receipt keep their input, and what others change meanwhile', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme);
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/${id}/edit`);
      await page.getByLabel('Subject').fill('Spring catalogue');
      const update =
        'mutation ($id: UUID!, $input: UpdateInvoiceInput!) { updateInvoice(id: $id, input: $input) { id } }';
      await acme.graphql(update, { id, input: { dueDate: '2026-05-01' } });
      await page.reload();
      await page.getByText('Due date was changed elsewhere to “May 1, 2026”, and updated here.').waitFor();
      expect(await page.getByLabel('Due date').inputValue()).toBe('2026-05-01');
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByRole('heading', { level: 1, name: 'Draft', exact: true }).waitFor();

      await open(page, '/receipts');
      const add = page.getByRole('button', { name: 'Add a receipt' }).first();
      await add.click();
      await page.getByLabel('Category').fill('Travel');
      await page.reload();
      await add.click();
      await page.getByText('Your unsaved input is back').waitFor();
      expect(await page.getByLabel('Category').inputValue()).toBe('Travel');
      expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('Spring catalogue');
    });
    const { body } = await acme.rest('GET', `/invoices/${id}`);
    expect(body.data).toMatchObject({ subject: 'Spring catalogue', due_date: '2026-05-01' });
  });

  it('on a phone, in German, has its totals and actions in view', async () => {
    const { acme, open } = await pages.bookkeeper();
    await setCompany(acme, company);
    const customerId = await makeCustomer(acme, buyer);
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: 'de-DE' };
    await pages.visit(phone, async (page) => {
      await open(page, `/invoices/new?customer=${customerId}`);
      await cell(page, 0, 'title').fill('Konzept');
      await cell(page, 0, 'unitPriceNet').fill('1250');
      await cell(page, 0, 'vatRate').fill('19');
      const total = page.getByRole('group', { name: 'Bisherige Summen' }).getByText('1.487,50');
      await total.waitFor();
      const issue = page.getByRole('button', { name: 'Ausstellen…' });
      for (const to of [0, 300, 10_000]) {
        await page.evaluate((top) => window.scrollTo({ top, behavior: 'instant' }), to);
        for (const part of [total, issue]) {
          const { y, height } = (await part.boundingBox())!;
          expect([to, y > 0 && y + height <= 844]).toEqual([to, true]);
        }
      }
      await expectAccessible(page);
      await issue.tap();
      await page.getByRole('dialog', { name: 'Rechnung ausstellen?' }).waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Abbrechen' }).tap();
      await expect.poll(() => new URL(page.url()).search).toBe('');
    });
  });

  it.skipIf(noPdfViewer)('shows the PDF beside what is typed, one at a time, and lets the focus be', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    await setCompany(acme, company);
    const customerId = await makeCustomer(acme, buyer);
    await using browser = await launch({ showsPdfs: true });
    await visit(browser, app.service.url, { viewport: { width: 1440, height: 900 } }, async (page, watch) => {
      watch.allowed.push(/chrome(-extension)?:/); // Chromium shows a PDF by pages of its own
      let running = 0;
      const atOnce: number[] = [];
      page.on('request', (request) => {
        if (operationName(request) === 'NewInvoicePdf') atOnce.push((running += 1));
      });
      page.on('requestfinished', (request) => {
        if (operationName(request) === 'NewInvoicePdf') running -= 1;
      });
      // The first takes longer than the pause after which the next is made.
      await page.route('**/graphql', async (route) => {
        if (operationName(route.request()) === 'NewInvoicePdf' && atOnce.length === 1) await sleep(3000);
        await route.continue();
      });
      await open(page, `/invoices/new?customer=${customerId}`);
      await page.getByText('The PDF is shown as soon as').waitFor();
      await cell(page, 0, 'unitPriceNet').fill('100');
      await cell(page, 0, 'vatRate').fill('19');
      await cell(page, 0, 'title').pressSequentially('Concept', { delay: 50 });
      const frames = page.locator('iframe[title="Preview of the invoice"]');
      const address = () => frames.first().getAttribute('src');
      await expect.poll(() => atOnce.length).toBe(1);
      await cell(page, 0, 'title').pressSequentially(' of the spring', { delay: 50 });
      await frames.first().waitFor();
      const first = await address();
      await cell(page, 0, 'title').pressSequentially(' catalogue', { delay: 50 });
      await expect.poll(address).not.toBe(first);
      await expect.poll(() => frames.count()).toBe(1);
      expect(await focused(page)).toBe('items.0.title');
      expect(Math.max(...atOnce)).toBe(1);
      expect(atOnce.length).toBeLessThan(10); // of 31 keys
      await expectAccessible(page);
      await page.getByRole('button', { name: 'PDF beside the form', pressed: true }).click();
      await frames.first().waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('button', { name: 'PDF beside the form', pressed: false }).waitFor();
      expect(await frames.count()).toBe(0);
      expect(await acme.db.invoice.count()).toBe(0);
    });
  });
});
