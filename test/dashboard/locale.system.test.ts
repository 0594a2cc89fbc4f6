import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBulk } from '../bulk/start.ts';
import {
  makeBankAccount,
  makeBankStatement,
  makeBankTransaction,
  makeInvoice,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import { startApp, type App } from './app.ts';
import { noBrowser } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';
import { startingWith, textsIn } from './page-texts.ts';

describe.skipIf(noBrowser)('the reader’s locale', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  const bookkeeper = () => pages.bookkeeper();

  /** Fills a field and removes the focus. @returns the field's text afterwards */
  async function type(page: Page, name: string, text: string): Promise<string> {
    const field = page.getByRole('textbox', { name: startingWith(name) });
    await field.fill(text);
    await field.blur();
    return field.inputValue();
  }

  describe('numbers are parsed in the locale', () => {
    it.each([
      ['de-DE', { quantity: '2,5', price: '1.234,5', rate: '19', shown: ['2,5', '1.234,5'], total: '3.672,64\u00A0€' }],
      [
        'de-DE',
        { quantity: '2.5', price: '1234.50', rate: '19,0', shown: ['2,5', '1.234,50'], total: '3.672,64\u00A0€' },
      ],
      ['en-US', { quantity: '2.5', price: '1,234.5', rate: '19', shown: ['2.5', '1,234.5'], total: '€3,672.64' }],
      ['de-CH', { quantity: '2.5', price: '1’234.50', rate: '19', shown: ['2.5', '1’234.50'], total: '3’672.64' }],
      // There are no French pages, and English ones have English numbers.
      ['fr-FR', { quantity: '2.5', price: '1,234.50', rate: '19', shown: ['2.5', '1,234.50'], total: '€3,672.64' }],
    ])('%s: an invoice with %j', async (locale, { quantity, price, rate, shown, total }) => {
      const say = textsIn(locale);
      const normalized = (text: string): string => text.replaceAll(/\s/g, ' ').replaceAll("'", '’');
      const { acme, open } = await bookkeeper();
      const customer = await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Nordlicht Verlag' });
      await pages.visit({ locale }, async (page) => {
        await open(page, `/invoices/new?customer=${customer.body.data.id}`);
        await page.getByRole('textbox', { name: startingWith(say('Title')) }).fill('Layout');
        const shownQuantity = page.getByRole('textbox', { name: startingWith(say('Quantity')) });
        expect(normalized(await type(page, say('Quantity'), quantity))).toBe(shown[0]);
        expect(normalized(await type(page, say('Unit price, net'), price))).toBe(shown[1]);
        await type(page, say('VAT, per cent'), rate);
        const totals = page.getByRole('table', { name: say('Totals') });
        await expect.poll(async () => normalized(await totals.innerText())).toContain(normalized(total));
        await page.getByRole('button', { name: say('Save draft') }).click();
        await page.getByRole('heading', { level: 1, name: say('Draft'), exact: true }).waitFor();
        await page.getByRole('link', { name: say('Edit'), exact: true }).click();
        // The stored values are shown as they were typed, and saving without a change keeps them.
        await shownQuantity.waitFor();
        expect(normalized(await shownQuantity.inputValue())).toBe(shown[0]);
        await page.getByRole('button', { name: say('Save draft') }).click();
        await page.getByRole('heading', { level: 1, name: say('Draft'), exact: true }).waitFor();
      });
      const { body } = await acme.rest('GET', '/invoices');
      expect(body.data[0].items).toMatchObject([{ quantity: 2.5, unit_price_net: 1234.5, vat_rate: 19 }]);
    });

    it('German: a receipt, its payment, an hourly rate, and a duration', async () => {
      const { acme, open } = await bookkeeper();
      const say = textsIn('de-DE');
      await pages.visit({ locale: 'de-DE' }, async (page) => {
        await open(page, '/receipts');
        await page
          .getByRole('button', { name: say('Add a receipt') })
          .first()
          .click();
        expect(await type(page, say('Amount, gross'), '59,50')).toBe('59,50');
        await type(page, say('VAT, %'), '7,5');
        await page.getByRole('button', { name: say('Add'), exact: true }).click();
        await page.getByRole('button', { name: say('Record a payment') }).click();
        const amount = page.getByLabel(say('Amount in {currency}', { currency: 'EUR' }));
        expect(await amount.inputValue()).toBe('59,50');
        await amount.fill('60,01');
        await page
          .getByRole('dialog')
          .getByRole('button', { name: say('Record the payment') })
          .click();
        await page.getByText(say('At most {amount} is left.', { amount: '59,5' })).waitFor();
        await amount.fill('9,5');
        await page
          .getByRole('dialog')
          .getByRole('button', { name: say('Record the payment') })
          .click();
        await page.getByText('50,00\u00A0€').first().waitFor();

        await open(page, '/projects');
        await page
          .getByRole('button', { name: say('Add a project') })
          .first()
          .click();
        await page.getByRole('textbox', { name: startingWith(say('Name')) }).fill('Website');
        await type(page, say('Hourly rate, net'), '1.095,5');
        await type(page, say('Budget, hours'), '12,25');
        await page.getByRole('button', { name: say('Add'), exact: true }).click();
        await page.getByText('1.095,50\u00A0€').waitFor();
        await page.getByText('12,25 h').waitFor();
        await page.getByRole('button', { name: say('Track time') }).click();
        await type(page, say('Duration'), '1,25');
        await page
          .getByRole('dialog')
          .getByRole('button', { name: say('Track'), exact: true })
          .click();
        await page.getByRole('cell', { name: '1 h 15 min', exact: true }).waitFor();
      });
      const receipt = (await acme.rest('GET', '/receipts')).body.data[0];
      expect(receipt).toMatchObject({ amount_gross: 59.5, vat_rate: 7.5 });
    });

    it('an ambiguous number is an error of its field', async () => {
      const { open } = await bookkeeper();
      const say = textsIn('de-DE');
      const hint = say('Enter a number, such as {example}.', { example: '1.234,56' });
      await pages.visit({ locale: 'de-DE' }, async (page) => {
        await open(page, '/receipts');
        await page
          .getByRole('button', { name: say('Add a receipt') })
          .first()
          .click();
        expect(await type(page, say('Amount, gross'), '1 234.567')).toBe('1 234.567');
        await page.getByRole('button', { name: say('Add'), exact: true }).click();
        await page.getByText(hint).waitFor();
        expect(await type(page, say('Amount, gross'), '1,234,5')).toBe('1,234,5');
        await page.getByRole('button', { name: say('Add'), exact: true }).click();
        await page.getByText(hint).waitFor();
      });
    });
  });

  describe('every page formats numbers, dates, and money in the locale', () => {
    let books: Awaited<ReturnType<typeof bookkeeper>>;
    const ids: Record<string, string> = {};
    beforeAll(async () => {
      books = await bookkeeper();
      const { acme } = books;
      const customer = await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Nordlicht Verlag' });
      const { body } = await acme.rest('POST', '/invoices', {
        customer_id: customer.body.data.id,
        invoice_date: '2026-01-31',
        status: 'issued',
        items: [
          { title: 'Layout', quantity: 1250.5, unit: 'h', unit_price_net: 95.5, vat_rate: 19 },
          { title: 'Bolts', quantity: 3, unit_price_net: 0.1234, vat_rate: 7.7 },
        ],
      });
      ids['invoice'] = body.data.id;
      await acme.graphql('mutation ($id: UUID!) { payInvoice(id: $id, amount: "1059.5") { id } }', {
        id: body.data.id,
      });
      ids['draft'] = await makeInvoice(acme);
      ids['receipt'] = await makeReceipt(acme, { status: 'BOOKED', amountGross: '1234.5', vatRate: '7.7' });
      const project = { customerId: customer.body.data.id, hourlyRateNet: '1095.5', budgetHours: '1200.5' };
      ids['project'] = await makeProject(acme, project);
      await makeTimeEntry(acme, { projectId: ids['project'] });
      ids['operation'] = await startBulk(acme, 'customers', 'create', '{}\n'.repeat(1200));
      ids['account'] = await makeBankAccount(acme);
      await makeBankStatement(acme, { bankAccountId: ids['account'], openingBalance: 1234.5 });
      const bank = { amount: '1234.5', amountOpen: '1234.5', reference: `Invoice ${body.data.number}` };
      ids['transaction'] = await makeBankTransaction(acme, bank);
    });

    const paths = [
      '/',
      '/invoices',
      '/invoices/INVOICE',
      '/invoices/DRAFT/edit',
      '/bank-accounts',
      '/bank-accounts/ACCOUNT',
      '/bank-transactions',
      '/bank-transactions/TRANSACTION',
      '/receipts',
      '/receipts/RECEIPT',
      '/projects',
      '/projects/PROJECT',
      '/time-entries',
      '/bulk-operations',
      '/bulk-operations/OPERATION',
    ];
    // Characters and words of English texts alone, and of German ones alone.
    const english = [
      /\d\.\d\d(?![\d.])/,
      /\d,\d{3}(?!\d)/,
      /€\d/,
      /\b[A-Z][a-z]{2} \d{1,2}, \d{4}/,
      /\d%/,
      /\d [a-z]+\.? ago\b/,
    ];
    const german = [
      /\d,\d\d?(?!\d)/,
      /\d\.\d{3},/,
      /\d[ \u00A0\u202F]€/,
      /\d\d\.\d\d\.\d{4}/,
      /\d[ \u00A0\u202F]%/,
      /\bvor \d/,
    ];
    const neither = [/\d EUR\b/, /\bEUR \d/, /\d{4}-\d\d-\d\d/];

    it.each(paths)('%s', async (path) => {
      const at = path.replace(/[A-Z]+/, (name) => ids[name.toLowerCase()]!);
      for (const [locale, foreign] of [
        ['de-DE', english],
        ['en-US', german],
      ] as const) {
        await pages.visit({ locale }, async (page) => {
          await books.open(page, at);
          const shown = await page.getByRole('main').innerText();
          const fields = await page.getByRole('main').locator('input:not([type=date])').all();
          const typed = await Promise.all(fields.map((field) => field.inputValue()));
          const lines = [...shown.split('\n'), ...typed];
          const wrong = lines.filter((line) => [...foreign, ...neither].some((pattern) => pattern.test(line)));
          expect([locale, wrong]).toEqual([locale, []]);
        });
      }
    });
  });
});
