import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { item, makeCreditNote } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { company, makeIssuedInvoice, setCompany } from './parties.ts';
import { noPdfTools, pdfText } from './programs.ts';

let service: Service;
let who: Integrator;

beforeAll(async () => {
  service = await startService();
  who = await service.integrator();
  await setCompany(who, { ...company, language: 'de' });
});
afterAll(() => service.close());

const formats = ['xrechnung-cii', 'factur-x', 'xrechnung-ubl', 'peppol'];

async function download(path: string): Promise<Buffer> {
  const headers = { authorization: `Bearer ${who.token}` };
  const response = await fetch(`${service.url}/api/v1${path}`, { headers });
  expect([path, response.status]).toEqual([path, 200]);
  return Buffer.from(await response.arrayBuffer());
}

/** The delivery date (BT-72) and the period (BG-14) of a document, which are the same in all formats. */
async function timesOf(path: string): Promise<string[]> {
  const found = await Promise.all(
    formats.map(async (format) => {
      const xml = (await download(`${path}/xml?format=${format}`)).toString();
      const [head = ''] = xml.split('<cac:InvoiceLine>').at(0)?.split('<cac:CreditNoteLine>') ?? [];
      const dates = [
        ...(head.includes('CrossIndustry')
          ? xml.slice(xml.indexOf('</ram:ApplicableHeaderTradeAgreement>'))
          : head
        ).matchAll(
          /<(?:cbc:ActualDeliveryDate|cbc:StartDate|cbc:EndDate)>([\d-]+)<|<ram:(?:Occurrence|Start|End)DateTime>\s*<udt:DateTimeString format="102">(\d+)</g,
        ),
      ];
      return dates.map(([, ubl, cii]) => (ubl ?? cii ?? '').replaceAll('-', '')).toSorted();
    }),
  );
  for (const dates of found) expect(dates).toEqual(found[0]);
  return found[0] ?? [];
}

const invoice = (fields: object): Promise<string> => makeIssuedInvoice(who, { invoiceDate: '2026-03-10', ...fields });
const period = { servicePeriodStart: '2026-02-01', servicePeriodEnd: '2026-02-28' };

describe('the date of supply (BT-72)', () => {
  it('of an invoice is its delivery date, in each format, beside the service periods of its lines', async () => {
    const id = await invoice({ deliveryDate: '2026-02-27' });
    expect(await timesOf(`/invoices/${id}`)).toEqual(['20260227']);
    const both = await invoice({ deliveryDate: '2026-02-27', items: [{ ...item, ...period }] });
    expect(await timesOf(`/invoices/${both}`)).toEqual(['20260201', '20260227', '20260228']);
  });

  it('of an invoice without one is the invoice date, unless its lines have service periods', async () => {
    expect(await timesOf(`/invoices/${await invoice({})}`)).toEqual(['20260310']);
    const id = await invoice({ items: [{ ...item, ...period }, item] });
    expect(await timesOf(`/invoices/${id}`)).toEqual(['20260201', '20260228']);
  });

  it('of a credit note is that of its invoice', async () => {
    const credit = (invoiceId: string, fields: object = {}) =>
      makeCreditNote(who, { invoiceId, creditNoteDate: '2026-04-01', ...fields });
    const dated = await credit(await invoice({ deliveryDate: '2026-02-27' }));
    expect(await timesOf(`/credit-notes/${dated}`)).toEqual(['20260227']);
    const undated = await credit(await invoice({}));
    expect(await timesOf(`/credit-notes/${undated}`)).toEqual(['20260310']);
    // An amount has no line of the invoice, and so no period of its own.
    const amounts = [{ vatRate: '19', net: '10' }];
    const partly = await credit(await invoice({ items: [{ ...item, ...period }] }), { amounts });
    expect(await timesOf(`/credit-notes/${partly}`)).toEqual(['20260201', '20260228']);
  });

  it.skipIf(noPdfTools)('is on the PDF, in the language of the document', async () => {
    const textOf = async (path: string) => pdfText(await download(`${path}/pdf`)).replaceAll(/ +/g, ' ');
    const given = await invoice({ deliveryDate: '2026-02-27' });
    expect(await textOf(`/invoices/${given}`)).toContain('Leistungsdatum 27.02.2026');
    const without = await invoice({});
    expect(await textOf(`/invoices/${without}`)).toContain('Leistungsdatum wie Rechnungsdatum');
    const credited = await makeCreditNote(who, { invoiceId: without, creditNoteDate: '2026-04-01' });
    expect(await textOf(`/credit-notes/${credited}`)).toContain('Leistungsdatum 10.03.2026');
    const overTime = await textOf(`/invoices/${await invoice({ items: [{ ...item, ...period }] })}`);
    expect(overTime).toContain('Leistungszeitraum 01.02.2026');
    expect(overTime).not.toContain('Leistungsdatum');
  });

  it('of an issued invoice can’t change; of a draft it can', async () => {
    const update = `mutation ($id: UUID!, $input: UpdateInvoiceInput!) {
      updateInvoice(id: $id, input: $input) { deliveryDate version }
    }`;
    const created = await who.graphql(
      'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id customerId version } }',
      {
        input: { customerId: (await who.db.customer.findFirstOrThrow()).id, invoiceDate: '2026-03-10', items: [item] },
      },
    );
    const { id, version } = created.createInvoice;
    const dated = await who.graphql(update, { id, input: { deliveryDate: '2026-03-01' } });
    expect(dated.updateInvoice).toEqual({ deliveryDate: '2026-03-01', version: version + 1 });
    const same = await who.graphql(update, { id, input: { deliveryDate: '2026-03-01' } });
    expect(same.updateInvoice.version).toBe(version + 1);
    await who.graphql('mutation ($id: UUID!) { issueInvoice(id: $id) { id } }', { id });
    const refused = await who.graphqlAnswer(update, { id, input: { deliveryDate: null } });
    expect(refused.body.errors[0].extensions.code).toBe('VALIDATION_FAILED');
  });

  it('is in the events of an invoice', async () => {
    const id = await invoice({ deliveryDate: '2026-02-27' });
    const { body } = await who.rest('GET', `/events?type=invoice.issued&resource_id=${id}`);
    expect(body.data[0].data.invoice.delivery_date).toBe('2026-02-27');
  });
});
