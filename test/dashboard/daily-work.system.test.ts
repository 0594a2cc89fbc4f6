import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  makeBankTransaction,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import { expectAccessible, navigateTo, operationName, waitUntilIdle, startApp, type App, press } from './app.ts';
import { noBrowser } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

// Daily tasks: matching transactions, billing, searching.

// Longer than the default, for slow machines.
const longPoll = { timeout: 10_000 };

describe.skipIf(noBrowser)('daily work', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it('the overview’s figures link to the lists of the counted rows', async () => {
    const { acme, open } = await pages.bookkeeper();
    await makeBankTransaction(acme, { counterpartyName: 'Not matched yet' });
    await makeBankTransaction(acme, { counterpartyName: 'Nothing to match', matchStatus: 'IGNORED' });
    await makeCustomer(acme); // without any, the overview has first steps in place of figures
    await pages.visit({}, async (page) => {
      await open(page, '/');
      await page.getByRole('link', { name: '1 bank transaction to match' }).click();
      const unmatched = page.getByRole('list', { name: 'Unmatched transactions' });
      await unmatched.getByText('Not matched yet').waitFor();
      expect(await page.getByText('Nothing to match').count()).toBe(0);
      expect(page.url()).toContain('status=UNMATCHED');
      await page.goBack();
      await page.getByRole('link', { name: 'Hours not billed' }).click();
      await page.getByRole('heading', { level: 1, name: 'Time entries' }).waitFor();
      expect(page.url()).toContain('billing=UNBILLED');
    });
  });

  it('a form works on an insecure origin, such as plain HTTP in a local network', async () => {
    const { acme, open } = await pages.bookkeeper();
    await app.visit({}, async (page) => {
      await page.addInitScript(() => Object.defineProperty(crypto, 'randomUUID', { value: undefined }));
      await open(page, '/customers');
      await page.getByRole('button', { name: 'Add a customer' }).first().click();
      await page.getByRole('dialog').getByLabel('Name').first().fill('Plain http GmbH');
      await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
      await page.getByText('Plain http GmbH').first().waitFor();
    });
    expect(await acme.db.customer.count({ where: { companyName: 'Plain http GmbH' } })).toBe(1);
  });

  it('confirming a match opens the next unmatched transaction; after the last one a message says so', async () => {
    const { acme, open } = await pages.bookkeeper();
    const customerId = await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
    const paying = async (day: string, name: string): Promise<string> => {
      const id = await makeInvoice(acme, { customerId, status: 'ISSUED' });
      const { number } = (await acme.rest('GET', `/invoices/${id}`)).body.data;
      const reference = `Invoice ${number}`;
      await makeBankTransaction(acme, { bookingDate: new Date(day), counterpartyName: name, reference });
      return number;
    };
    const newest = await paying('2026-03-09', 'The newest');
    const middle = await paying('2026-03-05', 'The middle');
    await paying('2026-03-01', 'The oldest');
    const [middleId] = (await acme.db.bankTransaction.findMany({ where: { counterpartyName: 'The middle' } })).map(
      ({ id }) => id,
    );
    const heading = (name: string) => ({ level: 1, name }) as const;
    await pages.visit({}, async (page) => {
      await open(page, `/bank-transactions/${middleId}`);
      await page.getByRole('button', { name: `Confirm Invoice ${middle}` }).click();
      await page.getByRole('heading', heading('The oldest')).waitFor();
      await page.getByText(`Matched with Invoice ${middle}. Here is the next.`).waitFor();
      // After the last one of the list comes the first.
      await page.getByRole('button', { name: 'Next unmatched' }).click();
      await page.getByRole('heading', heading('The newest')).waitFor();
      await page.getByRole('button', { name: `Confirm Invoice ${newest}` }).click();
      await page.getByRole('heading', heading('The oldest')).waitFor();
      await page
        .getByRole('button', { name: /^Confirm Invoice/ })
        .first()
        .click();
      await page.getByText('No other transaction is unmatched.').waitFor();
      await page.getByRole('heading', heading('The oldest')).waitFor();
      await expectAccessible(page);
    });
    expect(await acme.db.bankTransaction.count({ where: { matchStatus: 'MATCHED' } })).toBe(3);
  });

  it('a receipt is created from money out, which then pays it', async () => {
    const { acme, open } = await pages.bookkeeper();
    const supplierId = await makeCustomer(acme, { companyName: 'Papier Union GmbH', type: 'SUPPLIER' });
    const bank = { amount: -59.5, amountOpen: -59.5, reference: 'Invoice 4711' };
    const known = await makeBankTransaction(acme, { ...bank, counterpartyName: 'PAPIER UNION GMBH' });
    const unknown = await makeBankTransaction(acme, { ...bank, counterpartyName: 'A garage' });
    await pages.visit({}, async (page) => {
      await open(page, `/bank-transactions/${known}`);
      await page.getByRole('button', { name: 'Create receipt' }).click();
      const dialog = page.getByRole('dialog');
      await expect.poll(() => dialog.getByLabel('Amount, gross').inputValue(), longPoll).toBe('59.50');
      await expect
        .poll(() => dialog.getByRole('combobox', { name: 'Supplier' }).inputValue(), longPoll)
        .toBe('Papier Union GmbH');
      await expectAccessible(page);
      await dialog.getByLabel('VAT, %').fill('19');
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('The receipt is booked and matched.').waitFor();
      await page.getByRole('heading', { level: 1, name: 'A garage' }).waitFor();
      await page.getByRole('button', { name: 'Create receipt' }).click();
      await expect.poll(() => dialog.getByLabel('Description').inputValue(), longPoll).toBe('A garage, Invoice 4711');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
    });
    const receipts = (await acme.rest('GET', '/receipts')).body.data;
    expect(receipts).toMatchObject([
      { status: 'paid', supplier_id: supplierId, receipt_date: '2026-03-02', amount_gross: 59.5, vat_rate: 19 },
    ]);
    const status = async (id: string) => (await acme.rest('GET', `/bank-transactions/${id}`)).body.data.match_status;
    expect([await status(known), await status(unknown)]).toEqual(['matched', 'unmatched']);
  });

  it('a receipt that the transaction can’t pay is shown, so that nobody adds it again', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeBankTransaction(acme, { amount: -1059.5, amountOpen: -1059.5, counterpartyName: 'A host' });
    await pages.visit({}, async (page) => {
      await open(page, `/bank-transactions/${id}`);
      await page.getByRole('button', { name: 'Create receipt' }).click();
      const dialog = page.getByRole('dialog');
      await expect.poll(() => dialog.getByLabel('Amount, gross').inputValue(), longPoll).toBe('1,059.50');
      await dialog.getByRole('combobox', { name: 'Currency' }).fill('US Dollar');
      await page.keyboard.press('Enter');
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText(/The receipt is booked, but not paid: .*USD/).waitFor();
      await page.getByRole('main').getByText('Booked', { exact: true }).first().waitFor();
      await expectAccessible(page);
    });
    const [receipt, ...others] = (await acme.rest('GET', '/receipts')).body.data;
    expect([receipt.status, receipt.currency, others]).toEqual(['booked', 'USD', []]);
  });

  it('N adds a receipt', async () => {
    const { open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/receipts');
      await page.getByRole('button', { name: 'Add a receipt' }).first().waitFor();
      await press(page, 'n');
      await page.getByRole('dialog', { name: 'Add a receipt' }).waitFor();
    });
  });

  it('a booked receipt is reversed with a reason, and leads to the receipt that reverses it', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeReceipt(acme, { status: 'BOOKED', receiptNumber: 'R-7' });
    await pages.visit({}, async (page) => {
      await open(page, `/receipts/${id}`);
      await page.getByRole('button', { name: 'Reverse' }).click();
      const dialog = page.getByRole('dialog', { name: 'Reverse the receipt?' });
      await expectAccessible(page);
      await dialog.getByLabel('Reason').fill('Entered twice');
      await page.keyboard.press('Enter');
      await page.getByText('The receipt is reversed.').waitFor();
      await page.getByText(/^This receipt is reversed by that of .*: Entered twice$/).waitFor();
      const history = page.locator('.mantine-Timeline-itemTitle');
      await expect.poll(() => history.allTextContents(), longPoll).toEqual(['Reversed', 'Booked', 'Created']);
      expect(await page.getByRole('button', { name: /^(Edit|Delete|Reverse|Record a payment)$/ }).count()).toBe(0);
      await page.getByRole('link', { name: /^that of / }).click();
      await page.getByText(/^This receipt reverses another: Entered twice$/).waitFor();
      await page.getByRole('main').getByText('-€119.00').first().waitFor();
      await expectAccessible(page);
    });
    expect((await acme.rest('GET', `/receipts/${id}`)).status).toBe(404);
  });

  it('a part-paid invoice is shown as such, and its payments are in its history', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme, { status: 'ISSUED', dueDate: '2999-12-31' });
    await makePayment(acme, id, '19');
    const receiptId = await makeReceipt(acme, { status: 'BOOKED' });
    await acme.graphql('mutation ($id: UUID!) { payReceipt(id: $id, amount: "9") { id } }', { id: receiptId });
    await pages.visit({}, async (page) => {
      await open(page, '/');
      await navigateTo(page, 'Invoices');
      const row = page.getByRole('row').filter({ hasText: 'Globex' });
      await row.getByText('Part-paid').waitFor();
      await row.getByText('€100.00', { exact: true }).waitFor();
      await row.getByRole('link').first().click();
      await page.getByRole('main').getByText('Part-paid', { exact: true }).waitFor();
      await page.getByText(/^Payment of €19\.00 on /).waitFor();
      await waitUntilIdle(page);
      // Newest first: the payment was made after the invoice was issued.
      const history = page.locator('.mantine-Timeline-itemTitle');
      // The events are a request of their own, which may begin after the payments are shown.
      await expect
        .poll(async () => (await history.allTextContents()).map((title) => title.split(' ')[0]))
        .toEqual(['Payment', 'Issued', 'Created']);
      await page.goto(page.url().replace(/invoices.*/, `receipts/${receiptId}`));
      await page.getByText(/^Payment of €9\.00 on /).waitFor();
    });
  });

  it('a line gets a discount and a VAT category, and its errors open its folded fields', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme);
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/${id}/edit`);
      const more = page.getByRole('button', { name: 'More, line 1' });
      await more.click();
      await page.getByLabel('Discount, per cent, line 1').fill('10');
      await page.getByRole('combobox', { name: 'VAT category, line 1' }).click();
      await page.getByRole('option', { name: 'AE · Reverse charge' }).click();
      await page.getByRole('group', { name: 'Line 1' }).getByText('Net €90.00').waitFor();
      await expectAccessible(page);
      await more.click();
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByText('Must be S, as the VAT rate is above 0.').waitFor();
      await page.getByLabel('VAT, per cent, line 1').fill('0');
      await page.getByLabel('Why no VAT is charged, line 1').fill('Reverse charge');
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByText('VAT category AE').waitFor();
      await page.getByText(/^Discount 10\s?%$/).waitFor();
    });
    const line = { vat_category: 'AE', exemption_reason: 'Reverse charge', unit_code: 'HUR', discount_percent: 10 };
    expect((await acme.rest('GET', `/invoices/${id}`)).body.data).toMatchObject({ total_gross: 90, items: [line] });
  });

  it('cancelling an invoice asks for confirmation', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    const status = async () => (await acme.rest('GET', `/invoices/${id}`)).body.data.status;
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/${id}`);
      const ask = async (): Promise<void> => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: /^Cancel/ }).click();
        await page.getByText(/Invoice \d{4}-0001 no longer has to be paid/).waitFor();
      };
      await ask();
      await page.getByRole('button', { name: 'Keep it' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await status()).toBe('issued');
      await ask();
      await page.getByRole('button', { name: 'Cancel the invoice' }).click();
      await page.getByText(/is cancelled\.$/).waitFor();
    });
    expect(await status()).toBe('cancelled');
  });

  it('time is billed in lines by the chosen grouping', async () => {
    const { acme, open } = await pages.bookkeeper();
    const customerId = await makeCustomer(acme);
    const projectId = await makeProject(acme, { customerId, hourlyRateNet: '90' });
    for (const description of ['Call', 'Design', 'Call']) await makeTimeEntry(acme, { projectId, description });
    await pages.visit({}, async (page) => {
      await open(page, `/projects/${projectId}`);
      await page.getByRole('button', { name: 'Bill the time' }).click();
      await page.getByLabel(/^VAT/).fill('19');
      await page.getByRole('combobox', { name: 'Invoice lines' }).click();
      await page.getByRole('option', { name: /each kind of work/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: /draft/i }).click();
      await page.getByRole('heading', { level: 1, name: 'Draft' }).waitFor();
    });
    const [{ items }] = (await acme.rest('GET', '/invoices')).body.data;
    expect(items).toMatchObject([
      { title: 'Call', quantity: 2 },
      { title: 'Design', quantity: 1 },
    ]);
  });

  it('/ and Ctrl-K open the global search, which works by keyboard alone', async () => {
    const { acme, open } = await pages.bookkeeper();
    const customerId = await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
    await makeInvoice(acme, { customerId, subject: 'Nordlicht, spring' });
    await makeProject(acme, { name: 'Nordlicht website' });
    await makeReceipt(acme, { description: 'Nordlicht fair' });
    await makeBankTransaction(acme, { counterpartyName: 'Nordlicht Verlag' });
    await pages.visit({}, async (page) => {
      await open(page, '/');
      await press(page, '/');
      const field = page.getByRole('textbox', { name: 'Search everything' });
      await field.waitFor();
      await page.keyboard.type('nordlicht');
      for (const group of ['Customers and suppliers', 'Invoices', 'Receipts', 'Projects', 'Bank transactions'])
        await page
          .getByRole('group', { name: group })
          .getByRole('option', { name: /Nordlicht/ })
          .waitFor();
      await page.getByRole('status').getByText('5 results').waitFor({ state: 'attached' });
      await expectAccessible(page);
      // The field tells screen readers which result Enter opens.
      const chosen = () => field.getAttribute('aria-activedescendant');
      const first = await chosen();
      await page.keyboard.press('ArrowDown');
      await expect.poll(chosen, longPoll).not.toBe(first);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Nordlicht Verlag' }).waitFor();

      await navigateTo(page, 'Projects');
      // Inside a field, / is only a character.
      await page.getByLabel('Search projects').press('/');
      expect(await page.getByLabel('Search projects').inputValue()).toBe('/');
      await page.getByLabel('Search projects').press('Control+k');
      await field.waitFor();
      await page.keyboard.type('time ent');
      // The results of the first letters have other options, of which another one is chosen.
      const chosenText = () =>
        field.evaluate(
          (input) => document.getElementById(input.getAttribute('aria-activedescendant') ?? '')?.textContent,
        );
      await expect.poll(chosenText, longPoll).toMatch(/^Time entries/);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Time entries' }).waitFor();
      await press(page, 'Control+k');
      await field.waitFor();
      await page.keyboard.type('nothing is called like this');
      await page.getByText('No results. Try other words.').waitFor();
      await press(page, 'Escape');
      await field.waitFor({ state: 'detached' });
    });
  });

  it('a search that has failed says so, also where the name of a page matches', async () => {
    const { open } = await pages.bookkeeper();
    await pages.visit({}, async (page, watch) => {
      watch.allowed.push(/Failed to load resource/);
      await open(page, '/');
      await page.route('/graphql', (route) =>
        operationName(route.request()) === 'Search' ? route.abort() : route.fallback(),
      );
      await press(page, '/');
      await page.getByRole('textbox', { name: 'Search everything' }).fill('inv');
      await page.getByRole('option', { name: 'New invoice' }).waitFor();
      await page.getByText('The search failed. Check your connection, and try again.').waitFor();
      await expectAccessible(page);
      await press(page, 'Escape');
    });
  });

  it('settings link to the guides', async () => {
    const { open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/');
      for (const [name, guide] of [
        ['API tokens', '/docs/authentication'],
        ['Webhooks', '/docs/webhooks'],
        ['Deliveries', '/docs/webhooks#when-you-fail'],
      ] as const) {
        await navigateTo(page, name);
        expect(await page.getByRole('link', { name: /^Guide: / }).getAttribute('href')).toBe(guide);
      }
    });
    const { text } = await app.service.request('GET', '/docs/webhooks', { headers: { accept: 'text/html' } });
    expect(text).toContain('id="when-you-fail"');
  });
});
