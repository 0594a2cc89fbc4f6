import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCustomer, makeInvoice } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { create, invoice } from '../rest/samples.ts';
import { buyer, company, setCompany } from './parties.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** What BR-DE-8 and BR-DE-15 demand is missing. */
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
