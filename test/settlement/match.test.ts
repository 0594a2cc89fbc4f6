import { describe, expect, it } from 'vitest';
import { makeCreditNote, makeCustomer, makeReceipt } from '../graphql/books.ts';
import {
  acme,
  credit,
  get,
  invoice,
  issued,
  keepBooks,
  makeCredit,
  match,
  matchAnswer,
  pay,
  payments,
  transaction,
  undo,
  unmatch,
} from './books.ts';

keepBooks();

/** The problems of a match that is refused. */
const refusal = async (id: string, ...matches: object[]) =>
  (await matchAnswer(id, ...matches)).body.errors?.[0].extensions.details;
const part = (type: string, id: string, more: object = {}) => ({ type, id, ...more });
const one = (type: string, amount: string, more: object = {}) => ({ adjustments: [{ type, amount, ...more }] });

describe('adjustments of a match', () => {
  it('settle the rest, and are undone with it', async () => {
    const id = await issued();
    const bank = await transaction('115.43');
    const discount = {
      adjustments: [
        { type: 'CASH_DISCOUNT', amount: '2.38' },
        { type: 'FEE', amount: '1.19' },
      ],
    };
    expect(await match(bank, part('INVOICE', id, discount))).toMatchObject({
      matchStatus: 'MATCHED',
      amountOpen: '0',
      matches: [{ type: 'INVOICE', id, amount: '115.43' }],
    });
    expect(await invoice(id)).toMatchObject({ status: 'paid', amount_paid: 116.62, amount_adjusted: 2.38 });
    expect(await payments(`invoice_id=${id}`)).toMatchObject([
      { kind: 'payment', amount: 115.43, bank_transaction_id: bank, paid_on: '2026-03-02' },
      { kind: 'cash_discount', amount: 2.38, bank_transaction_id: null, paid_on: '2026-03-02' },
      { kind: 'fee', amount: 1.19, bank_transaction_id: null },
    ]);
    expect(await unmatch(bank)).toMatchObject({ matchStatus: 'UNMATCHED', amountOpen: '115.43', matches: [] });
    expect(await invoice(id)).toMatchObject({ status: 'issued', amount_paid: 0, amount_adjusted: 0, amount_due: 119 });
    expect(await payments(`invoice_id=${id}&reversed=false`)).toEqual([]);
  });

  it('put the rest of the money to the credit, which a transaction refunds', async () => {
    const id = await issued();
    const bank = await transaction('150');
    const matched = await match(bank, part('INVOICE', id, one('OVERPAYMENT', '31')));
    const { customer_id: customer } = await invoice(id);
    expect(matched).toMatchObject({
      matchStatus: 'MATCHED',
      matches: [
        { type: 'INVOICE', id, amount: '119' },
        { type: 'CUSTOMER', id: customer, amount: '31' },
      ],
    });
    expect(await credit(customer)).toEqual([{ currency: 'EUR', amount: 31 }]);
    const sent = await transaction('-40');
    expect(await refusal(sent, part('CUSTOMER', customer, { amount: '31.01' }))).toMatchObject([
      { field: 'matches.0.amount', code: 'exceeds_left' },
    ]);
    expect(await match(sent, part('CUSTOMER', customer))).toMatchObject({
      amountOpen: '-9',
      matches: [{ type: 'CUSTOMER', id: customer, amount: '-31' }],
    });
    expect(await credit(customer)).toEqual([]);
    const [{ message }] = (await acme.graphqlAnswer(`mutation { unmatchBankTransaction(id: "${bank}") { id } }`)).body
      .errors;
    expect(message).toMatch(/the 0 EUR of the customer's credit/);
    await unmatch(sent, customer);
    expect(await unmatch(bank)).toMatchObject({ amountOpen: '150', matches: [] });
    expect(await credit(customer)).toEqual([]);
  });

  it('what went to the credit is undone alone, by the customer that the match names, or with the invoice', async () => {
    const id = await issued();
    const bank = await transaction('150');
    await match(bank, part('INVOICE', id, one('OVERPAYMENT', '31')));
    const { customer_id: customer } = await invoice(id);
    expect(await unmatch(bank, customer)).toMatchObject({
      matchStatus: 'PARTIALLY_MATCHED',
      amountOpen: '31',
      matches: [{ type: 'INVOICE', id, amount: '119' }],
    });
    expect(await credit(customer)).toEqual([]);
    expect(await invoice(id)).toMatchObject({ status: 'paid', amount_paid: 119 });
    const other = await transaction('125');
    await match(other, part('CUSTOMER', customer, { amount: '6' }));
    expect(await unmatch(bank, id)).toMatchObject({ matchStatus: 'UNMATCHED', amountOpen: '150', matches: [] });
    // Money on account, and beyond what is due of an invoice.
    await match(other, part('INVOICE', id, { amount: '100' }));
    await match(bank, part('INVOICE', id, one('OVERPAYMENT', '131')));
    expect(await credit(customer)).toEqual([{ currency: 'EUR', amount: 137 }]);
    expect(await unmatch(bank, id)).toMatchObject({ amountOpen: '150', matches: [] });
    expect(await unmatch(other, customer)).toMatchObject({ amountOpen: '25', matches: [{ type: 'INVOICE', id }] });
    expect(await credit(customer)).toEqual([]);
    expect(await invoice(id)).toMatchObject({ status: 'issued', amount_paid: 100, amount_due: 19 });
  });

  it('money on account is credit, in the currency of the account', async () => {
    const customer = await makeCustomer(acme);
    await match(await transaction('80', { currency: 'CHF' }), part('CUSTOMER', customer, { amount: '50' }));
    expect(await credit(customer)).toEqual([{ currency: 'CHF', amount: 50 }]);
    expect(await get('/reports/open-items?at=2026-03-10')).toMatchObject({
      credits: [{ currency: 'CHF', amount: 50 }],
    });
  });

  it('are refused where they are wrong, at their own path', async () => {
    const [id, bank] = [await issued(), await transaction('100')];
    for (const [more, field, code] of [
      [one('WRITE_OFF', '19'), 'matches.0.adjustments.0.reason', 'required'],
      [one('FEE', '119.01'), 'matches.0.adjustments.0.amount', 'exceeds_left'],
      [one('FEE', '0'), 'matches.0.adjustments.0.amount', 'wrong_sign'],
      [{ ...one('FEE', '20'), amount: '99.5' }, 'matches.0.amount', 'exceeds_left'],
      [{ ...one('OVERPAYMENT', '1'), amount: '99' }, 'matches.0.adjustments', 'inconsistent'],
      [{ amount: '0', ...one('FEE', '20') }, 'matches.0.amount', 'wrong_sign'],
      [{ exchangeAmount: '100' }, 'matches.0.exchangeAmount', 'inconsistent'],
    ] as const)
      expect(await refusal(bank, part('INVOICE', id, more))).toMatchObject([{ field, code }]);
    const note = await makeCreditNote(acme);
    expect(await refusal(await transaction('-10'), part('CREDIT_NOTE', note, one('FEE', '1')))).toMatchObject([
      { field: 'matches.0.adjustments.0.type', code: 'inconsistent' },
    ]);
    expect(await payments('kind=fee')).toEqual([]);
  });
});

describe('netting', () => {
  it('an invoice and a credit note of one customer are one match', async () => {
    const customerId = await makeCustomer(acme);
    const paid = await issued({ customerId });
    await pay(paid, {});
    const note = await makeCreditNote(acme, { invoiceId: paid, amounts: [{ vatRate: '19', net: '10' }] });
    const other = await issued({ customerId });
    const bank = await transaction('107.10');
    expect(await match(bank, part('CREDIT_NOTE', note), part('INVOICE', other))).toMatchObject({
      matchStatus: 'MATCHED',
      amountOpen: '0',
      matches: expect.arrayContaining([
        { type: 'CREDIT_NOTE', id: note, amount: '-11.9' },
        { type: 'INVOICE', id: other, amount: '119' },
      ]),
    });
    expect(await invoice(other)).toMatchObject({ status: 'paid', amount_due: 0 });
    expect(await get(`/credit-notes/${note}`)).toMatchObject({ amount_refunded: 11.9, amount_due: 0 });
    for (const matched of [note, other])
      expect(
        (await acme.graphqlAnswer(`mutation { unmatchBankTransaction(id: "${bank}", matched: "${matched}") { id } }`))
          .body.errors[0].extensions.details,
      ).toMatchObject([{ field: 'matched', code: 'inconsistent' }]);
    expect(await unmatch(bank)).toMatchObject({ matchStatus: 'UNMATCHED', amountOpen: '107.1', matches: [] });
    expect(await invoice(other)).toMatchObject({ status: 'issued', amount_due: 119 });
    expect(await get(`/credit-notes/${note}`)).toMatchObject({ amount_refunded: 0, amount_due: 11.9 });
  });

  it('money sent nets, too; the sum is more than zero, and at most what is open', async () => {
    const customerId = await makeCustomer(acme);
    const paid = await issued({ customerId });
    await pay(paid, {});
    const note = await makeCreditNote(acme, { invoiceId: paid });
    const other = await issued({ customerId });
    const parts = (amount: string) => [part('INVOICE', other, { amount }), part('CREDIT_NOTE', note)];
    for (const [money, amount] of [
      ['-100', '18.99'],
      ['-100', '119'],
      ['100', '119'],
    ] as const)
      expect(await refusal(await transaction(money), ...parts(amount))).toMatchObject([
        { field: 'matches', code: 'exceeds_left' },
      ]);
    expect(await match(await transaction('-100'), ...parts('19'))).toMatchObject({ amountOpen: '0' });
    expect(await invoice(other)).toMatchObject({ amount_paid: 19, amount_due: 100 });
  });

  it('a receipt and a credit of one supplier are one match, and a credit takes no adjustments', async () => {
    const supplierId = await makeCustomer(acme, { type: 'SUPPLIER' });
    const bought = { supplierId, status: 'BOOKED', amountGross: '119', vatRate: '19' };
    const [first, second] = [await makeReceipt(acme, bought), await makeReceipt(acme, bought)];
    const credited = { ...bought, creditedReceiptId: first, amountGross: '-59.5' };
    const back = await makeReceipt(acme, credited);
    const bank = await transaction('-59.50');
    expect(await match(bank, part('RECEIPT', second), part('RECEIPT', back))).toMatchObject({
      matchStatus: 'MATCHED',
      amountOpen: '0',
      matches: expect.arrayContaining([
        { type: 'RECEIPT', id: second, amount: '-119' },
        { type: 'RECEIPT', id: back, amount: '59.5' },
      ]),
    });
    expect(await get(`/receipts/${second}`)).toMatchObject({ status: 'paid', amount_paid: 119 });
    expect(await get(`/receipts/${back}`)).toMatchObject({ status: 'paid', amount_paid: -59.5 });
    expect(await unmatch(bank)).toMatchObject({ matchStatus: 'UNMATCHED', amountOpen: '-59.5', matches: [] });
    expect(await get(`/receipts/${back}`)).toMatchObject({ status: 'booked', amount_paid: 0 });
    expect(
      (await pay(back, { adjustments: [{ type: 'rounding', amount: 0.5 }] }, 'receipts')).body.details,
    ).toMatchObject([{ field: 'adjustments.0.type', code: 'inconsistent' }]);
  });

  it('of foreign money, a credit adds to what is received', async () => {
    const supplierId = await makeCustomer(acme, { type: 'SUPPLIER' });
    const bought = { supplierId, status: 'BOOKED', currency: 'USD' };
    const first = await makeReceipt(acme, { ...bought, amountGross: '119' });
    const back = await makeReceipt(acme, { ...bought, creditedReceiptId: first, amountGross: '-50' });
    const bank = await transaction('45');
    expect(await match(bank, part('RECEIPT', back, { exchangeAmount: '45' }))).toMatchObject({ amountOpen: '0' });
    expect(await get(`/receipts/${back}`)).toMatchObject({ status: 'paid', amount_paid: -50 });
    expect(await unmatch(bank)).toMatchObject({ amountOpen: '45' });
  });

  it('is of one customer', async () => {
    const [id, note] = [await issued(), await makeCreditNote(acme)];
    const receipt = await makeReceipt(acme, { status: 'BOOKED' });
    const bank = await transaction('10');
    for (const other of [part('CREDIT_NOTE', note), part('RECEIPT', receipt)])
      expect(await refusal(bank, part('INVOICE', id), other)).toMatchObject([{ code: 'inconsistent' }]);
  });
});

describe('foreign money', () => {
  it('counts in the currency of the invoice; the transaction loses that of the account', async () => {
    const id = await issued({ currency: 'USD' });
    const bank = await transaction('109.48');
    expect(await refusal(bank, part('INVOICE', id))).toMatchObject([{ field: 'matches.0.id', code: 'wrong_currency' }]);
    const beyond = { exchangeAmount: '109.48', ...one('OVERPAYMENT', '1') };
    expect(await refusal(bank, part('INVOICE', id, beyond))).toMatchObject([
      { field: 'matches.0.adjustments', code: 'inconsistent' },
    ]);
    const exchanged = { exchangeAmount: '109.48', ...one('FEE', '9') };
    expect(await match(bank, part('INVOICE', id, exchanged))).toMatchObject({
      matchStatus: 'MATCHED',
      matches: [{ type: 'INVOICE', id, amount: '109.48' }],
    });
    const [paid, fee] = await payments(`invoice_id=${id}`);
    const exchange = { exchange_amount: 109.48, exchange_currency: 'EUR', exchange_rate: 0.995272727273 };
    expect(paid).toMatchObject({ kind: 'payment', amount: 110, currency: 'USD', ...exchange });
    expect(fee).toMatchObject({ kind: 'fee', amount: 9, currency: 'USD', exchange_amount: null, exchange_rate: null });
    expect(await invoice(id)).toMatchObject({ status: 'paid', amount_paid: 119, amount_due: 0 });
    expect(await unmatch(bank)).toMatchObject({ matchStatus: 'UNMATCHED', amountOpen: '109.48' });
    expect((await payments(`invoice_id=${id}&reversed=true`)).slice(2)).toMatchObject([
      { amount: -110, ...exchange, exchange_amount: -109.48 },
      { amount: -9 },
    ]);
  });

  it('of an account whose currency is none of ISO 4217 counts at its own rate, with as many decimals as are kept', async () => {
    for (const currency of ['HRK', 'DEM', '€', 'eur']) {
      const id = await issued();
      const bank = await transaction('900.12345', { currency });
      expect(await refusal(bank, part('INVOICE', id))).toMatchObject([
        { field: 'matches.0.id', code: 'wrong_currency', message: `It is in EUR, the transaction in ${currency}.` },
      ]);
      expect(await refusal(bank, part('INVOICE', id, { exchangeAmount: '900.123451' }))).toMatchObject([
        { field: 'matches.0.exchangeAmount', code: 'too_many_decimals', params: { max: 5 } },
      ]);
      const exchanged = part('INVOICE', id, { exchangeAmount: '900.12345' });
      expect(await match(bank, exchanged)).toMatchObject({ matchStatus: 'MATCHED', amountOpen: '0' });
      expect(await payments(`invoice_id=${id}`)).toMatchObject([
        { amount: 119, currency: 'EUR', exchange_amount: 900.12345, exchange_currency: currency },
      ]);
      expect(await unmatch(bank)).toMatchObject({ matchStatus: 'UNMATCHED', amountOpen: '900.12345' });
      await match(bank, exchanged);
      expect(await invoice(id)).toMatchObject({ status: 'paid', amount_due: 0 });
    }
  });

  it('of such an account is no credit, which could not be used or refunded', async () => {
    const customer = await makeCustomer(acme);
    for (const amount of ['900', '-900'])
      for (const more of [{}, { amount: '900' }, { exchangeAmount: '900' }])
        expect(await refusal(await transaction(amount, { currency: 'HRK' }), part('CUSTOMER', customer, more))).toEqual(
          [expect.objectContaining({ field: 'matches.0.id', code: 'wrong_currency' })],
        );
    expect(await payments('')).toEqual([]);
  });

  it('pays receipts, and only what is open', async () => {
    const receipt = await makeReceipt(acme, { status: 'BOOKED', currency: 'JPY', amountGross: '16000', vatRate: '0' });
    const bank = await transaction('-101');
    for (const [more, field, code] of [
      [{ exchangeAmount: '101.01' }, 'matches.0.exchangeAmount', 'exceeds_left'],
      [{ exchangeAmount: '0' }, 'matches.0.exchangeAmount', 'wrong_sign'],
      [{ exchangeAmount: '1.005' }, 'matches.0.exchangeAmount', 'too_many_decimals'],
      [{ exchangeAmount: '100', amount: '16001' }, 'matches.0.amount', 'exceeds_left'],
      [{ exchangeAmount: '100', amount: '0.5' }, 'matches.0.amount', 'too_many_decimals'],
    ] as const)
      expect(await refusal(bank, part('RECEIPT', receipt, more))).toMatchObject([{ field, code }]);
    expect(await match(bank, part('RECEIPT', receipt, { exchangeAmount: '100' }))).toMatchObject({ amountOpen: '-1' });
    expect(await get(`/receipts/${receipt}`)).toMatchObject({ status: 'paid', amount_paid: 16000 });
  });
});

it('an adjustment of a match can be undone alone, the payment only with the match', async () => {
  const [id, bank] = [await issued(), await transaction('100')];
  await match(bank, part('INVOICE', id, one('CASH_DISCOUNT', '19')));
  const [paid, discount] = await payments(`invoice_id=${id}`);
  expect((await undo(paid.id)).status).toBe(422);
  expect((await undo(discount.id)).status).toBe(200);
  expect(await invoice(id)).toMatchObject({ status: 'issued', amount_due: 19 });
  expect(await unmatch(bank)).toMatchObject({ matchStatus: 'UNMATCHED' });
  expect(await invoice(id)).toMatchObject({ amount_paid: 0, amount_adjusted: 0, amount_due: 119 });
});

it('a match uses credit, which is never below zero', async () => {
  const customerId = await makeCredit();
  const [a, b] = [await issued({ customerId }), await issued({ customerId })];
  const bank = await transaction('188');
  const use = (amount: string) => [part('INVOICE', a, one('CREDIT', '20')), part('INVOICE', b, one('CREDIT', amount))];
  expect(await refusal(bank, ...use('10.01'))).toMatchObject([{ code: 'exceeds_left' }]);
  expect(await match(await transaction('208'), ...use('10'))).toMatchObject({ amountOpen: '0' });
  expect(await credit(customerId)).toEqual([]);
});
