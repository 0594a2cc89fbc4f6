import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCreditNote, makeCustomer, makeInvoice } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { buyer, company, setCompany } from './parties.ts';
import { noPdfTools, pdfText } from './programs.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function download({ token }: Integrator, path: string): Promise<Buffer> {
  const response = await fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([path, response.status]).toEqual([path, 200]);
  return bytes;
}

const preflight = async (who: Integrator, id: string): Promise<string[]> => {
  const query = 'query ($id: UUID!) { breaches: invoicePreflight(id: $id, format: PEPPOL) { rule field } }';
  const { breaches } = await who.graphql(query, { id });
  return breaches.map(({ rule, field }: { rule: string; field: string }) => `${rule} ${field}`);
};

interface Seller {
  country: string;
  profile: object;
  rate?: string;
  /** The preflight's problems before the hint is followed. */
  breaches: string[];
  followed: object;
  endpoint: string;
  legal: string | undefined;
}

const number = (registrationNumber: string, registrationNumberScheme: string) => ({
  registrationNumber,
  registrationNumberScheme,
});

const sellers: Seller[] = [
  {
    country: 'NL',
    profile: { vatId: 'NL123456789B01', registerEntry: 'KvK Amsterdam 12345678' },
    breaches: ['NL-R-003 company.registration_number'],
    followed: number('12345678', '0106'),
    endpoint: '<cbc:EndpointID schemeID="0106">12345678</cbc:EndpointID>',
    legal: '<cbc:CompanyID schemeID="0106">12345678</cbc:CompanyID>',
  },
  {
    country: 'DK',
    profile: { vatId: 'DK12345678' },
    breaches: ['DK-R-002 company.registration_number'],
    followed: number('12345678', '0184'),
    endpoint: '<cbc:EndpointID schemeID="0184">12345678</cbc:EndpointID>',
    legal: '<cbc:CompanyID schemeID="0184">12345678</cbc:CompanyID>',
  },
  {
    country: 'SE',
    profile: { vatId: 'SE556036079301', registerEntry: 'Bolagsverket' },
    rate: '25',
    breaches: ['SE-R-013 company.registration_number'],
    followed: number('5560360793', '0007'),
    endpoint: '<cbc:EndpointID schemeID="0007">5560360793</cbc:EndpointID>',
    legal: '<cbc:CompanyID schemeID="0007">5560360793</cbc:CompanyID>',
  },
  {
    country: 'NO',
    profile: { vatId: 'NO974760673MVA' },
    breaches: [],
    followed: {},
    endpoint: '<cbc:EndpointID schemeID="0192">974760673</cbc:EndpointID>',
    legal: undefined,
  },
  {
    country: 'IS',
    profile: { vatId: null, taxNumber: '1' },
    breaches: ['PEPPOL-EN16931-CL008 company.electronic_address_scheme', 'IS-R-002 company.registration_number'],
    followed: number('5501692829', '0196'),
    endpoint: '<cbc:EndpointID schemeID="0196">5501692829</cbc:EndpointID>',
    legal: '<cbc:CompanyID schemeID="0196">5501692829</cbc:CompanyID>',
  },
  {
    country: 'AT',
    profile: { vatId: null, taxNumber: '12/345' },
    breaches: ['PEPPOL-EN16931-CL008 company.electronic_address_scheme'],
    followed: { electronicAddress: '4012345000009', electronicAddressScheme: '0088' },
    endpoint: '<cbc:EndpointID schemeID="0088">4012345000009</cbc:EndpointID>',
    legal: undefined,
  },
];

describe.each(sellers)(
  'a seller in $country',
  ({ country, profile, rate = '19', breaches, followed, endpoint, legal }) => {
    it('can send over Peppol, after what the preflight says', async () => {
      const who = await service.integrator();
      await setCompany(who, { ...company, country, ...profile });
      const items = [{ title: 'Advice', quantity: '1', unit: 'h', unitPriceNet: '100', vatRate: rate }];
      const id = await makeInvoice(who, { customerId: await makeCustomer(who, buyer), items });
      expect(await preflight(who, id)).toEqual(breaches);
      await setCompany(who, followed);
      expect(await preflight(who, id)).toEqual([]);
      await who.rest('POST', `/invoices/${id}/issue`);
      // An issued document stays, whatever the profile says afterwards.
      await setCompany(who, {
        electronicAddress: 'x',
        electronicAddressScheme: '0060',
        registrationNumber: null,
        registrationNumberScheme: null,
      });
      const seller = /<cac:AccountingSupplierParty>[^]*<\/cac:AccountingSupplierParty>/;
      const creditNoteId = await makeCreditNote(who, { invoiceId: id });
      for (const path of [`/invoices/${id}`, `/credit-notes/${creditNoteId}`]) {
        const [xml = ''] = seller.exec((await download(who, `${path}/xml?format=peppol`)).toString()) ?? [];
        expect(xml).toContain(endpoint);
        if (legal === undefined) expect(xml).not.toMatch(/<cbc:CompanyID schemeID=/);
        else expect(xml).toContain(legal);
      }
    });
  },
);

it.skipIf(noPdfTools)('the registration number is on the PDF and in CII, beside the register entry', async () => {
  const who = await service.integrator();
  await setCompany(who, { ...company, language: 'de', registerEntry: 'KvK Amsterdam', ...number('12345678', '0106') });
  const id = await makeInvoice(who, { customerId: await makeCustomer(who, buyer), status: 'ISSUED' });
  const text = pdfText(await download(who, `/invoices/${id}/pdf`));
  expect(text).toContain('KvK Amsterdam');
  expect(text).toContain('Registernr. 12345678');
  const xml = (await download(who, `/invoices/${id}/xml?format=factur-x`)).toString();
  expect(xml).toContain('<ram:Description>KvK Amsterdam</ram:Description>');
  expect(xml).toContain('<ram:ID schemeID="0106">12345678</ram:ID>');
});
