import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasUnproven, proveNext } from '../../schema/resources/document/proofs.ts';
import { verifyDocuments } from '../../schema/resources/document/verify.ts';
import { makeCustomer } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { buyer, company, makeIssuedInvoice, setCompany } from './parties.ts';
import { withHolder } from '../../prisma/client.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const formats = ['xrechnung-cii', 'xrechnung-ubl', 'peppol', 'factur-x'];

async function seller(profile: object = company): Promise<Integrator> {
  const who = await service.integrator();
  await setCompany(who, profile);
  return who;
}

async function download({ token }: Integrator, path: string) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${service.url}/api/v1${path}`, { headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function makeCreditNote(who: Integrator, fields: object): Promise<string> {
  const { status, body } = await who.rest('POST', '/credit-notes', fields);
  expect(status).toBe(201);
  return body.data.id;
}

const contextOf = async ({ tenantId, userId }: Integrator) => {
  const tenant = await service.client.tenant.findUniqueOrThrow({ where: { id: tenantId } });
  const user = await service.client.user.findUniqueOrThrow({ where: { id: userId } });
  return service.domain.contextFor({ user, tenant: withHolder(tenant), token: null });
};

describe('the files of a credit note', () => {
  it('are a PDF, and an e-invoice of type 381 in each format, which refers to the invoice', async () => {
    const who = await seller();
    const invoiceId = await makeIssuedInvoice(who, { invoiceDate: '2026-03-01' });
    const id = await makeCreditNote(who, {
      invoice_id: invoiceId,
      credit_note_date: '2026-03-15',
      reason: 'Too late',
    });
    const pdf = await download(who, `/credit-notes/${id}/pdf`);
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(pdf.headers.get('content-disposition')).toBe('attachment; filename=CN-2026-0001.pdf');
    for (const format of formats) {
      const { status, bytes } = await download(who, `/credit-notes/${id}/xml?format=${format}`);
      expect([format, status]).toEqual([format, 200]);
      const xml = bytes.toString();
      expect(xml).toMatch(/<(ram:TypeCode|cbc:CreditNoteTypeCode)>381</);
      for (const text of ['CN-2026-0001', '2026-0001', 'Stadt Ulm', 'Too late']) expect(xml).toContain(text);
    }
  });

  it('say by whom and to whom the invoice was, whatever changes afterwards', async () => {
    const who = await seller();
    const customerId = await makeCustomer(who, buyer);
    const invoiceId = await makeIssuedInvoice(who, { customerId });
    await who.rest('PATCH', `/customers/${customerId}`, { company_name: 'Somebody else' });
    const id = await makeCreditNote(who, { invoice_id: invoiceId });
    const { bytes } = await download(who, `/credit-notes/${id}/xml?format=peppol`);
    expect(bytes.toString()).toContain('Stadt Ulm');
    expect(bytes.toString()).not.toContain('Somebody else');
  });

  it('state the VAT that the credit note has, also where it is rounded differently', async () => {
    const who = await seller();
    // The rest of 0.05 is 0.03 and 0.01: 19 % of them are 0.01, 0.01, and 0.00, rounded.
    const items = [{ title: 'Screw', quantity: '5', unitPriceNet: '0.01', vatRate: '19' }];
    const invoiceId = await makeIssuedInvoice(who, { items });
    const [{ id: itemId }] = (await who.rest('GET', `/invoices/${invoiceId}`)).body.data.items;
    const vat: string[] = [];
    for (const quantity of [2, 2, 1]) {
      const id = await makeCreditNote(who, {
        invoice_id: invoiceId,
        items: [{ invoice_item_id: itemId, quantity }],
      });
      const { status, bytes } = await download(who, `/credit-notes/${id}/xml?format=factur-x`);
      expect(status).toBe(200);
      vat.push(/<ram:CalculatedAmount>(.*?)</.exec(bytes.toString())?.[1] ?? '');
    }
    expect(vat.reduce((sum, amount) => sum + Number(amount), 0)).toBe(0.01);
  });

  it('are refused with the rules that the credit note breaks, and only with an ability for invoices', async () => {
    const who = await service.integrator();
    const id = await makeCreditNote(who, { invoice_id: await makeIssuedInvoice(who) });
    const { status, body } = await who.rest('GET', `/credit-notes/${id}/xml?format=xrechnung-cii`);
    expect(status).toBe(422);
    expect(body.errors['company.city']).toEqual([expect.stringMatching(/^BR-DE-3: /)]);
    const other = await service.integrator();
    expect((await other.rest('GET', `/credit-notes/${id}/pdf`)).status).toBe(404);
  });

  it('are proven in the same chain as those of invoices', async () => {
    const who = await seller();
    const first = await makeIssuedInvoice(who);
    await makeIssuedInvoice(who);
    await makeCreditNote(who, { invoice_id: first });
    const context = await contextOf(who);
    await proveNext(context);
    expect(await hasUnproven(context)).toBe(false);
    const proofs = await who.db.documentProof.findMany({ orderBy: { position: 'asc' } });
    expect(proofs.map(({ content }) => JSON.parse(content).number)).toEqual(['2026-0001', '2026-0002', 'CN-2026-0001']);
    expect(await verifyDocuments(context)).toMatchObject({ documents: 3, files: 15, unproven: 0, difference: null });
    await service.pool.query(
      `update invoice_files set bytes = set_bit(bytes, 77, 1 - get_bit(bytes, 77))
       where tenant_id = $1 and credit_note_id is not null and format = 'peppol'`,
      [who.tenantId],
    );
    expect(await verifyDocuments(context)).toMatchObject({
      difference: 'Credit note CN-2026-0001: the peppol file is not the one that was made',
    });
  });
});
