import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buyer, company, setCompany } from '../documents/parties.ts';
import { item, makeCustomer, makeInvoice, makeProject, makeReceipt, makeTimeEntry } from '../graphql/books.ts';
import { expectAccessible, startApp, waitUntilIdle, type App } from './app.ts';
import { noBrowser } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

// "An issued document is for ever, so what is missing or wrong is said before." In the dashboard, with the way to mend it.

const dutch = { ...buyer, country: 'NL', vatId: 'NL123456789B01', language: 'en' };

describe.skipIf(noBrowser)('before an invoice is issued', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it('a draft says what it lacks, each with the page to mend it; so does the question before it is issued', async () => {
    const { acme, open } = await pages.bookkeeper();
    const customerId = await makeCustomer(acme);
    const id = await makeInvoice(acme, { customerId });
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/${id}`);
      const warnings = page.getByRole('alert').filter({ hasText: 'Before you issue' });
      await warnings.getByText("The company's address has no street").waitFor();
      await warnings.getByText("The customer's address has no street").waitFor();
      await warnings.getByText('The company has neither a VAT number nor a tax number').waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Issue' }).click();
      const question = page.getByRole('dialog', { name: 'Issue the invoice?' });
      await question.getByText('The company has no IBAN').waitFor();
      await question.getByRole('button', { name: 'Cancel' }).click();
      await warnings.getByRole('link', { name: 'Edit the customer' }).first().click();
      await page.waitForURL(`**/customers/${customerId}`);
      await setCompany(acme, company);
      await page.goBack();
      await warnings.getByRole('link', { name: 'Edit the customer' }).first().waitFor();
      await warnings.getByText('The company has no IBAN').waitFor({ state: 'detached' });
      expect(await warnings.getByRole('link', { name: 'Edit the draft' }).count()).toBe(1); // the date of supply
    });
  });

  it('an invoice for a Dutch business gets reverse charge at once, and K for goods', async () => {
    const { acme, open } = await pages.bookkeeper();
    await setCompany(acme, { ...company, defaultVatRate: '19' });
    const customerId = await makeCustomer(acme, dutch);
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/new?customer=${customerId}`);
      const proposal = page.getByRole('region', { name: 'VAT of the whole invoice' });
      const services = proposal.getByRole('button', { name: 'Services: AE · Reverse charge', pressed: true });
      await services.waitFor();
      const rate = page.getByLabel('VAT, per cent, line 1');
      expect(await rate.inputValue()).toBe('0');
      await page.getByLabel('Title, line 1').fill('Concept');
      await page.getByLabel('Unit price, net, line 1').fill('100');
      await page.getByRole('button', { name: 'Add a line' }).click();
      await page.getByLabel('Title, line 2').fill('Draft');
      await page.getByLabel('Unit price, net, line 2').fill('50');
      await proposal.getByRole('button', { name: /^Goods: K/ }).click();
      await proposal.getByRole('button', { name: /^Goods: K/, pressed: true }).waitFor();
      await waitUntilIdle(page);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByRole('heading', { level: 1, name: 'Draft' }).waitFor();
    });
    const { invoices } = await acme.graphql('{ invoices { nodes { items { vatRate vatCategory exemptionReason } } } }');
    const goods = {
      vatRate: '0',
      vatCategory: 'K',
      exemptionReason: 'VAT-exempt intra-Community supply (Article 138, Directive 2006/112/EC).',
    };
    expect(invoices.nodes).toEqual([{ items: [goods, goods] }]);
  });

  it('what is typed stays: a rate of 0 with category Z is warned of, and isn’t called complete', async () => {
    const { acme, open } = await pages.bookkeeper();
    await setCompany(acme, company);
    const customerId = await makeCustomer(acme, { ...dutch, requiredEInvoice: 'FACTUR_X' });
    const id = await makeInvoice(acme, { customerId, items: [{ ...item, vatRate: '0', vatCategory: 'Z' }] });
    await pages.visit({}, async (page) => {
      await open(page, `/invoices/${id}`);
      await page
        .getByText(/The VAT category is Z, but the customer has a VAT number of another member state/)
        .waitFor();
      await page.getByText('The format’s own rules are kept.').waitFor();
      expect(await page.getByText('Nothing is missing').count()).toBe(0);
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await page.getByText(/The VAT category is Z, but/).waitFor();
      expect(await page.getByLabel('VAT, per cent, line 1').inputValue()).toBe('0');
      expect(await page.getByText('Nothing is missing').count()).toBe(0);
    });
  });

  it('billing time proposes the VAT: the usual rate, or reverse charge', async () => {
    const { acme, open } = await pages.bookkeeper();
    await setCompany(acme, { ...company, defaultVatRate: '19' });
    const cases = [
      [buyer, '19', { vatRate: '19', vatCategory: 'S' }],
      [dutch, '0', { vatRate: '0', vatCategory: 'AE' }],
    ] as const;
    for (const [fields, shown, expected] of cases) {
      const customerId = await makeCustomer(acme, fields);
      const projectId = await makeProject(acme, { customerId, hourlyRateNet: '95' });
      await makeTimeEntry(acme, { projectId });
      await pages.visit({}, async (page) => {
        await open(page, `/projects/${projectId}`);
        await page.getByRole('button', { name: 'Bill the time' }).click();
        const rate = page.getByRole('dialog').getByLabel('VAT, %');
        await expect.poll(() => rate.inputValue(), { timeout: 10_000 }).toBe(shown);
        await page.getByRole('dialog').getByRole('button', { name: 'Save draft' }).click();
        await page.getByRole('heading', { level: 1, name: 'Draft' }).waitFor();
      });
      const query = `{ invoices(filter: { customerId: { eq: "${customerId}" } }) { nodes { items { vatRate vatCategory } } } }`;
      expect((await acme.graphql(query)).invoices.nodes).toEqual([{ items: [expected] }]);
    }
  });

  it('the number of a supplier’s receipt that is there already is said while it is typed, and on the receipt', async () => {
    const { acme, open } = await pages.bookkeeper();
    const supplierId = await makeCustomer(acme, { type: 'SUPPLIER', companyName: 'Papier Müller' });
    await makeReceipt(acme, { supplierId, receiptNumber: 'R-77' });
    const id = await makeReceipt(acme, { supplierId, receiptNumber: 'R-78' });
    await pages.visit({}, async (page) => {
      await open(page, `/receipts/${id}`);
      expect(await page.getByText('has the same number').count()).toBe(0);
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Number').fill('R-77');
      await page.getByRole('dialog').getByText('Another receipt of this supplier has the same number.').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByText('Another receipt of this supplier has the same number and amount').waitFor();
      expect(await page.getByText('has the same number').count()).toBe(1); // not once more without the amount
    });
  });

  it('the first steps of a new tenant begin with the company', async () => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/');
      await page.getByText('Begin with your company').waitFor();
      await page.getByRole('link', { name: 'Set up your company' }).click();
      await page.getByRole('heading', { level: 1, name: 'Company' }).waitFor();
      await setCompany(acme, company);
      await open(page, '/');
      await page.getByText('Your company is set up.').waitFor();
      await makeCustomer(acme);
      await open(page, '/');
      expect(await page.getByText('Your company is set up.').count()).toBe(0);
    });
  });
});
