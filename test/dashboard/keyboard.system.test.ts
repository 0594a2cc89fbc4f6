import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  item,
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeDelivery,
  makeInvoice,
  makePayment,
  makeReceipt,
} from '../graphql/books.ts';
import { expectAccessible, press, startApp, waitUntilIdle, type App } from './app.ts';
import { noBrowser } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';
import { textsIn } from './page-texts.ts';

// Daily work by keyboard: where the focus is, and what Enter does.

/** The name of what has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement | null;
    const label = element?.labels?.[0]?.textContent ?? element?.getAttribute('aria-label') ?? element?.textContent;
    return element === document.body ? 'nothing' : `${element?.tagName.toLowerCase()} ${label?.trim()}`;
  });

/** Waits until something of this name has the focus. */
const expectFocus = async (page: Page, name: RegExp): Promise<void> => {
  await expect.poll(() => focused(page), { timeout: 30_000 }).toMatch(name);
};

describe.skipIf(noBrowser)('by keyboard', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it('issuing asks with its main action, and leaves the focus on the page’s heading', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme);
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/${id}`);
      await page.getByRole('button', { name: 'Issue', exact: true }).focus();
      await press(page, 'Enter');
      await page.getByRole('dialog', { name: 'Issue the invoice?' }).waitFor();
      await expectFocus(page, /^button Issue$/);
      expect(await page.evaluate(() => document.activeElement?.closest('[role="dialog"]') !== null)).toBe(true);
      await press(page, 'Enter');
      await page.getByRole('heading', { level: 1, name: /^Invoice 2026-/ }).waitFor();
      await expectFocus(page, /^h1 Invoice 2026-/);
      await press(page, 'Tab');
      await expectFocus(page, /^button Record a payment$/);
    });
  });

  it('what deletes asks with the safe choice, which gives the focus back', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme);
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/${id}`);
      await page.getByRole('button', { name: 'More actions' }).focus();
      await press(page, 'Enter');
      await page.getByRole('menuitem', { name: 'Delete…' }).waitFor();
      await press(page, 'ArrowDown'); // after Duplicate
      await press(page, 'Enter');
      await page.getByRole('dialog', { name: 'Delete the draft?' }).waitFor();
      await expectFocus(page, /^button Cancel$/);
      await press(page, 'Enter');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await expectFocus(page, /^button More actions$/);
    });
    expect((await acme.rest('GET', `/invoices/${id}`)).status).toBe(200);
  });

  it('on a small window, or zoomed, the navigation takes keys only while it is open, and the header hides none', async () => {
    const { acme, open } = await pages.bookkeeper();
    const names = Array.from({ length: 12 }, (_, at) => `Customer ${at}`);
    await acme.db.customer.createMany({ data: names.map((companyName) => ({ type: 'CUSTOMER', companyName })) });
    await pages.visit({ viewport: { width: 640, height: 512 } }, async (page) => {
      await open(page, '/customers');
      const [account, content] = [/^button .*Account of/, /^a Import: Customers$/];
      await page.getByRole('button', { name: /^Account of/ }).focus();
      await press(page, 'Tab');
      await expectFocus(page, content);
      await press(page, 'Shift+Tab');
      await expectFocus(page, account);
      await page.getByRole('button', { name: 'Navigation' }).click();
      await page.getByRole('button', { name: /^Account of/ }).focus();
      await page.keyboard.press('Tab'); // to the language, which such a window has in the header
      await expect.poll(() => page.locator('nav :focus').count()).toBe(1);
      await page.getByRole('button', { name: 'Navigation' }).click();
      await page.getByRole('button', { name: 'Select' }).focus();
      await press(page, 'Tab'); // to the table, which is longer than the window
      await page.keyboard.press('Tab');
      await expectFocus(page, /^button Company/);
      const header = await page.locator('header').boundingBox();
      const button = await page.locator(':focus').boundingBox();
      expect(button?.y).toBeGreaterThanOrEqual(header?.height ?? 0);
    });
  });

  it('an undone payment leaves the focus on the heading', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    await makePayment(acme, id, '19');
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/${id}`);
      await page.getByRole('button', { name: 'Undo' }).focus();
      await press(page, 'Enter');
      const dialog = page.getByRole('dialog', { name: 'Undo the payment?' });
      await dialog.waitFor();
      await expectFocus(page, /^input Reason/);
      await page.keyboard.type('Twice');
      await press(page, 'Enter');
      await page.getByText('The payment is undone.').waitFor();
      await expectFocus(page, /^h1 Invoice /);
    });
  });

  it('dialogs begin at their first field, also where it is loaded first', async () => {
    const { acme, open } = await pages.bookkeeper();
    const supplier = await makeCustomer(acme, { type: 'SUPPLIER', companyName: 'Stadtwerke' });
    const fields = { amount: '-50', amountOpen: '-50', counterpartyName: 'Stadtwerke' };
    const transaction = await makeBankTransaction(acme, fields);
    const { webhookId } = await makeDelivery(acme);
    await pages.visit({}, async (page) => {
      for (const [path, button, field] of [
        ['/customers', 'Add a customer', /^input Type|^input Company name/],
        ['/receipts', 'Add a receipt', /^input /],
        ['/projects', 'Add a project', /^input Name/],
        ['/settings/webhooks', 'Add a webhook', /^input /],
        ['/settings/api-tokens', 'Generate a token', /^input /],
        ['/settings/members', 'Invite', /^input /],
        ['/exports', 'New export', /^input List$/],
        [`/customers/${supplier}`, 'Edit', /^input Type|^input Company name/],
        [`/bank-transactions/${transaction}`, 'Match manually', /^input Add a receipt/],
        [`/bank-transactions/${transaction}`, 'Create receipt', /^(input|textarea) /],
      ] as const) {
        await open(page, path);
        await page.getByRole('main').getByRole('button', { name: button, exact: true }).first().click();
        await page.getByRole('dialog').waitFor();
        await expectFocus(page, field);
      }
      await open(page, `/settings/webhooks/${webhookId}`);
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Rotate the secret…' }).click();
      await expectFocus(page, /^input In 24 hours$/);
    });
  });

  it('Enter takes the picker’s first match, even before it is found', async () => {
    const { acme, open } = await pages.bookkeeper();
    await makeCustomer(acme, { companyName: 'Galerie Watt' });
    await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
    await pages.visit({}, async (page) => {
      await open(page, '/invoices/new');
      const picker = page.getByRole('combobox', { name: 'Customer' });
      await picker.focus();
      await page.getByRole('option', { name: 'Nordlicht Verlag' }).waitFor(); // before the search
      await page.keyboard.type('galerie');
      await page.getByRole('option', { name: 'Nordlicht Verlag' }).waitFor({ state: 'detached' });
      await page.getByRole('option', { name: 'Galerie Watt' }).waitFor();
      await press(page, 'Enter');
      await expect.poll(() => picker.inputValue(), { timeout: 30_000 }).toBe('Galerie Watt');
      await page.getByRole('listbox').waitFor({ state: 'hidden' });
      await picker.selectText();
      await page.keyboard.type('nordl');
      await page.keyboard.press('Enter');
      await expect.poll(() => picker.inputValue(), { timeout: 30_000 }).toBe('Nordlicht Verlag');
      await page.getByRole('listbox').waitFor({ state: 'hidden' });
      // A pasted text: the list has just opened, with the chosen option marked, which Enter must not take back.
      await picker.selectText();
      await page.keyboard.insertText('galerie');
      await page.keyboard.press('Enter');
      await expect.poll(() => picker.inputValue(), { timeout: 30_000 }).toBe('Galerie Watt');
      await page.getByRole('listbox').waitFor({ state: 'hidden' });
      const currency = page.getByRole('combobox', { name: 'Currency' });
      await currency.fill('swiss fr');
      await page.getByRole('option', { name: /^CHF/ }).waitFor();
      await press(page, 'Enter');
      expect(await currency.inputValue()).toMatch(/^CHF/);
      // The same of a list that is here, by a text that several match, and by one that matches the choice before.
      await currency.selectText();
      await page.keyboard.insertText('franc');
      const first = await page.getByRole('option').first().textContent();
      expect(first).not.toMatch(/^CHF/);
      await press(page, 'Enter');
      await expect.poll(() => currency.inputValue()).toBe(first);
      await currency.selectText();
      await page.keyboard.insertText(first?.slice(0, 3) ?? '');
      await press(page, 'Enter');
      await page.keyboard.press('Tab');
      expect(await currency.inputValue()).toBe(first);
      expect(new URL(page.url()).pathname).toMatch(/\/invoices\/new$/); // nothing was saved
      await open(page, '/settings/company');
      const country = page.getByRole('combobox', { name: 'Country', exact: true });
      for (const text of ['austria', 'austr']) {
        await country.selectText();
        await page.keyboard.insertText(text);
        await press(page, 'Enter');
      }
      await page.keyboard.press('Tab');
      expect(await country.inputValue()).not.toBe('');
    });
  });

  it('an action on what others changed says what they did, and shows it', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme);
    const deleted = await makeInvoice(acme);
    const receipt = await makeReceipt(acme);
    await pages.visit({}, async (page) => {
      // By its stream, which is never answered here, the page could learn it before the click.
      await page.route('**/graphql', async (route) => {
        if (route.request().headers()['accept'] !== 'text/event-stream') await route.fallback();
      });
      await open(page, `/invoices/${id}`);
      await page.getByRole('button', { name: 'Issue', exact: true }).click();
      await page.getByRole('list', { name: 'Checklist' }).waitFor();
      await acme.graphql(`mutation { issueInvoice(id: "${id}") { id } }`);
      await page.getByRole('dialog').getByRole('button', { name: 'Issue', exact: true }).click();
      await page.getByText('This invoice was issued meanwhile.').waitFor();
      await page.getByRole('heading', { level: 1, name: /^Invoice 2026-/ }).waitFor();
      expect(await page.getByText('That didn’t work').count()).toBe(0);
      await expectAccessible(page);
      await open(page, `/receipts/${receipt}`);
      await acme.graphql(`mutation { bookReceipt(id: "${receipt}") { id } }`);
      await page.getByRole('button', { name: 'Book', exact: true }).click();
      await page.getByText('This receipt was booked meanwhile.').waitFor();
      await page.getByRole('button', { name: 'Record a payment' }).waitFor();
      await open(page, `/invoices/${deleted}`);
      await page.getByRole('button', { name: 'Issue', exact: true }).click();
      await page.getByRole('list', { name: 'Checklist' }).waitFor();
      await acme.graphql(`mutation { deleteInvoice(id: "${deleted}") { id } }`);
      await page.getByRole('dialog').getByRole('button', { name: 'Issue', exact: true }).click();
      await page.getByText('This was deleted meanwhile.').waitFor();
      await page.getByRole('button', { name: 'Issue', exact: true }).waitFor({ state: 'detached' });
      await page.unroute('**/graphql');
    });
  });

  it('a transaction has three suggestions at most; others are searched', async () => {
    const { acme, open } = await pages.bookkeeper();
    const customerId = await makeCustomer(acme);
    const numbers: string[] = [];
    for (let count = 0; count < 5; count++) {
      const id = await makeInvoice(acme, { customerId, status: 'ISSUED' });
      numbers.push((await acme.rest('GET', `/invoices/${id}`)).body.data.number);
    }
    const transaction = await makeBankTransaction(acme, { counterpartyName: 'Globex' });
    await pages.visit({}, async (page) => {
      await open(page, `/bank-transactions/${transaction}`);
      await page.getByText('2 more are possible.').waitFor();
      expect(await page.getByRole('button', { name: /^Confirm / }).count()).toBe(3);
      expect(await page.getByText(/of 100/).count()).toBe(0);
      await page.getByRole('button', { name: 'Match manually' }).click();
      await page.getByRole('combobox', { name: 'Add an invoice' }).waitFor();
      await page.keyboard.type(numbers[0]!);
      await page.keyboard.press('Enter');
      await page.getByRole('group', { name: `Invoice ${numbers[0]}` }).waitFor();
    });
  });

  it.each([
    ['en-US', '1,190.60', '€1,190.60'],
    ['de-DE', '1.190,60 €', '1.190,60'],
    ['de-CH', '1’190.60', "1'190.60"],
  ])('amounts are found as people write them: %s', async (locale, typed, shown) => {
    const { acme, open } = await pages.bookkeeper();
    const line = { items: [{ ...item, unitPriceNet: '1000.5' }] }; // 1190.60 gross
    const invoiceId = await makeInvoice(acme, { ...line, subject: 'The wanted one', status: 'PAID' });
    await makeCreditNote(acme, { invoiceId, reason: 'The whole of it' });
    await makeInvoice(acme, { subject: 'Another one' });
    await makeReceipt(acme, { amountGross: '1190.6', description: 'Paper' });
    await makeBankTransaction(acme, { amount: '-1190.6', amountOpen: '-1190.6', counterpartyName: 'Stadtwerke' });
    await pages.visit({ locale }, async (page) => {
      await open(page, '/');
      await press(page, '/');
      await page.getByRole('textbox', { name: textsIn(locale)('Search everything') }).fill(typed);
      for (const name of ['The wanted one', 'The whole of it', 'Paper', 'Stadtwerke'])
        await page.getByRole('option').filter({ hasText: name }).waitFor();
      expect(await page.getByRole('option').count()).toBe(4);
      expect(await page.getByRole('option').first().innerText()).toContain(shown);
      await waitUntilIdle(page);
    });
  });
});
