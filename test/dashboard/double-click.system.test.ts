import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBankTransaction, makeInvoice } from '../graphql/books.ts';
import { operationName, signedInBookkeeper, startApp, waitUntilIdle, type App } from './app.ts';
import { noBrowser } from './browser.ts';

// A double click does once what a click does. Dialogs take a moment to vanish: the second click may come until then.

const withMotion = { reducedMotion: 'no-preference' } as const;

/** Clicks a button, and what is at its place once more as soon as the button has done its work. */
async function clickAgainWhenDone(page: Page, button: Locator): Promise<void> {
  await button.evaluate((node: HTMLButtonElement) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    let wasBusy = false;
    new MutationObserver((_, observer) => {
      wasBusy ||= node.disabled;
      if (!wasBusy || node.disabled) return;
      observer.disconnect();
      document.documentElement.dataset['clickedAgain'] = 'yes';
      document
        .elementFromPoint(left + width / 2, top + height / 2)
        ?.closest('button')
        ?.click();
    }).observe(node, { attributes: true, attributeFilter: ['disabled'] });
  });
  await button.click();
  await page.locator('html[data-clicked-again]').waitFor();
}

describe.skipIf(noBrowser)('a double click', { timeout: 120_000 }, () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.close());

  it('records a partial payment once, and another one afterwards', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    const readPaid = async () => {
      const { invoice } = await acme.graphql('query ($id: UUID!) { invoice(id: $id) { amountPaid } }', { id });
      return invoice.amountPaid;
    };
    await app.visit(withMotion, async (page) => {
      await open(page, `/invoices/${id}`);
      const dialog = page.getByRole('dialog');
      for (const paid of ['10', '20']) {
        await page.getByRole('button', { name: 'Record a payment' }).click();
        await dialog.getByLabel('Amount in EUR').fill('10');
        await waitUntilIdle(page);
        await clickAgainWhenDone(page, dialog.getByRole('button', { name: 'Record the payment' }));
        await dialog.waitFor({ state: 'detached' });
        await waitUntilIdle(page);
        expect(await readPaid()).toBe(paid);
        await page.evaluate(() => delete document.documentElement.dataset['clickedAgain']);
      }
    });
  });

  it('issues an invoice without a message that somebody else did', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    const id = await makeInvoice(acme);
    await app.visit(withMotion, async (page) => {
      await open(page, `/invoices/${id}`);
      await page.getByRole('button', { name: 'Issue', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('list', { name: 'Checklist' }).waitFor();
      await waitUntilIdle(page);
      await dialog.getByRole('button', { name: 'Issue', exact: true }).dblclick();
      await page.getByText('Issued as invoice').waitFor();
      await dialog.waitFor({ state: 'detached' });
      await waitUntilIdle(page);
      expect(await page.getByText('Nothing was done.').count()).toBe(0);
    });
  });

  it('books a receipt of a bank transaction once, also while it is matched', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    const id = await makeBankTransaction(acme, { amount: -119, amountOpen: -119 });
    await app.visit(withMotion, async (page) => {
      await open(page, `/bank-transactions/${id}`);
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
      await page.route('**/graphql', async (route) => {
        if (operationName(route.request()) === 'MatchBankTransaction') {
          ask();
          await released;
        }
        await route.continue();
      });
      await page.getByRole('button', { name: 'Create receipt' }).click();
      const button = page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true });
      await button.waitFor();
      await waitUntilIdle(page);
      await button.scrollIntoViewIfNeeded();
      const { x = 0, y = 0, width = 0, height = 0 } = (await button.boundingBox()) ?? {};
      const click = () => page.mouse.click(x + width / 2, y + height / 2);
      await click();
      await asked;
      await click();
      await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
      release();
      await page.getByText('The receipt is booked and matched.').waitFor();
      await waitUntilIdle(page);
      const { receipts } = await acme.graphql('{ receipts(first: 5) { totalCount nodes { status } } }');
      expect(receipts).toEqual({ totalCount: 1, nodes: [{ status: 'PAID' }] });
    });
  });
});
