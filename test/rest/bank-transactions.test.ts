import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { create, invalidFields, refusal } from './samples.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const day = (date: string) => new Date(`${date}T00:00:00Z`);

/** Creates a bank transaction as a statement import would. REST has no operation for it. */
const booked = (who: Integrator, more: object = {}) =>
  who.db.bankTransaction.create({
    data: {
      accountIban: 'DE02',
      bookingDate: day('2026-03-02'),
      amount: '119',
      amountOpen: '119',
      currency: 'EUR',
      ...more,
    },
  });

describe('bank transactions (read only)', () => {
  it('are answered with all their fields, nullable ones as null', async () => {
    const whole = await booked(acme, {
      externalId: 'REF-1',
      valueDate: day('2026-03-03'),
      amount: '-12345678901.25',
      amountOpen: '-0.5',
      counterpartyName: 'Lieferant AG',
      counterpartyIban: 'DE89370400440532013000',
      reference: 'Rechnung 7',
      matchStatus: 'PARTIALLY_MATCHED',
    });
    const answer = await acme.rest('GET', `/bank-transactions/${whole.id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: {
        id: whole.id,
        external_id: 'REF-1',
        account_iban: 'DE02',
        booking_date: '2026-03-02',
        value_date: '2026-03-03',
        amount: -12345678901.25,
        currency: 'EUR',
        counterparty_name: 'Lieferant AG',
        counterparty_iban: 'DE89370400440532013000',
        reference: 'Rechnung 7',
        match_status: 'partially_matched',
        amount_open: -0.5,
        matches: [],
        created_at: sample.aTime,
        updated_at: sample.aTime,
      },
    });
    const { id } = await booked(acme);
    const nothing = {
      external_id: null,
      value_date: null,
      counterparty_name: null,
      counterparty_iban: null,
      reference: null,
    };
    expect((await acme.rest('GET', `/bank-transactions/${id}`)).body.data).toMatchObject(nothing);
  });

  it('matches: [{type, id, amount}]', async () => {
    const customer = await create(acme, '/customers', sample.customer);
    const invoice = await create(acme, '/invoices', { ...sample.invoice(customer.id), status: 'issued' });
    const receipt = await create(acme, '/receipts', { ...sample.receipt, status: 'booked' });
    const matched = async (of: object, amount: string) => {
      const { id } = await booked(acme, { amount, amountOpen: '0', matchStatus: 'MATCHED' });
      await acme.db.payment.create({
        data: { ...of, bankTransactionId: id, amount: '50.5', currency: 'EUR', paidOn: day('2026-03-02') },
      });
      return (await acme.rest('GET', `/bank-transactions/${id}`)).body.data.matches;
    };
    const { id: invoiceId } = invoice;
    expect(await matched({ invoiceId }, '50.5')).toEqual([{ type: 'invoice', id: invoiceId, amount: 50.5 }]);
    const { id: receiptId } = receipt;
    expect(await matched({ receiptId }, '-50.5')).toEqual([{ type: 'receipt', id: receiptId, amount: -50.5 }]);
  });

  it('match_status narrows the list', async () => {
    const beta = await service.integrator();
    const openBy = { UNMATCHED: 119, PARTIALLY_MATCHED: 19, MATCHED: 0, IGNORED: 119 };
    const statuses = Object.keys(openBy);
    for (const [matchStatus, amountOpen] of Object.entries(openBy)) await booked(beta, { matchStatus, amountOpen });
    for (const status of statuses.map((each) => each.toLowerCase())) {
      const { data, meta } = (await beta.rest('GET', `/bank-transactions?match_status=${status}`)).body;
      expect(data).toEqual([expect.objectContaining({ match_status: status })]);
      expect(meta.total).toBe(1);
    }
    expect((await beta.rest('GET', '/bank-transactions')).body.meta.total).toBe(4);
    for (const bad of ['UNMATCHED', 'open', 'partially-matched']) {
      expect(invalidFields(await beta.rest('GET', `/bank-transactions?match_status=${bad}`))).toEqual(['match_status']);
    }
  });

  it('are read-only: only list and get exist', async () => {
    const { id } = await booked(acme);
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE']) {
      for (const path of ['/bank-transactions', `/bank-transactions/${id}`]) {
        const answer = await acme.rest(method, path, {});
        refusal(answer, 405);
        expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      }
    }
  });
});
