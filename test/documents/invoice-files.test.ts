import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasUnproven, proveNext } from '../../schema/resources/document/proofs.ts';
import { verifyDocuments } from '../../schema/resources/document/verify.ts';
import { item, makeCustomer, makeInvoice } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { importRecords } from '../record-import/records.ts';
import { buyer, company, makeIssuedInvoice, setCompany } from './parties.ts';
import { extractAttachment, noPdfTools, pdfText, pdfToolPackages, qpdfProblems } from './programs.ts';

const formats = ['xrechnung-cii', 'xrechnung-ubl', 'peppol', 'factur-x'];

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** A tenant with a company profile, which can issue e-invoices. */
async function seller(): Promise<Integrator> {
  const who = await service.integrator();
  await setCompany(who);
  return who;
}

async function download({ token }: Integrator, path: string, headers: Record<string, string> = {}, method = 'GET') {
  const authorization = `Bearer ${token}`;
  const response = await fetch(`${service.url}/api/v1${path}`, { method, headers: { authorization, ...headers } });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe('GET /invoices/:id/pdf', () => {
  it('answers the bytes, a name to save them by, and a tag', async () => {
    const who = await seller();
    const id = await makeIssuedInvoice(who);
    const { status, headers, bytes } = await download(who, `/invoices/${id}/pdf`, { accept: 'text/html' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(headers.get('content-disposition')).toBe('attachment; filename=2026-0001.pdf');
    expect(headers.get('content-length')).toBe(String(bytes.length));
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    const etag = headers.get('etag') ?? '';
    const again = await download(who, `/invoices/${id}/pdf`, { 'if-none-match': etag });
    expect([again.status, again.headers.get('etag'), again.bytes.length]).toEqual([304, etag, 0]);
    const head = await download(who, `/invoices/${id}/pdf`, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([
      200,
      String(bytes.length),
      0,
    ]);
  });

  it('answers a draft with a preview, which is not stored', async () => {
    const who = await service.integrator();
    const id = await makeInvoice(who);
    const { status, headers } = await download(who, `/invoices/${id}/pdf`);
    expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename=draft.pdf']);
    expect(await who.db.invoiceFile.count()).toBe(0);
    const { body } = await who.rest('GET', `/invoices/${id}/xml?format=peppol`);
    expect(body.errors).toEqual({ status: ['A draft has no e-invoice: it gets its number when it is issued.'] });
  });

  it('needs the ability to read invoices, and is for the own tenant', async () => {
    const [who, other] = [await seller(), await service.integrator()];
    const lacking = await service.integrator({ abilities: ['customers:read'] });
    const id = await makeIssuedInvoice(who);
    for (const file of ['pdf', 'xml?format=peppol']) {
      expect((await other.rest('GET', `/invoices/${id}/${file}`)).status).toBe(404);
      expect((await lacking.rest('GET', `/invoices/${id}/${file}`)).status).toBe(404);
    }
  });
});

describe('GET /invoices/:id/xml', () => {
  it.each(formats)('answers %s', async (format) => {
    const who = await seller();
    const id = await makeIssuedInvoice(who);
    const { status, headers, bytes } = await download(who, `/invoices/${id}/xml?format=${format}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml']);
    expect(headers.get('content-disposition')).toContain('2026-0001');
    expect(bytes.toString()).toContain('2026-0001');
  });

  it('names each rule that the invoice breaks', async () => {
    const who = await service.integrator();
    const id = await makeIssuedInvoice(who, { customerId: await makeCustomer(who) });
    const { status, body } = await who.rest('GET', `/invoices/${id}/xml?format=xrechnung-cii`);
    expect(status).toBe(422);
    expect(body.errors['customer.city']).toEqual([expect.stringMatching(/^BR-DE-8: /)]);
    const draft = await makeInvoice(who);
    const { breaches } = await who.graphql(
      'query ($id: UUID!) { breaches: invoicePreflight(id: $id, format: XRECHNUNG_CII) { rule field message } }',
      { id: draft },
    );
    expect(breaches).toContainEqual(expect.objectContaining({ rule: 'BR-DE-8', field: 'customer.city' }));
  });

  it('takes one of the formats', async () => {
    const who = await seller();
    const id = await makeIssuedInvoice(who);
    const wrong = await who.rest('GET', `/invoices/${id}/xml?format=edifact`);
    expect(wrong.body.errors).toEqual({ format: [`Must be one of ${formats.join(', ')}.`] });
    expect((await who.rest('GET', `/invoices/${id}/xml`)).body.errors).toEqual({ format: ['Required.'] });
  });
});

describe('pdfUrl and xmlUrl of an invoice in GraphQL', () => {
  const query = `query ($id: UUID!) { invoice(id: $id) {
    pdfUrl cii: xmlUrl(format: XRECHNUNG_CII) peppol: xmlUrl(format: PEPPOL) } }`;

  it('are the addresses from which the same token downloads the files', async () => {
    const who = await seller();
    const { invoice } = await who.graphql(query, { id: await makeIssuedInvoice(who) });
    for (const [name, type] of Object.entries({ pdfUrl: 'pdf', cii: 'xml', peppol: 'xml' })) {
      const response = await fetch(invoice[name], { headers: { authorization: `Bearer ${who.token}` } });
      expect([name, response.status, response.headers.get('content-type')]).toEqual([name, 200, `application/${type}`]);
    }
  });

  it('are null where there is no file: a draft has a PDF only', async () => {
    const who = await seller();
    const { invoice } = await who.graphql(query, { id: await makeInvoice(who) });
    expect(invoice).toEqual({ pdfUrl: expect.stringMatching(/\/pdf$/), cii: null, peppol: null });
  });
});

describe('the files of an issued invoice', () => {
  it('are made once, whoever asks first and however many', async () => {
    const who = await seller();
    const id = await makeIssuedInvoice(who);
    const all = await Promise.all(Array.from({ length: 8 }, () => download(who, `/invoices/${id}/pdf`)));
    expect(new Set(all.map(({ bytes }) => bytes.toString('latin1'))).size).toBe(1);
    expect(await who.db.invoiceFile.count()).toBe(1);
  });

  it('say all whether it was paid when it was issued, also if the payment is undone, or made, between them', async () => {
    const who = await seller();
    const customerId = await makeCustomer(who, buyer);
    const body = {
      customer_id: customerId,
      invoice_date: '2026-03-01',
      items: [{ title: 'A', quantity: 1, unit: 'h', unit_price_net: 100, vat_rate: 19 }],
    };
    const make = async (status: string): Promise<string> =>
      (await who.rest('POST', '/invoices', { ...body, status })).body.data.id;
    const undo = async (invoiceId: string): Promise<void> => {
      const { id } = await who.db.payment.findFirstOrThrow({ where: { invoiceId }, orderBy: { id: 'desc' } });
      expect((await who.rest('POST', `/payments/${id}/reverse`, {})).status).toBe(200);
    };
    const pay = (id: string) => who.rest('POST', `/invoices/${id}/payments`, { paid_on: '2026-03-01' });
    const prepaid = async (id: string, format: string): Promise<number> => {
      const { status, bytes } = await download(who, `/invoices/${id}/xml?format=${format}`);
      expect(status).toBe(200);
      return Number(/PrepaidAmount[^>]*>([^<]+)</.exec(bytes.toString())?.[1] ?? 0);
    };
    const [paid, paidLater] = [await make('paid'), await make('issued')];
    expect([await prepaid(paid, 'factur-x'), await prepaid(paidLater, 'factur-x')]).toEqual([119, 0]);
    await undo(paid);
    await pay(paidLater);
    expect([await prepaid(paid, 'peppol'), await prepaid(paidLater, 'peppol')]).toEqual([119, 0]);
    await pay(paid);
    await undo(paidLater);
    const late = 'xrechnung-ubl';
    expect([await prepaid(paid, late), await prepaid(paidLater, late)]).toEqual([119, 0]);

    const names = [
      'number',
      'customer',
      'invoiceDate',
      'title',
      'quantity',
      'unit',
      'unitPriceNet',
      'vatRate',
      'paidOn',
    ];
    const line = (number: string, paidOn: string) => `${number},Stadt Ulm,2026-02-01,A,1,h,100,19,${paidOn}`;
    const csv = [names.join(), line('A-1', '2026-02-01'), line('A-2', '2026-02-02')].join('\n');
    const columns = Object.fromEntries([['externalId', 'number'], ...names.map((name) => [name, name])]);
    expect(await importRecords(service, who, 'Invoice', csv, { columns })).toMatchObject({ errors: [], imported: 2 });
    for (const [number, amount] of [
      ['A-1', 119],
      ['A-2', 0],
    ] as const) {
      const { id } = await who.db.invoice.findFirstOrThrow({ where: { number } });
      expect([number, await prepaid(id, 'peppol')]).toEqual([number, amount]);
      await undo(id);
      expect([number, await prepaid(id, 'factur-x')]).toEqual([number, amount]);
    }
  });

  it('say what was issued, whatever changes afterwards', async () => {
    const who = await seller();
    const customerId = await makeCustomer(who, buyer);
    const paths = ['pdf', ...formats.map((format) => `xml?format=${format}`)];
    const [early, late] = [await makeIssuedInvoice(who, { customerId }), await makeIssuedInvoice(who, { customerId })];
    const read = (id: string) =>
      Promise.all(paths.map(async (path) => (await download(who, `/invoices/${id}/${path}`)).bytes));
    const before = await read(early);
    await who.rest('PATCH', `/customers/${customerId}`, { company_name: 'Somebody else', city: 'Bonn' });
    await setCompany(who, { ...company, legalName: 'Somebody else' });
    await who.rest('POST', `/invoices/${early}/payments`, { amount: '50' });
    expect(await read(early)).toEqual(before);
    const [, ...xml] = await read(late);
    for (const bytes of xml) expect(bytes.toString()).not.toContain('Somebody else');
    for (const bytes of xml) expect(bytes.toString()).toContain('Stadt Ulm');
  });

  it('cannot be changed or deleted by the service', async () => {
    const who = await seller();
    await download(who, `/invoices/${await makeIssuedInvoice(who)}/pdf`);
    await expect(who.db.invoiceFile.updateMany({ data: { format: 'x' } })).rejects.toThrow(/permission denied/);
    await expect(who.db.invoiceFile.deleteMany({})).rejects.toThrow(/permission denied/);
  });
});

describe('the seller', () => {
  it('has the country of the tenant, if the profile has none', async () => {
    const who = await service.integrator();
    await setCompany(who, { ...company, country: null });
    await service.client.tenant.update({ where: { id: who.tenantId }, data: { country: 'AT' } });
    const id = await makeIssuedInvoice(who);
    const { bytes } = await download(who, `/invoices/${id}/xml?format=factur-x`);
    const [, party] = /<ram:SellerTradeParty>(.*?)<\/ram:SellerTradeParty>/s.exec(bytes.toString()) ?? [];
    expect(party).toContain('<ram:CountryID>AT</ram:CountryID>');
  });
});

describe('an invoice that is created as paid', () => {
  it('has nothing to be paid in its e-invoices', async () => {
    const who = await seller();
    const id = await makeIssuedInvoice(who, { status: 'PAID' });
    const [cii = '', ubl = ''] = await Promise.all(
      ['factur-x', 'peppol'].map(async (format) =>
        (await download(who, `/invoices/${id}/xml?format=${format}`)).bytes.toString(),
      ),
    );
    expect(cii).toContain('<ram:TotalPrepaidAmount>119.00</ram:TotalPrepaidAmount>');
    expect(cii).toContain('<ram:DuePayableAmount>0.00</ram:DuePayableAmount>');
    expect(ubl).toContain('<cbc:PrepaidAmount currencyID="EUR">119.00</cbc:PrepaidAmount>');
    expect(ubl).toContain('<cbc:PayableAmount currencyID="EUR">0.00</cbc:PayableAmount>');
  });
});

describe.skipIf(noPdfTools)(`PDFs, as other programs read them (they are in: ${pdfToolPackages})`, () => {
  /** An invoice that is created as draft and issued over REST. */
  async function issueByRest(who: Integrator): Promise<string> {
    const customer_id = await makeCustomer(who, buyer);
    const items = [{ title: 'Beratung', quantity: 1.5, unit: 'h', unit_price_net: 99.99, vat_rate: 19 }];
    const { body } = await who.rest('POST', '/invoices', { customer_id, invoice_date: '2026-03-01', items });
    await who.rest('POST', `/invoices/${body.data.id}/issue`);
    return body.data.id;
  }

  it.each<[string, (who: Integrator) => Promise<string>]>([
    ['REST', issueByRest],
    ['GraphQL', (who) => makeIssuedInvoice(who)],
  ])('contain the e-invoice that is answered as factur-x, byte for byte: issued by %s', async (_, issue) => {
    const who = await seller();
    const id = await issue(who);
    const { bytes: pdf } = await download(who, `/invoices/${id}/pdf`);
    const { bytes: xml } = await download(who, `/invoices/${id}/xml?format=factur-x`);
    expect(xml.toString()).toContain('2026-0001');
    expect(extractAttachment(pdf, 'factur-x.xml').equals(xml)).toBe(true);
    expect(qpdfProblems(pdf)).toBe('');
  });

  it('ask for a transfer, unless the invoice was created as paid', async () => {
    const who = await seller();
    const [open = '', paid = ''] = await Promise.all(
      ['ISSUED', 'PAID'].map(async (status) => {
        const customerId = await makeCustomer(who, { ...buyer, language: 'en' });
        const id = await makeIssuedInvoice(who, { status, customerId });
        return pdfText((await download(who, `/invoices/${id}/pdf`)).bytes);
      }),
    );
    expect(open).toContain('Please transfer');
    expect(open).toContain('Scan to pay');
    expect(open).not.toContain('paid already');
    expect(paid).toContain('This invoice is paid already.');
    expect(paid).not.toContain('Please transfer');
    expect(paid).not.toContain('Scan to pay');
    expect(paid).toMatch(/Amount due +€0\.00/);
  });
});

describe('proofs', () => {
  it('are of all files that there will be: none is added afterwards', async () => {
    const who = await seller();
    const id = await makeIssuedInvoice(who, { customerId: await makeCustomer(who) });
    const context = await service.contextOf(who);
    await proveNext(context);
    const before = await verifyDocuments(context);
    // As if a later version of the rules allowed what was refused before.
    const complete = await makeIssuedInvoice(who);
    const buyerOf = async (invoice: string): Promise<unknown> => {
      const text = 'select buyer from invoice_parties where tenant_id = $1 and id = $2';
      return (await service.pool.query<{ buyer: unknown }>(text, [who.tenantId, invoice])).rows[0]?.buyer;
    };
    const setBuyer = (value: unknown): Promise<unknown> =>
      service.pool.query('update invoice_parties set buyer = $3 where tenant_id = $1 and id = $2', [
        who.tenantId,
        id,
        value,
      ]);
    const proven = await buyerOf(id);
    await setBuyer(await buyerOf(complete));
    expect((await download(who, `/invoices/${complete}/xml?format=xrechnung-cii`)).status).toBe(200);
    const { status, body } = await who.rest('GET', `/invoices/${id}/xml?format=xrechnung-cii`);
    expect([status, body.errors]).toEqual([
      422,
      { format: ['This document was issued without a file in this format.'] },
    ]);
    expect(before).toMatchObject({ documents: 1, difference: null });
    expect(await verifyDocuments(context)).toMatchObject({
      documents: 0,
      difference: 'Invoice 2026-0001: what it says is not what was proven',
    });
    await setBuyer(proven);
    expect(await verifyDocuments(context)).toEqual({ ...before, files: before.files + 1, unproven: 1 });
  });

  it('follow the numbers, and agree with the files', async () => {
    const who = await seller();
    for (const _ of [1, 2, 3]) await makeIssuedInvoice(who);
    const context = await service.contextOf(who);
    await proveNext(context);
    expect(await hasUnproven(context)).toBe(false);
    await makeIssuedInvoice(who);
    expect(await verifyDocuments(context)).toMatchObject({ documents: 3, files: 15, unproven: 1, difference: null });
    await proveNext(context);
    await proveNext(context);
    const proofs = await who.db.documentProof.findMany({ orderBy: { position: 'asc' } });
    expect(proofs.map(({ position }) => position)).toEqual([1, 2, 3, 4]);
    expect(proofs.map(({ content }) => JSON.parse(content).number)).toEqual([
      '2026-0001',
      '2026-0002',
      '2026-0003',
      '2026-0004',
    ]);
  });

  it('are made once, also by several processes at the same time', async () => {
    const who = await seller();
    for (const _ of [1, 2, 3, 4]) await makeIssuedInvoice(who);
    const context = await service.contextOf(who);
    await Promise.all([proveNext(context), proveNext(context), proveNext(context)]);
    await proveNext(context);
    expect(await verifyDocuments(context)).toMatchObject({ documents: 4, unproven: 0, difference: null });
  });

  it('show any change of what is stored', { timeout: 60_000 }, async () => {
    const who = await seller();
    for (const items of [[item], [item, item], [item]]) await makeIssuedInvoice(who, { items });
    const context = await service.contextOf(who);
    await proveNext(context);
    const column = fc.constantFrom(
      ['invoice_files', 'bytes'],
      ['invoice_files', 'sha256'],
      ['document_proofs', 'hash'],
    );
    const flip = async ([table, name]: readonly string[], row: number, place: number): Promise<void> => {
      await service.pool.query(
        `update ${table} set ${name} = set_bit(${name}, $3 % (length(${name}) * 8), 1 - get_bit(${name}, $3 % (length(${name}) * 8)))
         where tenant_id = $1 and id = (select id from ${table} where tenant_id = $1 order by id offset $2 limit 1)`,
        [who.tenantId, row % (table === 'invoice_files' ? 15 : 3), place],
      );
    };
    await fc.assert(
      fc.asyncProperty(column, fc.nat(14), fc.nat(100_000), async (at, row, place) => {
        await flip(at, row, place);
        expect((await verifyDocuments(context)).difference).not.toBeNull();
        await flip(at, row, place);
      }),
      { numRuns: 30 },
    );
    expect((await verifyDocuments(context)).difference).toBeNull();
    const tampered = [
      `update document_proofs set content = replace(content, '2026-0002', '2026-0009') where tenant_id = $1`,
      'delete from document_proofs where tenant_id = $1 and position = 2',
      `delete from invoice_files where tenant_id = $1 and format = 'peppol'`,
    ];
    for (const sql of tampered) {
      await service.pool.query(sql, [who.tenantId]);
      expect((await verifyDocuments(context)).difference).not.toBeNull();
    }
  });
});
