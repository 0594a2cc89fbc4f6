import { afterAll, beforeAll, expect, it } from 'vitest';
import { item, makeCustomer } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { buyer, company, makeIssuedInvoice, setCompany } from './parties.ts';

let service: Service;
let who: Integrator;

beforeAll(async () => {
  service = await startService();
  who = await service.integrator();
  await setCompany(who, { ...company, language: 'de' });
});
afterAll(() => service.close());

/** The reason (BT-120) in each format. */
async function reasonsOf(id: string): Promise<string[]> {
  const reasons = ['xrechnung-cii', 'factur-x', 'xrechnung-ubl', 'peppol'].map(async (format) => {
    const headers = { authorization: `Bearer ${who.token}` };
    const response = await fetch(`${service.url}/api/v1/invoices/${id}/xml?format=${format}`, { headers });
    const xml = await response.text();
    expect([response.status, xml]).toEqual([200, expect.stringContaining('<?xml')]);
    const [, reason = ''] = /<(?:cbc:TaxExemptionReason|ram:ExemptionReason)>([^<]*)</.exec(xml) ?? [];
    return reason;
  });
  return [...new Set(await Promise.all(reasons))];
}

it.each([
  ['AE', 'Bauleistung', 'Steuerschuldnerschaft des Leistungsempfängers. Bauleistung'],
  ['AE', 'Reverse charge, Bauleistung', 'Reverse charge, Bauleistung'],
  ['AE', undefined, 'Steuerschuldnerschaft des Leistungsempfängers (§ 13b UStG).'],
  ['E', 'Kleinunternehmer, § 19 UStG', 'Kleinunternehmer, § 19 UStG'],
])(
  'e-invoices of %s with the reason %s say all that the law demands',
  async (vatCategory, exemptionReason, expected) => {
    const items = [{ ...item, vatRate: '0', vatCategory, exemptionReason }];
    const customerId = await makeCustomer(who, { ...buyer, vatId: 'DE987654321' });
    expect(await reasonsOf(await makeIssuedInvoice(who, { customerId, items }))).toEqual([expected]);
  },
);
