import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { item, makeCreditNote } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { company, makeIssuedInvoice, setCompany } from './parties.ts';
import { noPdfTools, pdfText } from './programs.ts';

// "VAT is stated in the currency of the company's country": on the PDF with its rate, in e-invoices as BT-6 and BT-111.

let service: Service;
let who: Integrator;

beforeAll(async () => {
  service = await startService();
  who = await service.integrator();
  await setCompany(who, { ...company, language: 'de' });
});
afterAll(() => service.close());

const formats = ['xrechnung-cii', 'factur-x', 'xrechnung-ubl', 'peppol'];
const exchange = { exchangeRate: '0.92345', exchangeRateDate: '2026-02-27', exchangeRateSource: 'EZB' };
const invoice = (fields: object = {}): Promise<string> =>
  makeIssuedInvoice(who, { invoiceDate: '2026-03-10', currency: 'USD', ...exchange, ...fields });

async function download(path: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${who.token}` };
  const response = await fetch(`${service.url}/api/v1${path}`, { headers });
  expect([path, response.status]).toEqual([path, 200]);
  return Buffer.from(await response.arrayBuffer());
}

/** BT-5, BT-110, BT-6, and BT-111, which are the same in all formats. */
async function saidBy(path: string): Promise<string[]> {
  const found = await Promise.all(
    formats.map(async (format) => {
      const xml = (await download(`${path}/xml?format=${format}`)).toString();
      const currency = (of: string) => new RegExp(`<(?:ram|cbc):${of}CurrencyCode>(\\w+)<`).exec(xml)?.[1];
      const first = currency('Invoice') ?? currency('Document') ?? '';
      const second = currency('Tax');
      const vat = (of: string) =>
        new RegExp(`(?:TaxTotalAmount|TaxTotal>\\s*<cbc:TaxAmount) currencyID="${of}">([\\d.-]+)<`).exec(xml)?.[1] ??
        '';
      const totals = xml.match(/TaxTotalAmount|<cac:TaxTotal>/g)?.length;
      expect([format, totals]).toEqual([format, xml.includes('CrossIndustry') ? (second ? 4 : 2) : second ? 2 : 1]);
      return [first, vat(first), ...(second === undefined ? [] : [second, vat(second)])];
    }),
  );
  for (const said of found) expect(said).toEqual(found[0]);
  return found[0] ?? [];
}

describe('an invoice in foreign money', () => {
  it('says its VAT in the home currency, in each format, rounded once', async () => {
    // 19 % of 100.03 is 19.01, of 0.1 at 7 % 0.01; together 19.02 × 0.92345 = 17.564019.
    const id = await invoice({
      items: [
        { ...item, quantity: '1', unitPriceNet: '100.03', vatRate: '19' },
        { ...item, quantity: '1', unitPriceNet: '0.1', vatRate: '7' },
      ],
    });
    expect(await saidBy(`/invoices/${id}`)).toEqual(['USD', '19.02', 'EUR', '17.56']);
    const note = await makeCreditNote(who, { invoiceId: id, creditNoteDate: '2026-04-01' });
    expect(await saidBy(`/credit-notes/${note}`)).toEqual(['USD', '19.02', 'EUR', '17.56']);
  });

  it('says nothing of it without a rate, or without VAT', async () => {
    const none = { exchangeRate: null, exchangeRateDate: null, exchangeRateSource: null };
    expect(await saidBy(`/invoices/${await invoice(none)}`)).toHaveLength(2);
    const untaxed = { items: [{ ...item, vatRate: '0', vatCategory: 'E', exemptionReason: 'x' }] };
    expect(await saidBy(`/invoices/${await invoice(untaxed)}`)).toHaveLength(2);
  });

  it.skipIf(noPdfTools)(
    'shows it on the PDF with the rate, its day, and its source, in German and English',
    async () => {
      const textOf = async (path: string) => pdfText(await download(`${path}/pdf`)).replaceAll(/\s+/g, ' ');
      const items = [{ ...item, quantity: '1', unitPriceNet: '1000', vatRate: '19' }];
      const id = await invoice({ items });
      expect(await textOf(`/invoices/${id}`)).toMatch(
        /USt\. in EUR zum Kurs 1 USD = 0,92345 EUR .*175,46 €|175,46 €.* 0,92345 EUR/,
      );
      expect(await textOf(`/invoices/${id}`)).toContain('27.02.2026 (EZB)');
      const note = await makeCreditNote(who, { invoiceId: id, creditNoteDate: '2026-04-01' });
      expect(await textOf(`/credit-notes/${note}`)).toContain('27.02.2026 (EZB)');
      await setCompany(who, { ...company, country: 'DE', language: 'en' });
      const english = await who.graphql(
        'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
        { input: { type: 'CUSTOMER', companyName: 'Acme', country: 'GB' } },
      );
      const other = await invoice({ items, customerId: english.createCustomer.id, exchangeRateSource: null });
      const text = await textOf(`/invoices/${other}`);
      expect(text).toContain('VAT in EUR at the rate 1 USD = 0.92345 EUR');
      expect(text).toContain('€175.46');
      expect(text).toContain('27 Feb 2026');
      expect(text).not.toContain('(EZB)');
      const plain = await invoice({ items, exchangeRate: null, exchangeRateDate: null, exchangeRateSource: null });
      expect(await textOf(`/invoices/${plain}`)).not.toMatch(/USt\. in|VAT in EUR/);
    },
  );
});
