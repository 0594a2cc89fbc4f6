import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { item, makeBankTransaction, makeInvoice, makeReceipt, refusal } from '../books.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator({ currency: 'CHF' });
});
afterAll(() => service.close());

const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
const stamps = { id, createdAt: time, updatedAt: time };

describe('bank transactions', () => {
  it('can be read by id and by match status, ignored, and unignored', async () => {
    const transaction = await makeBankTransaction(acme, {
      amount: -12.34567,
      amountOpen: -12.34567,
      externalId: 'E1',
      reference: 'Rent',
    });
    const fields =
      'id externalId accountIban bookingDate valueDate amount currency counterpartyName counterpartyIban reference matchStatus amountOpen matches { id } createdAt updatedAt';
    const expected = {
      ...stamps,
      externalId: 'E1',
      accountIban: 'DE02120300000000202051',
      bookingDate: '2026-03-02',
      valueDate: null,
      amount: '-12.34567',
      currency: 'EUR',
      counterpartyName: null,
      counterpartyIban: null,
      reference: 'Rent',
      matchStatus: 'UNMATCHED',
      amountOpen: '-12.34567',
      matches: [],
    };
    expect((await acme.graphql(`{ row: bankTransaction(id: "${transaction}") { ${fields} } }`)).row).toEqual(expected);
    const ignored = await acme.graphql(`mutation { row: ignoreBankTransaction(id: "${transaction}") { ${fields} } }`);
    expect(ignored.row).toEqual({ ...expected, matchStatus: 'IGNORED' });
    expect(
      (await acme.graphql('{ bankTransactions(filter: { matchStatus: { eq: IGNORED } }) { nodes { id } } }'))
        .bankTransactions.nodes,
    ).toEqual([{ id: transaction }]);
    const back = await acme.graphql(`mutation { row: unignoreBankTransaction(id: "${transaction}") { ${fields} } }`);
    expect(back.row).toEqual(expected);
  });

  it('have at most 500 matches, by one request or by several', async () => {
    const transaction = await makeBankTransaction(acme, { amount: 1000, amountOpen: 1000 });
    const invoices = [1, 2].map(() => makeInvoice(acme, { status: 'ISSUED', currency: 'EUR', items: [item] }));
    const [paid = '', next = ''] = await Promise.all(invoices);
    const match = (matches: object[]) =>
      acme.graphqlAnswer(
        'mutation ($id: UUID!, $matches: [MatchInput!]!) { matchBankTransaction(id: $id, matches: $matches) { id } }',
        { id: transaction, matches },
      );
    const errors = { matches: ['A transaction has at most 500 matches.'] };
    const many = Array.from({ length: 501 }, () => ({ type: 'INVOICE', id: randomUUID() }));
    expect(refusal(await match(many))).toMatchObject({ code: 'VALIDATION_FAILED', errors });
    const payment = { invoiceId: paid, bankTransactionId: transaction, amount: 1, currency: 'EUR' };
    const data = Array.from({ length: 499 }, () => ({ ...payment, paidOn: new Date('2026-03-02') }));
    await acme.db.payment.createMany({ data });
    await acme.db.bankTransaction.updateMany({
      where: { id: transaction },
      data: { matchStatus: 'PARTIALLY_MATCHED', amountOpen: 501 },
    });
    expect((await match([{ type: 'INVOICE', id: next, amount: '1' }])).body.errors).toBeUndefined();
    expect(refusal(await match([{ type: 'INVOICE', id: next, amount: '1' }]))).toMatchObject({ errors });
  });

  it('show their matches with amounts of the same sign', async () => {
    const invoice = await makeInvoice(acme, { status: 'ISSUED', items: [item] });
    const receipt = await makeReceipt(acme, { status: 'BOOKED' });
    for (const [settles, type, sign] of [
      [{ invoiceId: invoice }, 'INVOICE', 1],
      [{ receiptId: receipt }, 'RECEIPT', -1],
    ] as const) {
      const bankTransactionId = await makeBankTransaction(acme, {
        amount: sign * 50,
        amountOpen: 0,
        matchStatus: 'MATCHED',
      });
      const payment = await acme.db.payment.create({
        data: { ...settles, bankTransactionId, amount: 50, currency: 'EUR', paidOn: new Date('2026-03-02') },
      });
      const query = `{ bankTransaction(id: "${bankTransactionId}") { matches { type id amount } } }`;
      expect((await acme.graphql(query)).bankTransaction.matches).toEqual([
        { type, id: Object.values(settles)[0], amount: String(sign * 50) },
      ]);
      const owner = type === 'INVOICE' ? `invoice(id: "${invoice}")` : `receipt(id: "${receipt}")`;
      const { owned } = await acme.graphql(
        `{ owned: ${owner} { payments { nodes { id bankTransaction { id } invoice { id } receipt { id } } } } }`,
      );
      expect(owned.payments.nodes).toEqual([
        {
          id: payment.id,
          bankTransaction: { id: bankTransactionId },
          invoice: type === 'INVOICE' ? { id: invoice } : null,
          receipt: type === 'RECEIPT' ? { id: receipt } : null,
        },
      ]);
    }
  });
});
