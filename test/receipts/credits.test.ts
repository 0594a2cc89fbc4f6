import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventsDuring, makeBankTransaction, makeCustomer, makeReceipt } from '../graphql/books.ts';
import { createToken } from '../../src/identity/index.ts';
import { asIntegrator, startService, type Answer, type Integrator, type Service } from '../harness.ts';
import * as sample from '../rest/samples.ts';

// A supplier's credit has negative amounts, and money received pays it (schema/DECISIONS.md#d145-receipt-lines).

let service: Service;
let acme: Integrator;
let supplierId: string;
let bought: string;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  acme = await service.integrator({ currency: 'EUR' });
  supplierId = await makeCustomer(acme, { type: 'SUPPLIER', companyName: 'Initech' });
  bought = await makeReceipt(acme, { supplierId, status: 'BOOKED' });
});
afterAll(() => service.close());

const post = (fields: object): Promise<Answer> =>
  acme.rest('POST', '/receipts', {
    receipt_date: '2026-03-05',
    supplier_id: supplierId,
    credited_receipt_id: bought,
    amount_gross: -59.5,
    vat_rate: 19,
    status: 'booked',
    ...fields,
  });
const credit = async (fields: object = {}): Promise<string> => {
  const { status, body } = await post(fields);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data.id;
};
const codes = ({ status, body }: Answer): object => {
  expect(status).toBe(422);
  return Object.fromEntries(body.details.map(({ field, code }: { field: string; code: string }) => [field, code]));
};
const get = async (id: string) => (await acme.rest('GET', `/receipts/${id}`)).body.data;
const amounts = async (receiptId: string): Promise<string[]> =>
  (await acme.db.payment.findMany({ where: { receiptId }, orderBy: { id: 'asc' } })).map(({ amount }) =>
    amount.toFixed(),
  );
const openItems = async (at = '2026-12-31') => {
  const { totals, items } = (await acme.rest('GET', `/reports/open-items?at=${at}&side=payable`)).body.data;
  return { totals, items: items.map(({ id, open }: { id: string; open: number }) => [id, open]) };
};

describe('a credit', () => {
  it('has negative amounts, and reduces input VAT', async () => {
    const id = await credit();
    expect(await get(id)).toMatchObject({
      status: 'booked',
      credited_receipt_id: bought,
      amount_gross: -59.5,
      amount_net: -50,
      vat_amount: -9.5,
      amount_payable: -59.5,
      lines: [{ vat_category: 'S', amount_gross: -59.5, vat_amount: -9.5 }],
    });
    const { rows } = (await acme.rest('GET', '/reports/vat?from=2026-03-01&to=2026-03-31')).body.data;
    expect(rows).toMatchObject([{ kind: 'input', net: 50, vat: 9.5, documents: 2, vat_box: '66' }]);
    const { totals, items } = await openItems();
    expect(items).toEqual(
      expect.arrayContaining([
        [bought, 119],
        [id, -59.5],
      ]),
    );
    expect(totals).toMatchObject([{ open: 59.5, credit: 59.5, count: 2 }]);
  });

  it.each([
    ['a positive amount', { amount_gross: 1 }, { amount_gross: 'wrong_sign' }],
    [
      'a positive line',
      { amount_gross: undefined, vat_rate: undefined, lines: [{ amount_gross: 1 }] },
      { lines: 'wrong_sign' },
    ],
    ['a part that was prepaid', { amount_prepaid: 1 }, { amount_prepaid: 'out_of_range' }],
    ['an unknown receipt', { credited_receipt_id: sample.unknownId }, { credited_receipt_id: 'not_found' }],
    ['another currency', { currency: 'USD' }, { credited_receipt_id: 'wrong_currency' }],
    ['no supplier', { supplier_id: null }, { credited_receipt_id: 'inconsistent' }],
  ])('with %s is refused', async (_name, fields, expected) => {
    expect(codes(await post(fields))).toEqual(expected);
  });

  it('refers to a booked receipt of this tenant that is no credit', async () => {
    const draft = await makeReceipt(acme, { supplierId });
    expect(codes(await post({ credited_receipt_id: draft }))).toEqual({ credited_receipt_id: 'wrong_state' });
    expect(codes(await post({ credited_receipt_id: await credit() }))).toEqual({ credited_receipt_id: 'wrong_state' });
    const reversed = await makeReceipt(acme, { supplierId, status: 'BOOKED' });
    await acme.rest('DELETE', `/receipts/${reversed}`);
    expect(codes(await post({ credited_receipt_id: reversed }))).toEqual({ credited_receipt_id: 'not_found' });
    const globex = await service.integrator();
    const theirs = await makeReceipt(globex, { status: 'BOOKED' });
    expect(codes(await post({ credited_receipt_id: theirs }))).toEqual({ credited_receipt_id: 'not_found' });
  });

  it('without a receipt that it refers to there are no negative amounts', async () => {
    expect(codes(await post({ credited_receipt_id: null }))).toEqual({ amount_gross: 'out_of_range' });
  });

  it('keeps supplier and currency as long as it is a draft', async () => {
    const id = await credit({ status: 'draft' });
    const other = await makeCustomer(acme, { type: 'SUPPLIER' });
    const { body } = await acme.graphqlAnswer(
      `mutation ($id: UUID!, $other: UUID) { updateReceipt(id: $id, input: { supplierId: $other, currency: "USD", amountGross: "1" }) { id } }`,
      { id, other },
    );
    expect(Object.keys(body.errors[0].extensions.errors).toSorted()).toEqual([
      'input.amountGross',
      'input.currency',
      'input.supplierId',
    ]);
  });

  it('keeps the receipt that it refers to from being reversed, until it is reversed itself', async () => {
    const id = await credit();
    expect(codes(await acme.rest('POST', `/receipts/${bought}/reverse`))).toEqual({ id: 'in_use' });
    expect((await acme.rest('POST', `/receipts/${id}/reverse`)).status).toBe(200);
    const { receipt } = await acme.graphql(
      'query ($id: UUID!) { receipt(id: $id) { reversal { amountGross creditedReceiptId } } }',
      { id },
    );
    expect(receipt.reversal).toEqual({ amountGross: '59.5', creditedReceiptId: bought });
    expect((await openItems()).items).toEqual([[bought, 119]]);
    expect((await acme.rest('POST', `/receipts/${bought}/reverse`)).status).toBe(200);
    expect((await openItems()).items).toEqual([]);
  });

  it('and the reversal of its receipt: one of both, if they come at the same time', async () => {
    for (let time = 0; time < 6; time += 1) {
      bought = await makeReceipt(acme, { supplierId, status: 'BOOKED' });
      const both = [() => post({}), () => acme.rest('POST', `/receipts/${bought}/reverse`)];
      const answers = await Promise.all((time % 2 ? both : both.toReversed()).map((ask) => ask()));
      expect(answers.map(({ status }) => status).toSorted()).toBeOneOf([
        [201, 422],
        [200, 422],
      ]);
    }
  });
});

describe('paying a credit', () => {
  it('by hand: with a positive amount, and payments with its sign', async () => {
    const id = await credit();
    const pay = (amount?: number) => acme.rest('POST', `/receipts/${id}/payments`, amount ? { amount } : {});
    expect(codes(await pay(-1))).toEqual({ amount: 'wrong_sign' });
    expect(codes(await pay(59.51))).toEqual({ amount: 'exceeds_left' });
    const events = await eventsDuring(service, acme, () => pay(9.5));
    expect(events.map(({ type }) => type)).toEqual(['receipt.payment_recorded', 'payment.recorded']);
    expect((await pay()).body.data.status).toBe('paid');
    expect(await amounts(id)).toEqual(['-9.5', '-50']);
    const [last] = (await acme.rest('GET', `/payments?receipt_id=${id}`)).body.data;
    expect(last).toMatchObject({ amount: -50, receipt_id: id });
    expect((await acme.rest('POST', `/payments/${last.id}/reverse`)).status).toBe(200);
    expect(await amounts(id)).toEqual(['-9.5', '-50', '50']);
    expect(await get(id)).toMatchObject({ status: 'booked', paid_at: null });
    expect((await openItems()).items).toEqual(expect.arrayContaining([[id, -50]]));
    expect((await pay()).body.data.status).toBe('paid');
    const { receipt } = await acme.graphql('query ($id: UUID!) { receipt(id: $id) { amountPaid } }', { id });
    expect(receipt.amountPaid).toBe('-59.5');
  });

  it('from the bank: money received, not money sent; undone, both are open again', async () => {
    const id = await credit();
    const received = await makeBankTransaction(acme, { amount: 59.5, amountOpen: 59.5, counterpartyName: 'Initech' });
    const sent = await makeBankTransaction(acme, { amount: -59.5, amountOpen: -59.5 });
    const match = (transaction: string, receipt: string) =>
      acme.graphqlAnswer(
        `mutation ($transaction: UUID!, $receipt: UUID!) {
          matchBankTransaction(id: $transaction, matches: [{ type: RECEIPT, id: $receipt }]) { matchStatus matches { type id amount } } }`,
        { transaction, receipt },
      );
    for (const [transaction, receipt, message] of [
      [sent, id, 'Money received pays a supplier’s credit.'],
      [received, bought, 'Money received pays invoices, money sent pays receipts and refunds credit notes.'],
    ] as const)
      expect((await match(transaction, receipt)).body.errors[0].extensions.errors).toEqual({
        'matches.0.type': [message],
      });
    const suggested = async (transaction: string) =>
      (
        await acme.graphql('query ($id: UUID!) { bankTransaction(id: $id) { suggestions { id amount } } }', {
          id: transaction,
        })
      ).bankTransaction.suggestions;
    expect(await suggested(received)).toEqual([{ id, amount: '59.5' }]);
    expect(await suggested(sent)).not.toContainEqual(expect.objectContaining({ id }));
    expect((await match(received, id)).body.data.matchBankTransaction).toEqual({
      matchStatus: 'MATCHED',
      matches: [{ type: 'RECEIPT', id, amount: '59.5' }],
    });
    expect(await get(id)).toMatchObject({ status: 'paid' });
    expect(await amounts(id)).toEqual(['-59.5']);
    const undo = 'mutation ($id: UUID!) { unmatchBankTransaction(id: $id) { matchStatus amountOpen } }';
    expect((await acme.graphql(undo, { id: received })).unmatchBankTransaction).toEqual({
      matchStatus: 'UNMATCHED',
      amountOpen: '59.5',
    });
    expect(await amounts(id)).toEqual(['-59.5', '59.5']);
    expect(await get(id)).toMatchObject({ status: 'booked' });
  });

  it('is no suggestion for who may not read receipts', async () => {
    await credit();
    const id = await makeBankTransaction(acme, { amount: 59.5, amountOpen: 59.5 });
    const query = 'query ($id: UUID!) { bankTransaction(id: $id) { suggestions { id } } }';
    const { tenantId, userId } = acme;
    const abilities = ['bank-transactions:read', 'invoices:read'];
    const { id: tokenId, token } = await createToken(service.client, { tenantId, abilities });
    const reader = asIntegrator(service, { tenantId, userId, token, tokenId });
    expect((await reader.graphql(query, { id })).bankTransaction.suggestions).toEqual([]);
  });
});

it('money sent that names the number of a credit is not matched with it by an import', async () => {
  await credit({ receipt_number: 'C-77' });
  const id = await makeBankTransaction(acme, { amount: -59.5, amountOpen: -59.5, reference: 'C-77' });
  const { bankTransaction } = await acme.graphql(
    'query ($id: UUID!) { bankTransaction(id: $id) { suggestions { type } } }',
    { id },
  );
  expect(bankTransaction.suggestions).toEqual([]);
});
