import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buyer, company, setCompany } from '../../documents/parties.ts';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { item, makeCustomer, makeInvoice } from '../books.ts';

// "Issuing is a checklist": what the law demands, what of it is there, and what is missing, by the rules of the warnings.

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Check {
  code: string;
  law: string | null;
  warnings: { code: string; field: string; message: string }[];
}

const query = `query ($id: UUID!) {
  invoice(id: $id) { warnings { code field message } checklist { code law warnings { code field message } } }
}`;

async function read(who: Integrator, id: string): Promise<Check[]> {
  const { invoice } = await who.graphql(query, { id });
  expect(invoice.checklist.flatMap(({ warnings }: Check) => warnings)).toEqual(invoice.warnings);
  return invoice.checklist;
}

async function check(parties: { seller?: object; buyer?: object; items?: object[] }): Promise<Check[]> {
  const who = await service.integrator();
  await setCompany(who, { ...company, ...parties.seller });
  const customerId = await makeCustomer(who, { ...buyer, ...parties.buyer });
  return read(who, await makeInvoice(who, { customerId, items: parties.items ?? [item] }));
}

const laws = (checks: Check[]): [string, string | null][] => checks.map(({ code, law }) => [code, law]);
const missing = (checks: Check[]): string[] => checks.flatMap(({ code, warnings }) => (warnings.length ? [code] : []));
const dated = { ...item, servicePeriodStart: '2026-02-01', servicePeriodEnd: '2026-02-28' };

describe('a checklist names what the law of the seller’s country demands', () => {
  it('in Germany', async () => {
    const checks = await check({});
    expect(laws(checks)).toEqual([
      ['SELLER_ADDRESS', '§ 14 (4) No. 1 UStG'],
      ['BUYER_ADDRESS', '§ 14 (4) No. 1 UStG'],
      ['SELLER_TAX_NUMBER', '§ 14 (4) No. 2 UStG'],
      ['INVOICE_DATE', '§ 14 (4) No. 3 UStG'],
      ['NUMBER', '§ 14 (4) No. 4 UStG'],
      ['ITEMS', '§ 14 (4) No. 5 UStG'],
      ['SERVICE_DATE', '§ 14 (4) No. 6 UStG'],
      ['AMOUNTS', '§ 14 (4) No. 7, 8 UStG'],
      ['VAT_CATEGORY', '§ 14 (4) No. 8 UStG'],
      ['BANK_ACCOUNT', null],
      ['LANGUAGE', null],
    ]);
    expect(missing(checks)).toEqual(['SERVICE_DATE']);
    expect(missing(await check({ items: [dated] }))).toEqual([]);
  });

  it('in Austria, elsewhere in the EU, and outside of it', async () => {
    const lawOf = async (country: string) =>
      new Map(laws(await check({ seller: { country, vatId: null }, buyer: { country, language: 'en' } })));
    expect((await lawOf('AT')).get('INVOICE_DATE')).toBe('§ 11 (1) No. 3 g UStG 1994');
    const french = await lawOf('FR');
    expect(french.get('NUMBER')).toBe('Art. 226 (2) Directive 2006/112/EC');
    expect(french.has('SERVICE_DATE')).toBe(false); // needed only where it differs from the invoice's date
    expect([...(await lawOf('US'))]).toEqual([
      ['BANK_ACCOUNT', null],
      ['LANGUAGE', null],
    ]);
  });
});

describe('a checklist has only what this invoice needs', () => {
  const dutch = { country: 'NL', vatId: 'NL123456789B01', electronicAddress: null, electronicAddressScheme: null };
  it.each([
    ['the customer’s VAT number for reverse charge', dutch, 'AE', ['BUYER_VAT_ID'], []],
    [
      'and says if that is missing',
      { ...dutch, vatId: null },
      'AE',
      ['BUYER_VAT_ID'],
      ['BUYER_VAT_ID', 'VAT_CATEGORY'],
    ],
    ['the reason of an exemption', {}, 'E', ['EXEMPTION_REASON'], ['EXEMPTION_REASON']],
    ['neither where VAT is charged', dutch, 'S', [], ['VAT_CATEGORY']],
  ])('%s', async (_title, customer, vatCategory, needed, lacking) => {
    const line = { ...dated, vatCategory, vatRate: vatCategory === 'S' ? '19' : '0' };
    const checks = await check({ buyer: { language: 'en', ...customer }, items: [line] });
    const optional = new Set(['BUYER_VAT_ID', 'EXEMPTION_REASON']);
    expect(checks.map(({ code }) => code).filter((code) => optional.has(code))).toEqual(needed);
    expect(missing(checks)).toEqual(lacking);
  });
});

it('an issued invoice’s checklist stays as it was issued', async () => {
  const who = await service.integrator();
  await setCompany(who, { ...company, iban: null });
  const id = await makeInvoice(who, { customerId: await makeCustomer(who, buyer), status: 'ISSUED' });
  const issued = await read(who, id);
  expect(missing(issued)).toEqual(['SERVICE_DATE', 'BANK_ACCOUNT']);
  await setCompany(who);
  expect(await read(who, id)).toEqual(issued);
});

it('another tenant reads none', async () => {
  const [who, other] = [await service.integrator(), await service.integrator()];
  const id = await makeInvoice(who);
  await expect(other.graphql(query, { id })).rejects.toThrow('NOT_FOUND');
});
