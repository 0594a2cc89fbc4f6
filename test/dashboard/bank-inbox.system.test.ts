import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBankAccount, makeBankTransaction, makeCustomer } from '../graphql/books.ts';
import { expectAccessible, operationName, press, startApp, waitUntilIdle, type App } from './app.ts';
import { noBrowser } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';
import { textsIn } from './page-texts.ts';
import { countUnmatched, makePair, makePairs } from './pairs.ts';

// Unmatched bank transactions: matched one after the other, undone, and all exact ones at once.

const longPoll = { timeout: 20_000 };
const unmatched = '/bank-transactions?status=UNMATCHED';

const selectedIn = (page: Page): string | null => new URL(page.url()).searchParams.get('selected');

/** Waits until a transaction is selected, in the address and in the list, and its suggestions are shown. */
async function expectSelected(page: Page, id: string, hasFocus = true): Promise<void> {
  await expect.poll(() => selectedIn(page), longPoll).toBe(id);
  const row = page.locator(`[data-transaction="${id}"]`);
  await expect.poll(() => row.getAttribute('aria-current'), longPoll).toBe('true');
  if (hasFocus) await expect.poll(() => row.evaluate((link) => link === document.activeElement), longPoll).toBe(true);
  await page.getByRole('heading', { name: 'Suggestions' }).waitFor();
}

describe.skipIf(noBrowser)('the inbox of bank transactions', { timeout: 180_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it('an IBAN stands in groups of four, in the list and on its page, and is copied without spaces', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeBankAccount(acme, { name: 'Main', iban: 'DE02120300000000202051' });
    await pages.visit({ viewport: { width: 768, height: 900 } }, async (page) => {
      for (const path of ['/bank-accounts', `/bank-accounts/${id}`]) {
        await open(page, path);
        const groups = page.locator('.iban > span');
        expect(await groups.allTextContents()).toEqual(['DE02', '1203', '0000', '0000', '2020', '51']);
        const [first, second] = [(await groups.nth(0).boundingBox())!, (await groups.nth(1).boundingBox())!];
        expect(second.x - first.x - first.width).toBeGreaterThan(3);
        const copied = await page.locator('.iban').evaluate((element) => {
          getSelection()?.selectAllChildren(element);
          return getSelection()?.toString();
        });
        expect(copied).toBe('DE02120300000000202051');
        // A list that has no filters has no button for them.
        if (path === '/bank-accounts') expect(await page.getByRole('button', { name: 'Filters' }).count()).toBe(0);
      }
    });
  });

  it('matches twenty by twenty keys, and undoes one by another', async () => {
    const { acme, open } = await pages.bookkeeper();
    const pairs = await makePairs(acme, 20);
    const [first, second, third] = pairs.map(({ id }) => id);
    await pages.visit({ viewport: { width: 1440, height: 900 } }, async (page) => {
      const keys: string[] = [];
      const type = async (key: string): Promise<void> => {
        keys.push(key);
        await press(page, key);
      };
      await open(page, unmatched);
      await expectSelected(page, first!, false);
      await expectAccessible(page);
      expect(await page.getByText('Exact match', { exact: true }).count()).toBe(1);

      // The selection moves by keys, and the address has it.
      await press(page, 'j');
      await expectSelected(page, second!);
      await press(page, 'ArrowDown');
      await expectSelected(page, third!);
      await press(page, 'k');
      await expectSelected(page, second!);

      // Neither what others add nor a reload moves it.
      const added = { amount: '7', amountOpen: '7', counterpartyName: 'Initech', bookingDate: new Date('2026-04-30') };
      const newest = await makeBankTransaction(acme, added);
      await page.locator(`[data-transaction="${newest}"]`).waitFor();
      await expectSelected(page, second!);
      await page.reload();
      await expectSelected(page, second!, false);

      // Keys are text in a field, and belong to a dialog that is open.
      await page.getByRole('searchbox').focus();
      await page.keyboard.type('Payment');
      await page.locator(`[data-transaction="${newest}"]`).waitFor({ state: 'detached' });
      await page.getByRole('searchbox').press('Enter');
      await waitUntilIdle(page);
      await page.locator(`[data-transaction="${second}"]`).click();
      await expectSelected(page, second!);
      await page.getByRole('button', { name: 'Match manually' }).click();
      await page.getByRole('dialog').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).focus();
      await press(page, 'j');
      await press(page, 'Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await expectSelected(page, second!, false);
      expect(await countUnmatched(acme)).toBe(21);
      await press(page, 'k');
      await expectSelected(page, first!);

      for (const [at, { id }] of pairs.entries()) {
        await expectSelected(page, id);
        await type('Enter');
        await page.locator(`[data-transaction="${id}"]`).waitFor({ state: 'detached' });
        if (at !== 4) continue;
        // Undo selects it again. Its focus is the list's.
        await page
          .getByRole('alert')
          .getByText(/^Matched with Invoice/)
          .waitFor();
        await expectAccessible(page);
        await press(page, 'Control+z');
        await page.getByText('The match is undone.').waitFor();
        await expectSelected(page, id);
        expect(await countUnmatched(acme)).toBe(17);
        await press(page, 'Enter');
        await page.locator(`[data-transaction="${id}"]`).waitFor({ state: 'detached' });
      }
      expect(keys).toEqual(Array.from({ length: 20 }, () => 'Enter'));
      await page.getByText('No transactions match').waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), longPoll).toBe('H1');
      await page.getByRole('button', { name: 'Clear filters' }).first().click();
    });
    expect(await countUnmatched(acme)).toBe(1);
    for (const { invoiceId } of pairs)
      expect((await acme.rest('GET', `/invoices/${invoiceId}`)).body.data).toMatchObject({ status: 'paid' });
  });

  it('by touch on a phone, one tap each, in German', async () => {
    const say = textsIn('de-DE');
    const confirmButton = new RegExp(`${say('Confirm {name}', { name: '' }).trim()}$`);
    const { acme, open } = await pages.bookkeeper();
    const pairs = await makePairs(acme, 3);
    const options = { viewport: { width: 390, height: 844 }, hasTouch: true, locale: 'de-DE' };
    await pages.visit(options, async (page) => {
      await open(page, unmatched);
      await expectAccessible(page);
      await page.getByRole('link', { name: 'Globex' }).first().tap();
      for (const { id } of pairs) {
        await page.waitForURL(new RegExp(id));
        await waitUntilIdle(page);
        await page.getByRole('button', { name: confirmButton }).first().tap();
        if (id !== pairs[1]?.id) continue;
        await page.waitForURL(new RegExp(pairs[2]!.id));
        await waitUntilIdle(page);
        await page.getByRole('button', { name: say('Undo'), exact: true }).tap();
        await page.getByText(say('The match is undone.')).waitFor();
        await page.waitForURL(new RegExp(id));
        await expectAccessible(page);
        expect(await countUnmatched(acme)).toBe(2);
        await page.getByRole('button', { name: confirmButton }).first().tap();
      }
      await page.getByText(say('No other transaction is unmatched.')).waitFor();
    });
    expect(await countUnmatched(acme)).toBe(0);
  });

  it('confirms all exact at once, undoes them together, and names those that changed meanwhile', async () => {
    const { acme, open } = await pages.bookkeeper();
    const pairs = await makePairs(acme, 4);
    const stale = await makePair(acme, await makeCustomer(acme, { companyName: 'Initech' }), 9, 'Initech');
    const second = { amount: '119', amountOpen: '119', counterpartyName: 'Globex', reference: 'Twice' };
    const statusOf = async (id: string) => (await acme.rest('GET', `/invoices/${id}`)).body.data.status;
    const twice = await makeBankTransaction(acme, { ...second, bookingDate: new Date('2026-04-30') });
    await pages.visit({ viewport: { width: 1000, height: 800 } }, async (page) => {
      // Others pay it while the confirmation is on its way.
      await page.route('**/graphql', async (route) => {
        if (operationName(route.request()) === 'ConfirmExactMatches')
          await acme.graphql(`mutation { payInvoice(id: "${stale.invoiceId}") { id } }`);
        await route.continue();
      });
      await open(page, unmatched);
      await expectSelected(page, twice, false);
      await page.getByRole('button', { name: 'Confirm all exact…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('€2,261.00 in').waitFor();
      expect(await dialog.getByText('Twice').count()).toBe(0);
      expect(await dialog.getByRole('row').count()).toBe(6);
      await expectAccessible(page);
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.textContent), longPoll)
        .toBe('Confirm 5 matches');
      await press(page, 'Enter');
      await page.getByText('4 transactions are matched.').waitFor();
      await page.getByText('1 transaction was not matched').waitFor();
      await page.getByText(/^Initech · €1,071\.00 · Invoice 2026-/).waitFor();
      await page.locator(`[data-transaction="${pairs[3]!.id}"]`).waitFor({ state: 'detached' });
      await expectSelected(page, twice, false);
      await expectAccessible(page);
      const left = await acme.db.bankTransaction.findMany({ where: { matchStatus: 'UNMATCHED' } });
      expect(left.map(({ id }) => id).toSorted()).toEqual([stale.id, twice].toSorted());
      for (const { invoiceId } of pairs) expect(await statusOf(invoiceId)).toBe('paid');

      // One message undoes these, but none that others have undone.
      const unmatch = 'mutation ($id: UUID!) { unmatchBankTransaction(id: $id) { id } }';
      await acme.graphql(unmatch, { id: pairs[3]!.id });
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await page.getByText('3 matches are undone.').waitFor();
      await page.getByText('1 match was not undone').waitFor();
      await page.getByText(/^Globex · €476\.00 · Invoice 2026-/).waitFor();
      await expectSelected(page, pairs[0]!.id);
      await expectAccessible(page);
    });
    expect(await countUnmatched(acme)).toBe(6);
    for (const { invoiceId } of pairs) expect(await statusOf(invoiceId)).toBe('issued');
  });
});
