import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { item, makeBankTransaction, makeCreditNote, makeCustomer, makeInvoice, makeReceipt } from '../graphql/books.ts';
import type { Integrator } from '../harness.ts';
import { expectAccessible, startApp, waitUntilIdle, type App } from './app.ts';
import { noBrowser } from './browser.ts';
import { byKeyboard, ways, type Hands } from './hands.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';
import { layoutProblems } from './layout-problems.ts';
import { startingWith, textsIn } from './page-texts.ts';

// A bank transaction that is matched by hand: with several documents, netted, and in another currency.

const longPoll = { timeout: 20_000 };

/** A bank transaction of which nothing is matched. */
const transaction = (acme: Integrator, amount: string): Promise<string> =>
  makeBankTransaction(acme, { amount, amountOpen: amount });

/** A credit note of 11.90 of an invoice that is paid. */
const makeNote = async (acme: Integrator, customerId: string): Promise<string> =>
  makeCreditNote(acme, {
    invoiceId: await makeInvoice(acme, { customerId, status: 'PAID' }),
    amounts: [{ vatRate: '19', net: '10' }],
  });

const numberOf = async (acme: Integrator, path: string): Promise<string> =>
  (await acme.rest('GET', path)).body.data.number;

const focused = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent);

describe.skipIf(noBrowser)('a match by hand', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  /** Opens the form, and begins with the documents of these numbers. */
  async function addAll(page: Page, { use, choose }: Hands, numbers: string[], say = textsIn('en')): Promise<void> {
    const dialog = page.getByRole('dialog');
    const firstField = new RegExp(
      `^(${say('Add an invoice or a supplier’s credit')}|${say('Add a receipt or credit note')})`,
    );
    for (const [at, number] of numbers.entries()) {
      if (at === 0) await use(page, page.getByRole('button', { name: say('Match manually') }));
      else await use(page, dialog.getByRole('button', { name: say('Add another document') }));
      await dialog.getByRole('combobox', { name: at === 0 ? firstField : say('Another document') }).waitFor();
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('role')), longPoll)
        .toBe('combobox');
      await page.keyboard.type(number);
      const option = page.getByRole('option', { name: number });
      await expect.poll(() => page.getByRole('option').count(), longPoll).toBe(1);
      await option.waitFor();
      await choose(page, option);
      await expect
        .poll(() => focused(page), longPoll)
        .toMatch(new RegExp(`^${say('Amount in {currency}', { currency: '.*' })}.*${number}$`));
    }
  }

  it.each(ways)('nets an invoice and a credit note of one customer, %s', async (_name, take, options) => {
    const hands = take();
    const { acme, open } = await pages.bookkeeper();
    const customerId = await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
    const invoiceId = await makeInvoice(acme, { customerId, status: 'ISSUED' });
    const noteId = await makeNote(acme, customerId);
    await makeNote(acme, await makeCustomer(acme, { companyName: 'Nordlicht Film' }));
    const bank = await transaction(acme, '107.10');
    const [number, note] = [
      await numberOf(acme, `/invoices/${invoiceId}`),
      await numberOf(acme, `/credit-notes/${noteId}`),
    ];
    await pages.visit(options, async (page) => {
      const dialog = page.getByRole('dialog');
      await open(page, `/bank-transactions/${bank}`);
      await addAll(page, hands, [number]);
      const amount = dialog.getByLabel(`Amount in EUR, Invoice ${number}`);
      expect(await amount.inputValue()).toBe('107.10');
      await hands.use(page, dialog.getByRole('button', { name: 'Add another document' }));
      await page.keyboard.type('Nordlicht'); // of both, only this customer's credit note
      await expect
        .poll(() => page.getByRole('option').allTextContents(), longPoll)
        .toEqual([`Credit note ${note} · Nordlicht Verlag · €11.90 to deduct`]);
      await hands.choose(page, page.getByRole('option'));
      const row = dialog.getByRole('group', { name: `Credit note ${note}` });
      await row.getByText('Deducted', { exact: true }).waitFor();
      await dialog.getByText('Left open: €0.00').waitFor();
      expect(await amount.inputValue()).toBe('119.00');
      await expectAccessible(page);
      await hands.use(page, dialog.getByRole('button', { name: `Remove Credit note ${note}` }));
      await dialog.getByText('Left open: €0.00').waitFor();
      expect(await amount.inputValue()).toBe('107.10');
      expect(await focused(page)).toBe('Add another document');
      await hands.use(page, dialog.getByRole('button', { name: 'Add another document' }));
      await page.keyboard.type(note);
      await page.getByRole('option', { name: note }).waitFor();
      await hands.choose(page, page.getByRole('option', { name: note }));
      await row.waitFor();
      await hands.use(page, dialog.getByRole('button', { name: 'Match', exact: true }));
      await page.getByText('The transaction is matched.').waitFor();
      expect((await acme.rest('GET', `/invoices/${invoiceId}`)).body.data).toMatchObject({
        status: 'paid',
        amount_paid: 119,
      });
      expect((await acme.rest('GET', `/credit-notes/${noteId}`)).body.data).toMatchObject({ amount_due: 0 });

      // They are undone as they were matched: together.
      await hands.use(page, page.getByRole('button', { name: 'Undo all' }));
      await expectAccessible(page);
      await hands.use(page, dialog.getByRole('button', { name: 'Undo all' }));
      await page.getByText('The matches are undone.').waitFor();
      await page.getByRole('button', { name: 'Match manually' }).waitFor();
    });
    expect((await acme.rest('GET', `/invoices/${invoiceId}`)).body.data).toMatchObject({ amount_due: 119 });
    expect((await acme.rest('GET', `/credit-notes/${noteId}`)).body.data).toMatchObject({ amount_due: 11.9 });
  });

  it.each(ways)(
    'of another currency shows its rate, and errors beside their fields, %s',
    async (_name, take, options) => {
      const hands = take();
      const { acme, open } = await pages.bookkeeper();
      const fields = { customerId: await makeCustomer(acme), currency: 'USD', status: 'ISSUED' };
      const ids = [await makeInvoice(acme, fields), await makeInvoice(acme, fields)];
      const [first = '', second = ''] = await Promise.all(ids.map((id) => numberOf(acme, `/invoices/${id}`)));
      const bank = await transaction(acme, '200');
      await pages.visit(options, async (page) => {
        const dialog = page.getByRole('dialog');
        const field = (number: string) => dialog.getByLabel(`On the account, in EUR, Invoice ${number}`);
        const type = async (control: Locator, text: string): Promise<void> => {
          await hands.focus(page, control);
          await control.selectText();
          await page.keyboard.type(text);
        };
        await open(page, `/bank-transactions/${bank}`);
        await addAll(page, hands, [first]);
        expect(await field(first).inputValue()).toBe('200.00');
        await type(field(first), '109.48');
        await dialog.getByText('1 USD = 0.92 EUR').waitFor();
        await dialog.getByText('Left open: €90.52').waitFor();
        await hands.use(page, dialog.getByRole('button', { name: 'Add another document' }));
        await page.keyboard.type(second);
        await page.getByRole('option', { name: second }).waitFor();
        await hands.choose(page, page.getByRole('option', { name: second }));
        await expect.poll(() => field(second).inputValue(), longPoll).toBe('90.52');
        await type(field(second), '100.005');
        await dialog.getByText('More than is open: €9.485').waitFor();
        await expectAccessible(page);
        const send = dialog.getByRole('button', { name: 'Match', exact: true });
        const refused = async (typed: string, message: RegExp): Promise<void> => {
          await hands.use(page, send);
          await dialog.getByText(message).waitFor();
          await expect.poll(() => focused(page), longPoll).toBe(`On the account, in EUR, Invoice ${second}`);
          expect(await field(second).getAttribute('aria-invalid')).toBe('true');
          expect(await field(first).getAttribute('aria-invalid')).not.toBe('true');
          expect([await field(first).inputValue(), await field(second).inputValue()]).toEqual(['109.48', typed]);
        };
        await refused('100.005', /decimal/);
        await expectAccessible(page);
        await type(field(second), '100');
        await refused('100', /Must not be more than the €?90\.52/);
        await field(second).clear();
        await refused('', /Enter a number/);
        await type(field(second), '90.50');
        const amount = dialog.getByLabel(`Amount in USD, Invoice ${second}`);
        await hands.use(page, dialog.getByRole('button', { name: `Remove Invoice ${first}` }));
        await amount.fill('100');
        await dialog.getByText('1 USD = 0.905 EUR').waitFor();
        await dialog.getByText('Left open: €109.50').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Keep editing' }).click();
        await hands.use(page, send);
        await page.getByText('The transaction is partially matched.').waitFor();
        await expectAccessible(page);
      });
      expect((await acme.rest('GET', `/payments?invoice_id=${ids[1]}`)).body.data).toMatchObject([
        { amount: 100, currency: 'USD', exchange_amount: 90.5, exchange_currency: 'EUR', exchange_rate: 0.905 },
      ]);
    },
  );

  it('reads and writes amounts and rates as Germans do', async () => {
    const say = textsIn('de-DE');
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme, { currency: 'USD', status: 'ISSUED' });
    const bank = await transaction(acme, '1109.48');
    await pages.visit({ locale: 'de-DE' }, async (page) => {
      const dialog = page.getByRole('dialog');
      await open(page, `/bank-transactions/${bank}`);
      await addAll(page, byKeyboard(), [await numberOf(acme, `/invoices/${id}`)], say);
      expect(
        await dialog.getByLabel(startingWith(say('On the account, in {currency}', { currency: 'EUR' }))).inputValue(),
      ).toBe('1.109,48');
      await dialog.getByLabel(startingWith(say('On the account, in {currency}', { currency: 'EUR' }))).fill('109,48');
      await dialog.getByText('1 USD = 0,92 EUR').waitFor();
      await dialog.getByText(say('Left open: {amount}', { amount: '1.000,00\u00A0€' })).waitFor();
      await dialog.getByRole('button', { name: say('Match'), exact: true }).click();
      await page.getByText(say('The transaction is partially matched.')).waitFor();
    });
    const [payment] = (await acme.rest('GET', `/payments?invoice_id=${id}`)).body.data;
    expect(payment).toMatchObject({ amount: 119, exchange_amount: 109.48, exchange_rate: 0.92 });
  });

  it('what can’t be together is refused beside it: less than zero, and an adjustment', async () => {
    const { acme, open } = await pages.bookkeeper();
    const supplierId = await makeCustomer(acme, { type: 'SUPPLIER', companyName: 'Papier Union' });
    const bought = { supplierId, status: 'BOOKED', receiptNumber: 'R-1' };
    const credited = await makeReceipt(acme, bought);
    const credit = { ...bought, receiptNumber: 'C-1', creditedReceiptId: credited, amountGross: '-50' };
    await makeReceipt(acme, credit);
    const bank = await transaction(acme, '-60');
    await pages.visit({}, async (page) => {
      const dialog = page.getByRole('dialog');
      await open(page, `/bank-transactions/${bank}`);
      await addAll(page, byKeyboard(), ['R-1', 'C-1']);
      await dialog.getByText('Left open: €0.00').waitFor();
      const [paid, deducted] = [
        dialog.getByLabel('Amount in EUR, Receipt R-1'),
        dialog.getByLabel('Amount in EUR, Credit C-1'),
      ];
      expect([await paid.inputValue(), await deducted.inputValue()]).toEqual(['110.00', '50.00']);
      await deducted.fill('40');
      expect(await dialog.getByRole('group', { name: 'Credit C-1' }).getByRole('combobox').count()).toBe(0);
      await paid.fill('40');
      const match = dialog.getByRole('button', { name: 'Match', exact: true });
      await match.click();
      await dialog.getByText(/^Together they must be more than zero/).waitFor();
      expect(await dialog.getByRole('alert').count()).toBe(0);
      await paid.fill('100');
      await dialog.getByRole('combobox', { name: /^The rest: €19\.00/ }).click();
      await page.getByRole('option', { name: 'A rounding difference' }).click();
      await match.click();
      await dialog.getByRole('group', { name: 'Receipt R-1' }).getByText('Must be at most 1.').waitFor();
      await expect.poll(() => focused(page), longPoll).toBe('The rest: €19.00, Receipt R-1');
      await expectAccessible(page);
      await dialog.getByRole('combobox', { name: /^The rest/ }).click();
      await page.getByRole('option', { name: 'Stays open' }).click();
      expect(await dialog.getByText('Must be at most 1.').count()).toBe(0);
      await match.click();
      await page.getByText('The transaction is matched.').waitFor();
    });
    expect((await acme.rest('GET', `/receipts/${credited}`)).body.data).toMatchObject({ amount_paid: 100 });
  });

  it('fits every window with the longest values', async () => {
    const { acme, open } = await pages.bookkeeper();
    const customerId = await makeCustomer(acme, { companyName: 'Wxyzabcdefghijklmn'.repeat(15).slice(0, 255) });
    const items = [{ ...item, unitPriceNet: '8403361344537.81' }];
    const paid = await makeInvoice(acme, { customerId, items, status: 'PAID' });
    const numbers = [
      await numberOf(acme, `/invoices/${await makeInvoice(acme, { customerId, items, status: 'ISSUED' })}`),
      await numberOf(
        acme,
        `/invoices/${await makeInvoice(acme, { customerId, items, currency: 'USD', status: 'ISSUED' })}`,
      ),
      await numberOf(acme, `/credit-notes/${await makeCreditNote(acme, { invoiceId: paid })}`),
    ];
    const bank = await transaction(acme, '9999999999999.99');
    await pages.visit({}, async (page) => {
      await open(page, `/bank-transactions/${bank}`);
      await addAll(page, byKeyboard(), numbers);
      await page.getByLabel(/^On the account/).fill('1234567890123.45');
      await page.getByLabel(/^Amount in USD/).fill('1234567.89');
      const found: Record<number, string[]> = {};
      for (const width of [1440, 768, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await waitUntilIdle(page);
        found[width] = await layoutProblems(page, { touch: 24 });
        if (process.env['SCREENSHOTS'])
          await page.screenshot({ path: `${process.env['SCREENSHOTS']}/match-${width}.png` });
      }
      expect(found).toEqual({ 1440: [], 768: [], 390: [] });
      await expectAccessible(page);
    });
  });
});
