import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withHolder } from '../../prisma/client.ts';
import { pdfTurns } from '../../schema/resources/document/stored-files.ts';
import { item, makeCustomer, makeInvoice } from '../graphql/books.ts';
import { onEachServer, startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { create, invoice } from '../rest/samples.ts';
import { buyer, company, setCompany } from './parties.ts';
import { noPdfTools, pdfText } from './programs.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** A buyer without the fields that BR-DE-8 and BR-DE-15 demand. */
const lacking = { ...buyer, city: null, buyerReference: null };
const refused = {
  'customer.city': ['BR-DE-8: The buyer needs a city.'],
  'customer.buyer_reference': [expect.stringMatching(/^BR-DE-15: /)],
};

async function seller(requiredEInvoice?: string): Promise<Integrator> {
  const who = await service.integrator();
  await setCompany(who, { ...company, requiredEInvoice });
  return who;
}

const issue = (who: Integrator, id: string) => who.rest('POST', `/invoices/${id}/issue`);

describe('newInvoicePreflight', () => {
  const query = `query ($input: CreateInvoiceInput!) {
    breaches: newInvoicePreflight(input: $input, format: XRECHNUNG_CII) { rule field } }`;
  const input = (customerId: string, more: object = {}) => ({
    customerId,
    invoiceDate: '2026-03-01',
    items: [{ ...item, ...more }],
  });

  it('names what an invoice would lack, and stores nothing', async () => {
    const who = await seller();
    const [whole, incomplete] = [await makeCustomer(who, buyer), await makeCustomer(who, lacking)];
    const check = (given: object) => who.graphql(query, { input: given });
    expect(await check(input(whole))).toEqual({ breaches: [] });
    expect((await check(input(incomplete))).breaches.map(({ rule }: { rule: string }) => rule).toSorted()).toEqual([
      'BR-DE-15',
      'BR-DE-8',
    ]);
    const exempt = { vatRate: '0', vatCategory: 'E' };
    expect(await check(input(whole, exempt))).toEqual({
      breaches: [{ rule: 'BR-E-10', field: 'items.0.exemption_reason' }],
    });
    expect(await who.db.invoice.count()).toBe(0);
  });

  it('refuses what createInvoice refuses, and customers of others', async () => {
    const [who, other] = [await seller(), await service.integrator()];
    const refusedInput = async (given: object) => (await who.graphqlAnswer(query, { input: given })).body.errors[0];
    const customerId = await makeCustomer(who, buyer);
    expect((await refusedInput(input(customerId, { quantity: '0' }))).extensions.errors).toEqual({
      'input.items.0.quantity': ['Must not be zero.'],
    });
    expect((await refusedInput(input(await makeCustomer(other, buyer)))).extensions.errors).toEqual({
      'input.customerId': ['There is no such customer.'],
    });
  });
});

describe('newInvoicePdf', () => {
  const query = 'query ($input: CreateInvoiceInput!) { file: newInvoicePdf(input: $input) { fileName base64 } }';

  it('is a PDF of what is not stored; customers of others are refused', async () => {
    const [who, other] = [await seller(), await service.integrator()];
    const input = async (of: Integrator) => ({
      customerId: await makeCustomer(of, buyer),
      invoiceDate: '2026-03-01',
      items: [item],
    });
    const { file } = await who.graphql(query, { input: await input(who) });
    expect([file.fileName, Buffer.from(file.base64, 'base64').toString('latin1', 0, 5)]).toEqual([
      'draft.pdf',
      '%PDF-',
    ]);
    expect(await who.db.invoice.count()).toBe(0);
    const { body } = await who.graphqlAnswer(query, { input: await input(other) });
    expect(body.errors[0].extensions.errors).toEqual({ 'input.customerId': ['There is no such customer.'] });
  });

  it.skipIf(noPdfTools)('asks for no money where the invoice will be issued as paid', async () => {
    const who = await seller();
    const customerId = await makeCustomer(who, buyer);
    const preview = async (status: string): Promise<string> => {
      const input = { customerId, invoiceDate: '2026-03-01', items: [item], status };
      const { file } = await who.graphql(query, { input });
      return pdfText(Buffer.from(file.base64, 'base64')).replaceAll(/ +/g, ' ');
    };
    expect(await preview('PAID')).toContain('Zu zahlen 0,00 €');
    expect(await preview('PAID')).not.toContain('Bitte überweisen');
    expect(await preview('ISSUED')).toContain('Bitte überweisen Sie 119,00 €');
  });

  it.skipIf(noPdfTools)('is due after the customer’s payment terms, as the invoice will be', async () => {
    const who = await seller();
    const customerId = await makeCustomer(who, { ...buyer, paymentTermsDays: 45 });
    const input = { customerId, invoiceDate: '2026-03-01', items: [item] };
    const { file } = await who.graphql(query, { input });
    const text = pdfText(Buffer.from(file.base64, 'base64')).replaceAll(/ +/g, ' ');
    expect(text).toMatch(/15\.0?4\.2026/);
    const { body } = await who.rest('GET', `/invoices/${await makeInvoice(who, input)}`);
    expect(body.data.due_date).toBe('2026-04-15');
  });

  it('of one tenant waits for none of another tenant’s, however many and long these are', async () => {
    const [attacker, innocent] = [await seller(), await seller()];
    const prepare = async (who: Integrator) => {
      const input = { customerId: await makeCustomer(who, buyer), invoiceDate: '2026-03-01', items: [item] };
      return async (): Promise<number> => (await who.graphqlAnswer(query, { input })).status;
    };
    const [attack, ask] = [await prepare(attacker), await prepare(innocent)];
    // One of the attacker's PDFs takes until the other tenant has its own. The attacker's others wait for it.
    const held = Promise.withResolvers<void>();
    const holding = pdfTurns.run(withHolder({ id: attacker.tenantId, testOf: null }).holder, () => held.promise);
    const answered: number[] = [];
    const attacks = Array.from({ length: 8 }, async () => answered.push(await attack()));
    // On a busy machine, anybody may be asked to try again.
    await expect.poll(ask, { timeout: 40_000 }).toBe(200);
    expect(answered.filter((status) => status !== 503)).toEqual([]);
    held.resolve();
    await Promise.all([...attacks, holding]);
    expect(answered.filter((status) => status !== 503 && status !== 200)).toEqual([]);
    await expect.poll(attack, { timeout: 40_000 }).toBe(200);
  });
});

describe('required_e_invoice', () => {
  it('refuses to issue an invoice that breaks rules: all at once, and without a number', async () => {
    const who = await seller();
    const customerId = await makeCustomer(who, { ...lacking, requiredEInvoice: 'XRECHNUNG_UBL' });
    const id = await makeInvoice(who, { customerId });
    const answer = await issue(who, id);
    expect([answer.status, answer.body.errors]).toEqual([422, refused]);
    for (const status of ['issued', 'paid']) {
      const direct = await who.rest('POST', '/invoices', { ...invoice(customerId), status });
      expect([direct.status, direct.body.errors]).toEqual([422, refused]);
    }
    const { body } = await who.graphqlAnswer('mutation ($id: UUID!) { issueInvoice(id: $id) { id } }', { id });
    expect(body.errors[0].extensions).toMatchObject({ code: 'VALIDATION_FAILED', errors: refused });
    expect(await who.db.invoiceSequence.count()).toBe(0);

    await who.rest('PATCH', `/customers/${customerId}`, { city: 'Ulm', buyer_reference: '1' });
    expect((await issue(who, id)).body.data).toMatchObject({ status: 'issued', number: '2026-0001' });
    const paid = await create(who, '/invoices', { ...invoice(customerId), status: 'paid' });
    expect(paid).toMatchObject({ number: '2026-0002' });
  });

  it('keeps the number also within a transaction for an Idempotency-Key', async () => {
    const who = await seller();
    const customerId = await makeCustomer(who, { ...lacking, requiredEInvoice: 'XRECHNUNG_CII' });
    const body = { ...invoice(customerId), status: 'issued' };
    const headers = { 'Idempotency-Key': 'one' };
    for (const replayed of [null, 'true']) {
      const answer = await who.rest('POST', '/invoices', body, headers);
      expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([422, replayed]);
    }
    expect(await who.db.invoiceSequence.count()).toBe(0);
  });

  it("is the customer's, or else the company's", async () => {
    const who = await seller('XRECHNUNG_CII');
    const cases: [requiredEInvoice: string | null, effective: string | null, status: number][] = [
      [null, 'XRECHNUNG_CII', 422],
      ['XRECHNUNG_UBL', 'XRECHNUNG_UBL', 422],
      ['FACTUR_X', 'FACTUR_X', 200],
      ['NONE', null, 200],
    ];
    for (const [requiredEInvoice, effective, status] of cases) {
      const customerId = await makeCustomer(who, { ...lacking, requiredEInvoice });
      expect((await issue(who, await makeInvoice(who, { customerId }))).status).toBe(status);
      const query = 'query ($customerId: UUID!) { requiredEInvoice(customerId: $customerId) }';
      expect(await who.graphql(query, { customerId })).toEqual({ requiredEInvoice: effective });
    }
  });

  it('holds without a company profile, too', async () => {
    const who = await service.integrator();
    const customerId = await makeCustomer(who, { ...buyer, requiredEInvoice: 'FACTUR_X' });
    const { body } = await issue(who, await makeInvoice(who, { customerId }));
    expect(Object.keys(body.errors)).toContain('company.vat_id');
  });
});

describe('an invoice that is issued while its parties are being changed', () => {
  /** Issues while a change is not committed yet, and commits the change once issuing waits, or has ended. */
  async function issueDuring(who: Integrator, id: string, change: string): Promise<Answer> {
    const holder = await service.pool.connect();
    try {
      await holder.query('begin');
      await holder.query(change, [who.tenantId]);
      const ended: string[] = [];
      const issued = issue(who, id).finally(() => ended.push(id));
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      while (ended.length === 0 && (await onEachServer(service, waiting)).length === 0)
        await new Promise((resolve) => setTimeout(resolve, 10));
      await holder.query('commit');
      return await issued;
    } finally {
      holder.release();
    }
  }

  type Fields = Record<string, unknown>;
  const reverseCharge = [{ ...item, vatRate: '0', vatCategory: 'AE', exemptionReason: 'Reverse charge' }];
  const abroad = { ...buyer, country: 'FR', vatId: 'FR40303265045' };

  it.each<[string, Fields, Fields, string, string]>([
    [
      'the required format, by its customer',
      { ...buyer, requiredEInvoice: 'XRECHNUNG_CII' },
      {},
      'update customers set city = null where tenant_id = $1',
      'customer.city',
    ],
    [
      'the required format, by its company',
      { ...buyer, requiredEInvoice: 'XRECHNUNG_CII' },
      {},
      'update companies set phone = null where tenant_id = $1',
      'company.phone',
    ],
    [
      'the need of a VAT number',
      abroad,
      { items: reverseCharge },
      'update customers set vat_id = null where tenant_id = $1',
      'customer.vat_id',
    ],
  ])('breaks %s: it is refused by what they are then', async (_, customer, fields, change, field) => {
    const who = await seller();
    const id = await makeInvoice(who, { customerId: await makeCustomer(who, customer), ...fields });
    const answer = await issueDuring(who, id, change);
    expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, [field]]);
    expect(await who.db.invoiceSequence.count()).toBe(0);
  });
});
