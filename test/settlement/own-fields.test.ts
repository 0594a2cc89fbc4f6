import { describe, expect, it } from 'vitest';
import { makeCreditNote, makeReceipt } from '../graphql/books.ts';
import {
  acme,
  customerOf,
  get,
  invoice,
  issued,
  keepBooks,
  makeCredit,
  match,
  matchAnswer,
  pay,
  payments,
  service,
  transaction,
  undo,
  unmatch,
} from './books.ts';

// The external id and the metadata of payments, whatever records them. What they promise on every resource: test/writes/.

keepBooks();

const own = { external_id: 'charge-1', metadata: { shop: 'Ulm' } };
const none = { external_id: null, metadata: {} };
const taken = 'Another one has this external id.';
const patch = (id: string, body: object) => acme.rest('PATCH', `/payments/${id}`, body);

describe('a payment has the external id and metadata that it is recorded with', () => {
  it('of an invoice: its adjustments have none', async () => {
    const id = await issued();
    const adjustments = [
      { type: 'cash_discount', amount: 2 },
      { type: 'overpayment', amount: 5 },
    ];
    expect((await pay(id, { ...own, adjustments })).status).toBe(200);
    expect(await payments(`invoice_id=${id}`)).toMatchObject([
      { kind: 'payment', ...own },
      { kind: 'cash_discount', ...none },
      { kind: 'overpayment', ...none },
    ]);
  });

  it('without money: the first adjustment has them', async () => {
    const id = await issued();
    const adjustments = [
      { type: 'write_off', amount: 100, reason: 'Insolvent' },
      { type: 'rounding', amount: 1 },
    ];
    expect((await pay(id, { ...own, amount: 0, adjustments })).status).toBe(200);
    expect(await payments(`invoice_id=${id}`)).toMatchObject([
      { kind: 'write_off', ...own },
      { kind: 'rounding', ...none },
    ]);
  });

  it('of a receipt, of a credit note, and of a credit', async () => {
    const receipt = await makeReceipt(acme, { status: 'BOOKED' });
    expect((await pay(receipt, own, 'receipts')).status).toBe(200);
    expect(await payments(`receipt_id=${receipt}`)).toMatchObject([own]);

    const note = await makeCreditNote(acme);
    const refund = { ...own, external_id: 'refund-1' };
    expect((await acme.rest('POST', `/credit-notes/${note}/refunds`, refund)).status).toBe(200);
    expect(await payments(`credit_note_id=${note}`)).toMatchObject([refund]);

    const customer = await makeCredit();
    const back = { ...own, external_id: 'credit-1' };
    const { body } = await acme.rest('POST', `/customers/${customer}/credit-refunds`, back);
    expect(body.data).toMatchObject({ kind: 'credit_refund', ...back });
  });

  it('of a bank transaction, for each match', async () => {
    const [first, second] = [await issued(), await issued()];
    const bank = await transaction('238');
    await match(
      bank,
      { type: 'INVOICE', id: first, externalId: ' charge-1 ', metadata: { shop: 'Ulm' } },
      { type: 'INVOICE', id: second, metadata: { shop: 'Ulm' } },
    );
    expect(await payments(`invoice_id=${first}`)).toMatchObject([{ ...own, bank_transaction_id: bank }]);
    expect(await payments(`invoice_id=${second}`)).toMatchObject([{ ...own, external_id: null }]);
    const customer = await customerOf(first);
    const more = await transaction('5');
    await match(more, { type: 'CUSTOMER', id: customer, externalId: 'prepaid' });
    expect(await payments('external_id=prepaid')).toMatchObject([{ kind: 'overpayment', customer_id: customer }]);
  });
});

describe('an external id that another payment has is refused', () => {
  const taking = async (): Promise<void> => void (await pay(await issued(), { ...own, amount: 1 }));

  it('by each mutation that records one, with all other errors', async () => {
    await taking();
    const problem = { field: 'external_id', code: 'taken', message: taken, params: {} };
    const paths = [
      `/invoices/${await issued()}/payments`,
      `/receipts/${await makeReceipt(acme, { status: 'BOOKED' })}/payments`,
      `/credit-notes/${await makeCreditNote(acme)}/refunds`,
      `/customers/${await makeCredit()}/credit-refunds`,
    ];
    for (const path of paths) {
      const { status, body } = await acme.rest('POST', path, { external_id: 'charge-1' });
      expect([path, status, body.details]).toEqual([path, 422, [problem]]);
      const { body: more } = await acme.rest('POST', path, { external_id: 'charge-1', amount: -1 });
      expect([path, more.errors]).toEqual([path, { amount: ['Must be more than zero.'], external_id: [taken] }]);
    }
    expect(await payments('external_id=charge-1')).toHaveLength(1);
  });

  it('of a match, at its place, also of two in one request', async () => {
    await taking();
    const [first, second] = [await issued(), await issued()];
    const bank = await transaction('238');
    const refusal = async (...externalIds: string[]) => {
      const matches = [first, second].map((id, at) => ({ type: 'INVOICE', id, externalId: externalIds[at] }));
      return (await matchAnswer(bank, ...matches)).body.errors?.[0].extensions.errors;
    };
    expect(await refusal('new', 'charge-1')).toEqual({ 'matches.1.externalId': [taken] });
    expect(await refusal('new', ' new ')).toEqual({
      'matches.1.externalId': ['An earlier match has the same external id.'],
    });
    expect(await get(`/bank-transactions/${bank}`)).toMatchObject({ match_status: 'unmatched', matches: [] });
    expect(await refusal('new', 'other')).toBeUndefined();
  });

  it('where the index refuses it, although no row is found that has it', async () => {
    const { pool } = service;
    await pool.query('create unique index odd_tenant_id_external_id_key on payments (tenant_id, lower(external_id))');
    try {
      await taking();
      const { body } = await pay(await issued(), { external_id: 'CHARGE-1' });
      expect(body.errors).toEqual({ external_id: [taken] });
      const [first, second] = [await issued(), await issued()];
      const answer = await matchAnswer(
        await transaction('238'),
        { type: 'INVOICE', id: first, metadata: { externalId: 'x' } },
        { type: 'INVOICE', id: second, externalId: 'CHARGE-1' },
      );
      expect(answer.body.errors[0].extensions.errors).toEqual({ 'matches.1.externalId': [taken] });
    } finally {
      await pool.query('drop index odd_tenant_id_external_id_key');
    }
  });

  it('but not by a payment of another tenant', async () => {
    const globex = await service.integrator();
    await taking();
    const { body: made } = await globex.rest('POST', '/customers', { type: 'customer', company_name: 'x' });
    const items = [{ title: 'x', quantity: 1, unit_price_net: 1, vat_rate: 19 }];
    const fields = { customer_id: made.data.id, invoice_date: '2026-03-01', due_date: '2026-03-15', items };
    const { body: theirs } = await globex.rest('POST', '/invoices', { ...fields, status: 'issued' });
    expect((await globex.rest('POST', `/invoices/${theirs.data.id}/payments`, own)).status).toBe(200);
    const [row] = (await globex.rest('GET', '/payments?external_id=charge-1')).body.data;
    expect(row).toMatchObject(own);
    expect((await patch(row.id, { metadata: { shop: 'x' } })).status).toBe(404);
    expect((await acme.rest('GET', '/payments?metadata[shop]=Ulm')).body.data).toHaveLength(1);
  });
});

describe('PATCH /payments/{id}', () => {
  it('changes only what clients keep with it: its balance, its day, and what it pays stay', async () => {
    const id = await issued();
    await pay(id, { amount: 19 });
    const [before] = await payments(`invoice_id=${id}`);
    const document = await acme.rest('GET', `/invoices/${id}`);
    const { body } = await patch(before.id, own);
    expect(body.data).toEqual({ ...before, ...own, updated_at: expect.any(String) });
    const after = await acme.rest('GET', `/invoices/${id}`);
    expect([after.body, after.headers.get('etag')]).toEqual([document.body, document.headers.get('etag')]);
    for (const field of ['amount', 'paid_on', 'reason']) {
      // As everywhere, fields that the resource answers itself are ignored.
      expect((await patch(before.id, { [field]: before[field] })).body.data).toEqual(body.data);
    }
    expect((await patch(before.id, { nonsense: 1 })).body.errors).toHaveProperty('nonsense');
  });

  it('with If-Match, of several at the same time one is made; the event and the feed have it', async () => {
    const id = await issued();
    await pay(id, {});
    const [payment] = await payments(`invoice_id=${id}`);
    const tag = (await acme.rest('GET', `/payments/${payment.id}`)).headers.get('etag') ?? '';
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((shop) =>
        acme.rest('PATCH', `/payments/${payment.id}`, { metadata: { shop } }, { 'if-match': tag }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
    const now = await get(`/payments/${payment.id}`);
    const events = await get(`/events?resource_id=${payment.id}&type=payment.updated`);
    expect(events).toMatchObject([{ data: { payment: { id: payment.id, metadata: now.metadata } } }]);
    const changes = await get('/changes?resource=payment');
    expect(changes.map(({ data }: { data: object }) => data)).toEqual([now]);
    const entries = await get(`/audit-log?resource=payment&resource_id=${payment.id}`);
    expect(entries[0]).toMatchObject({
      action: 'updated',
      before: { metadata: {} },
      after: { metadata: now.metadata },
    });
  });

  it('of a payment that is undone, and of what undoes it: the external id can be given again', async () => {
    const id = await issued();
    await pay(id, own);
    const [payment] = await payments(`invoice_id=${id}`);
    expect((await undo(payment.id)).status).toBe(200);
    expect(await payments(`invoice_id=${id}`)).toMatchObject([
      { id: payment.id, ...own },
      { reversal_of_id: payment.id, ...none },
    ]);
    expect((await pay(id, own)).body.errors).toEqual({ external_id: [taken] });
    expect((await patch(payment.id, { external_id: null })).status).toBe(200);
    const [, reversal] = await payments(`invoice_id=${id}`);
    expect((await patch(reversal.id, { external_id: 'reversal-1' })).body.data).toMatchObject({
      amount: -119,
      external_id: 'reversal-1',
    });
    expect((await pay(id, own)).status).toBe(200);
    expect(await invoice(id)).toMatchObject({ status: 'paid', amount_paid: 119 });
  });

  it('of a payment from a bank transaction, whose match stays', async () => {
    const id = await issued();
    const bank = await transaction('119');
    await match(bank, { type: 'INVOICE', id });
    const [payment] = await payments(`invoice_id=${id}`);
    expect((await patch(payment.id, own)).body.data).toMatchObject({ ...own, bank_transaction_id: bank });
    expect(await unmatch(bank)).toMatchObject({ matchStatus: 'UNMATCHED' });
    expect(await payments(`invoice_id=${id}`)).toMatchObject([own, none]);
  });
});
