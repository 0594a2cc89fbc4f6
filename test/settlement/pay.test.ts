import { describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { eventsDuring, makeReceipt } from '../graphql/books.ts';
import { asIntegrator } from '../harness.ts';
import {
  acme,
  adjust,
  credit,
  customerOf,
  get,
  invoice,
  issued,
  keepBooks,
  makeCredit,
  pay,
  payments,
  service,
  undo,
} from './books.ts';

keepBooks();

describe('POST /invoices/{id}/payments with adjustments', () => {
  it('records each as a payment of its kind, and nothing is left', async () => {
    const id = await issued();
    const { body } = await adjust(
      id,
      { type: 'cash_discount', amount: 2.38 },
      { type: 'fee', amount: '1.50', reason: 'Card' },
      { type: 'rounding', amount: 0.02 },
      { type: 'write_off', amount: 5, reason: 'Goodwill' },
    );
    expect(body.data).toMatchObject({ status: 'paid', amount_paid: 111.6, amount_adjusted: 7.4, amount_due: 0 });
    const rows = await payments(`invoice_id=${id}`);
    const [{ id: first }] = rows;
    const of = { recorded_with_id: first, invoice_id: id, customer_id: null, currency: 'EUR', paid_on: '2026-03-10' };
    expect(rows).toMatchObject([
      { ...of, kind: 'payment', amount: 110.1, recorded_with_id: null, reason: null },
      { ...of, kind: 'cash_discount', amount: 2.38, reason: null },
      { ...of, kind: 'fee', amount: 1.5, reason: 'Card' },
      { ...of, kind: 'rounding', amount: 0.02 },
      { ...of, kind: 'write_off', amount: 5, reason: 'Goodwill', user_id: null },
    ]);
    expect(await payments(`invoice_id=${id}&kind=write_off`)).toMatchObject([{ amount: 5 }]);
    expect((await acme.rest('GET', '/payments?kind=gift')).status).toBe(422);
  });

  it('undoing the payment undoes them, with the reason; each can be undone alone', async () => {
    const id = await issued();
    await adjust(id, { type: 'cash_discount', amount: 2.38 }, { type: 'write_off', amount: 5, reason: 'Goodwill' });
    const [paid, discount] = await payments(`invoice_id=${id}`);
    expect((await undo(discount.id, 'Too late')).status).toBe(200);
    expect(await invoice(id)).toMatchObject({
      status: 'issued',
      amount_paid: 111.62,
      amount_adjusted: 5,
      amount_due: 2.38,
    });
    expect((await undo(paid.id, 'Charged back')).status).toBe(200);
    expect(await invoice(id)).toMatchObject({ status: 'issued', amount_paid: 0, amount_adjusted: 0, amount_due: 119 });
    expect(await payments(`invoice_id=${id}&reversed=true`)).toMatchObject([
      { kind: 'payment', amount: 111.62, reason: 'Charged back' },
      { kind: 'cash_discount', amount: 2.38, reason: 'Too late' },
      { kind: 'write_off', amount: 5, reason: 'Goodwill', user_id: acme.userId },
      { kind: 'cash_discount', amount: -2.38, reason: 'Too late' },
      { kind: 'payment', amount: -111.62, reason: 'Charged back' },
      { kind: 'write_off', amount: -5, reason: 'Charged back' },
    ]);
  });

  it('writes off what nobody pays, without a payment', async () => {
    const id = await issued();
    const written = await pay(id, { amount: 0, adjustments: [{ type: 'write_off', amount: 19, reason: 'Insolvent' }] });
    expect(written.body.data).toMatchObject({ status: 'issued', amount_paid: 0, amount_adjusted: 19, amount_due: 100 });
    const rest = await adjust(id, { type: 'write_off', amount: 100, reason: 'Insolvent' });
    expect(rest.body.data).toMatchObject({ status: 'paid', amount_paid: 0, amount_adjusted: 119, amount_due: 0 });
    expect(await payments(`invoice_id=${id}`)).toMatchObject([{ recorded_with_id: null }, { recorded_with_id: null }]);
  });

  it('puts what is beyond the amount due to the credit, which other invoices use, or is refunded', async () => {
    const customerId = await makeCredit();
    expect(await credit(customerId)).toEqual([{ currency: 'EUR', amount: 30 }]);
    const id = await issued({ customerId });
    const used = await pay(id, { amount: 0, adjustments: [{ type: 'credit', amount: 20 }] });
    expect(used.body.data).toMatchObject({ amount_paid: 20, amount_adjusted: 0, amount_due: 99 });
    expect(await credit(customerId)).toEqual([{ currency: 'EUR', amount: 10 }]);
    const more = await adjust(id, { type: 'credit', amount: 10.01 });
    expect(more.body.errors).toEqual({
      'adjustments.0.amount': ["Must not be more than the 10 EUR of the customer's credit."],
    });
    const refund = (body: object) => acme.rest('POST', `/customers/${customerId}/credit-refunds`, body);
    expect((await refund({ currency: 'EUR', amount: 10.01 })).body.errors).toHaveProperty('amount');
    expect((await refund({ currency: 'CHF' })).body.errors).toEqual({
      status: ['The customer has no credit in this currency.'],
    });
    expect((await refund({ currency: 'EUR', amount: 4 })).body.data).toMatchObject({
      kind: 'credit_refund',
      customer_id: customerId,
      invoice_id: null,
      amount: 4,
    });
    const { body } = await refund({ currency: 'EUR' });
    expect(body.data.amount).toBe(6);
    expect(await credit(customerId)).toEqual([]);
    expect((await refund({ currency: 'EUR' })).status).toBe(422);
    expect((await undo(body.data.id)).status).toBe(200);
    expect(await credit(customerId)).toEqual([{ currency: 'EUR', amount: 6 }]);
  });

  it('says how much credit is left only to who may read invoices', async () => {
    const customerId = await makeCredit();
    const id = await issued({ customerId });
    const tooMuch = { amount: 0, adjustments: [{ type: 'credit', amount: 31 }] };
    for (const [abilities, text] of [
      [['invoices:write'], "Must not be more than the customer's credit."],
      [['invoices:write', 'invoices:read'], "Must not be more than the 30 EUR of the customer's credit."],
    ] as const) {
      const { id: tokenId, token } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
      const who = asIntegrator(service, { ...acme, token, tokenId });
      const { status, body } = await who.rest('POST', `/invoices/${id}/payments`, tooMuch);
      expect([status, body.errors]).toEqual([422, { 'adjustments.0.amount': [text] }]);
      const left = abilities.length > 1 ? { left: '30' } : {};
      expect(body.details).toEqual([expect.objectContaining({ code: 'exceeds_left', params: left })]);
    }
  });

  it('keeps an overpayment whose credit is used', async () => {
    const customerId = await makeCredit();
    const [paid, over] = await payments('reversed=false');
    const id = await issued({ customerId });
    await pay(id, { amount: 0, adjustments: [{ type: 'credit', amount: 20 }] });
    for (const each of [paid.id, over.id])
      expect((await undo(each)).body.errors).toEqual({
        id: ["Must not be more than the 10 EUR of the customer's credit."],
      });
    const [used] = await payments(`invoice_id=${id}`);
    expect((await undo(used.id)).status).toBe(200);
    expect((await undo(paid.id)).status).toBe(200);
    expect(await credit(customerId)).toEqual([]);
  });

  it('undoing what settles an invoice without money undoes the overpayment, in whatever order they were sent', async () => {
    const customerId = await makeCredit();
    const id = await issued({ customerId });
    const body = {
      amount: 0,
      adjustments: [
        { type: 'overpayment', amount: 5 },
        { type: 'write_off', amount: 89, reason: 'Insolvent' },
        { type: 'credit', amount: 30 },
      ],
    };
    expect((await pay(id, body)).body.data).toMatchObject({ status: 'paid', amount_paid: 30, amount_adjusted: 89 });
    const rows = await payments(`invoice_id=${id}`);
    const recorded_with_id = rows[0].id;
    expect(rows).toMatchObject([
      { kind: 'write_off', amount: 89, recorded_with_id: null },
      { kind: 'credit', amount: 30, recorded_with_id },
      { kind: 'overpayment', amount: 5, recorded_with_id },
    ]);
    expect(await credit(customerId)).toEqual([{ currency: 'EUR', amount: 5 }]);
    expect((await undo(rows[2].id)).status).toBe(200);
    expect(await invoice(id)).toMatchObject({ status: 'paid', amount_paid: 30, amount_adjusted: 89, amount_due: 0 });
    expect((await undo(rows[0].id)).status).toBe(200);
    expect(await invoice(id)).toMatchObject({ status: 'issued', amount_paid: 0, amount_adjusted: 0, amount_due: 119 });
    expect(await credit(customerId)).toEqual([{ currency: 'EUR', amount: 30 }]);
  });

  it('undoes an overpayment that an earlier version recorded the others with', async () => {
    const customerId = await makeCredit();
    const id = await issued({ customerId });
    const { db } = acme;
    const common = { invoiceId: id, currency: 'EUR', paidOn: new Date('2026-03-10') };
    const first = await db.payment.create({ data: { ...common, kind: 'OVERPAYMENT', customerId, amount: '5' } });
    const others = { ...common, recordedWithId: first.id };
    await db.payment.create({ data: { ...others, kind: 'CREDIT', customerId, amount: '30' } });
    await db.payment.create({ data: { ...others, kind: 'WRITE_OFF', amount: '89', reason: 'Insolvent' } });
    const data = { status: 'PAID', paidAt: new Date(), amountPaid: '30', amountAdjusted: '89' } as const;
    await db.invoice.updateMany({ where: { id }, data });
    expect(await credit(customerId)).toEqual([{ currency: 'EUR', amount: 5 }]);
    const events = await eventsDuring(service, acme, async () => {
      expect((await undo(first.id)).status).toBe(200);
    });
    expect(events.map(({ type }) => type)).toContain('invoice.payment_reverted');
    expect(await payments(`invoice_id=${id}&reversed=false`)).toEqual([]);
    expect(await invoice(id)).toMatchObject({ status: 'issued', amount_paid: 0, amount_adjusted: 0, amount_due: 119 });
    expect(await credit(customerId)).toEqual([{ currency: 'EUR', amount: 30 }]);
  });

  it('shows credit among open items of its day', async () => {
    const customerId = await makeCredit();
    const credits = async (at: string) => (await get(`/reports/open-items?at=${at}`)).credits;
    expect(await credits('2026-03-09')).toEqual([]);
    expect(await credits('2026-03-10')).toEqual([
      { partner_id: customerId, name: 'Globex', currency: 'EUR', amount: 30 },
    ]);
  });

  type Refused = [what: string, body: object, path: string, code: string];
  const one = (type: string, amount: number, more: object = {}) => ({ adjustments: [{ type, amount, ...more }] });
  const refused: Refused[] = [
    ['more than is due', one('cash_discount', 119.01), 'adjustments.0.amount', 'exceeds_left'],
    ['more than is left', { amount: 117, ...one('cash_discount', 2.01) }, 'amount', 'exceeds_left'],
    ['zero', one('fee', 0), 'adjustments.0.amount', 'wrong_sign'],
    ['less than zero', one('fee', -1), 'adjustments.0.amount', 'wrong_sign'],
    ['a negative payment', { amount: -1, ...one('fee', 1) }, 'amount', 'wrong_sign'],
    ['no payment and no adjustment', { amount: 0 }, 'amount', 'wrong_sign'],
    ['decimals', one('fee', 0.001), 'adjustments.0.amount', 'too_many_decimals'],
    ['a write-off without a reason', one('write_off', 1), 'adjustments.0.reason', 'required'],
    ['an empty reason', one('write_off', 1, { reason: ' ' }), 'adjustments.0.reason', 'required'],
    ['a long reason', one('fee', 1, { reason: 'x'.repeat(501) }), 'adjustments.0.reason', 'too_long'],
    ['much rounding', one('rounding', 1.01), 'adjustments.0.amount', 'out_of_range'],
    ['an unknown type', one('gift', 1), 'adjustments.0.type', 'unknown_value'],
    ['none', { adjustments: [] }, 'adjustments', 'wrong_count'],
    [
      'one twice',
      { adjustments: [...one('fee', 1).adjustments, ...one('fee', 2).adjustments] },
      'adjustments.1.type',
      'duplicate',
    ],
    ['no amount', { adjustments: [{ type: 'fee' }] }, 'adjustments.0.amount', 'required'],
    ['an overpayment of what is due', { amount: 100, ...one('overpayment', 5) }, 'adjustments', 'inconsistent'],
    ['credit that nobody has', one('credit', 1), 'adjustments.0.amount', 'exceeds_left'],
    ['more than it may be', one('fee', 1e15), 'adjustments.0.amount', 'too_many_digits'],
  ];
  it.each(refused)('refuses %s, and changes nothing', async (_what, body, path, code) => {
    const id = await issued();
    const answer = await pay(id, body);
    expect([answer.status, answer.body.details]).toEqual([422, [expect.objectContaining({ field: path, code })]]);
    expect(await invoice(id)).toMatchObject({ amount_paid: 0, amount_adjusted: 0, amount_due: 119 });
    expect(await payments('')).toEqual([]);
  });

  it('takes 1.00 of rounding, and 100 yen', async () => {
    expect((await adjust(await issued(), { type: 'rounding', amount: 1 })).status).toBe(200);
    expect((await adjust(await issued({ currency: 'JPY' }), { type: 'rounding', amount: 100 })).status).toBe(200);
    expect((await adjust(await issued({ currency: 'JPY' }), { type: 'rounding', amount: 101 })).status).toBe(422);
  });

  it('a credit note takes back at most what is not adjusted, and an adjusted invoice is not cancelled', async () => {
    const id = await issued();
    await pay(id, { amount: 50, adjustments: [{ type: 'cash_discount', amount: 19 }] });
    expect((await acme.rest('POST', `/invoices/${id}/cancel`)).status).toBe(422);
    const all = await acme.rest('POST', '/credit-notes', { invoice_id: id });
    expect(all.body.details).toEqual([expect.objectContaining({ code: 'exceeds_left', params: { left: '100' } })]);
    const some = await acme.rest('POST', '/credit-notes', { invoice_id: id, amounts: [{ vat_rate: 19, net: 84 }] });
    expect(some.body.data).toMatchObject({ total_gross: 99.96, amount_due: 49.96 });
    expect(await invoice(id)).toMatchObject({ status: 'paid', amount_credited: 99.96, amount_due: 0 });
    const untouched = await issued();
    await pay(untouched, { amount: 0, adjustments: [{ type: 'write_off', amount: 1, reason: 'x' }] });
    const cancelled = await acme.rest('POST', `/invoices/${untouched}/cancel`);
    expect(cancelled.body.details).toMatchObject([{ field: 'status', code: 'wrong_state' }]);
  });

  it('keeps to period locks, on the day of the payment; undone afterwards, all of it is of today', async () => {
    const id = await issued();
    const discount = { adjustments: [{ type: 'cash_discount', amount: 9 }] };
    expect((await pay(id, { ...discount, paid_on: '2026-03-05' })).status).toBe(200);
    const other = await issued();
    await acme.rest('PUT', '/period-locks', { series: 'sales', locked_until: '2026-03-05', kind: 'soft' });
    expect((await pay(other, { ...discount, paid_on: '2026-03-05' })).body.details).toMatchObject([
      { field: 'paid_on', code: 'locked' },
    ]);
    const [paid] = await payments(`invoice_id=${id}`);
    await undo(paid.id);
    expect((await payments(`invoice_id=${id}`)).map((each: { paid_on: string }) => each.paid_on)).toEqual([
      '2026-03-05',
      '2026-03-05',
      '2026-03-10',
      '2026-03-10',
    ]);
  });

  it('takes the ability to write invoices; credit is only of one tenant', async () => {
    const customerId = await makeCredit();
    const { token, id } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['read'] });
    const reader = asIntegrator(service, { ...acme, token, tokenId: id });
    expect((await reader.rest('GET', `/customers/${customerId}/credit`)).status).toBe(200);
    const refund = `/customers/${customerId}/credit-refunds`;
    expect((await reader.rest('POST', refund, { currency: 'EUR' })).status).toBe(403);
    const globex = await service.integrator();
    expect((await globex.rest('POST', refund, { currency: 'EUR' })).status).toBe(404);
    expect((await globex.rest('GET', `/customers/${customerId}/credit`)).status).toBe(404);
    expect(await credit(customerId)).toEqual([{ currency: 'EUR', amount: 30 }]);
  });

  it('a customer with credit stays', async () => {
    const customerId = await makeCredit();
    expect((await acme.rest('DELETE', `/customers/${customerId}`)).status).toBe(422);
    expect(await customerOf((await payments('kind=overpayment'))[0].invoice_id)).toBe(customerId);
  });
});

describe('POST /receipts/{id}/payments with adjustments', () => {
  const booked = () => makeReceipt(acme, { status: 'BOOKED' });

  it('settles with cash discounts, write-offs, and rounding', async () => {
    const id = await booked();
    const body = {
      adjustments: [
        { type: 'cash_discount', amount: 3.57 },
        { type: 'write_off', amount: 1, reason: 'Waived' },
        { type: 'rounding', amount: 0.03 },
      ],
    };
    expect((await pay(id, body, 'receipts')).body.data).toMatchObject({
      status: 'paid',
      amount_paid: 114.4,
      amount_adjusted: 4.6,
    });
    const [paid] = await payments(`receipt_id=${id}`);
    await undo(paid.id);
    expect(await get(`/receipts/${id}`)).toMatchObject({ status: 'booked', amount_paid: 0, amount_adjusted: 0 });
  });

  it.each(['fee', 'credit', 'overpayment'])('refuses %s', async (type) => {
    const answer = await pay(await booked(), { adjustments: [{ type, amount: 1 }] }, 'receipts');
    expect(answer.body.details).toMatchObject([{ field: 'adjustments.0.type', code: 'inconsistent' }]);
  });
});
