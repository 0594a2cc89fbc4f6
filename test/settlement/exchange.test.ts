import { expect, it } from 'vitest';
import { makeCreditNote, makeReceipt } from '../graphql/books.ts';
import { acme, get, issued, keepBooks, match, pay, payments, transaction, undo, unmatch } from './books.ts';

// "What a payment gained or lost against the exchange rate of what it pays: paid at its own rate, less paid at the document's."

keepBooks();

const priced = { currency: 'USD', exchangeRate: '0.9', exchangeRateDate: '2026-02-28' };
const usd = { exchange_currency: 'EUR' };
const differences = async (query: string) =>
  (await payments(query)).map(({ exchange_difference }: { exchange_difference: number | null }) => exchange_difference);

it('money received for more than the invoice counted it is a gain, and its reversal takes that back', async () => {
  const id = await issued(priced);
  expect((await pay(id, { amount: '100.05', exchange_rate: '0.953456789012' })).status).toBe(200);
  const [payment] = await payments(`invoice_id=${id}`);
  // 95.393…; at 0.9 it is 90.045, which is rounded half up.
  const exchange = { ...usd, exchange_amount: 95.39, exchange_rate: 0.953456789012 };
  expect(payment).toMatchObject({ amount: 100.05, currency: 'USD', ...exchange, exchange_difference: 5.34 });
  await undo(payment.id);
  expect(await payments(`invoice_id=${id}&reversed=true`)).toMatchObject([
    { ...exchange, exchange_difference: 5.34 },
    { ...exchange, exchange_amount: -95.39, exchange_difference: -5.34 },
  ]);
  await pay(id, { exchange_rate: 0.85 });
  expect(await differences(`invoice_id=${id}&reversed=false`)).toEqual([-5.95]);
});

it('money sent for more than the document counted it is a loss: of receipts, and of refunds', async () => {
  const receipt = await makeReceipt(acme, { status: 'BOOKED', ...priced });
  await pay(receipt, { amount: 19, exchange_rate: 1 }, 'receipts');
  await pay(receipt, { exchange_rate: 0.8 }, 'receipts');
  expect(await differences(`receipt_id=${receipt}`)).toEqual([-1.9, 10]);
  const invoice = await issued(priced);
  await pay(invoice, { exchange_rate: 0.9 });
  const note = await makeCreditNote(acme, { invoiceId: invoice });
  const refund = (body: object) => acme.rest('POST', `/credit-notes/${note}/refunds`, body);
  expect((await refund({ amount: 19, exchange_rate: 1 })).status).toBe(200);
  expect((await refund({ exchange_rate: 0.8 })).status).toBe(200);
  expect(await differences(`credit_note_id=${note}`)).toEqual([-1.9, 10]);
  expect(await differences(`invoice_id=${invoice}`)).toEqual([0]);
});

it("money received for a supplier's credit is a gain like that of an invoice", async () => {
  const credited = await makeReceipt(acme, { status: 'BOOKED', ...priced });
  const lines = [{ vatRate: '19', amountGross: '-100' }];
  const fields = { amountGross: undefined, vatRate: undefined, status: 'BOOKED' };
  const credit = await makeReceipt(acme, { ...priced, ...fields, creditedReceiptId: credited, lines });
  expect((await pay(credit, { amount: 50, exchange_rate: 1 }, 'receipts')).status).toBe(200);
  expect((await pay(credit, { exchange_rate: 0.8 }, 'receipts')).status).toBe(200);
  expect(await payments(`receipt_id=${credit}`)).toMatchObject([
    { amount: -50, exchange_amount: -50, exchange_difference: 5 },
    { amount: -50, exchange_amount: -40, exchange_difference: -5 },
  ]);
});

it('a match has the amount on the account, not its rounded rate; other payments have none', async () => {
  const id = await issued(priced);
  const bank = await transaction('33.33');
  await match(bank, { type: 'INVOICE', id, amount: '36.99', exchangeAmount: '33.33' }); // 33.291
  const adjustments = [{ type: 'fee', amount: 2.01 }];
  await pay(id, { amount: 40, exchange_rate: 0.9, adjustments });
  await pay(id, { amount: 30 });
  const pounds = await transaction('8', { currency: 'GBP' });
  await match(pounds, { type: 'INVOICE', id, amount: '10', exchangeAmount: '8' });
  expect(await differences(`invoice_id=${id}`)).toEqual([0.04, 0, null, null, null]);
  await unmatch(bank);
  expect((await differences(`invoice_id=${id}`)).at(-1)).toBe(-0.04);
  const unpriced = await issued({ currency: 'USD' });
  await match(await transaction('100'), { type: 'INVOICE', id: unpriced, exchangeAmount: '100' });
  expect(await differences(`invoice_id=${unpriced}`)).toEqual([null]);
});

it('a rate is refused where it says nothing', async () => {
  const id = await issued(priced);
  const refused = async (of: string, body: object) => (await pay(of, body)).body.errors;
  expect(await refused(id, { exchange_rate: 0 })).toEqual({ exchange_rate: [expect.any(String)] });
  const unpriced = await issued({ currency: 'USD' });
  for (const [of, body, message] of [
    [unpriced, { exchange_rate: 1 }, 'Only what has an exchange rate is paid at another one.'],
    [id, { amount: 0.01, exchange_rate: 0.4 }, 'Nothing is paid that has a value in the home currency.'],
    [
      id,
      { amount: 0, adjustments: [{ type: 'fee', amount: 1 }], exchange_rate: 1 },
      'Nothing is paid that has a value in the home currency.',
    ],
    [
      await issued({ ...priced, items: [{ title: 'Ship', quantity: '1', unitPriceNet: '9999', vatRate: '0' }] }),
      { exchange_rate: 1e9 },
      'The amount in the home currency is too large.',
    ],
  ] as const)
    expect(await refused(of, body)).toEqual({ exchange_rate: [message] });
  expect(await get(`/invoices/${id}`)).toMatchObject({ status: 'issued', amount_paid: 0 });
});
