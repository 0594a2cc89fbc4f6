import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../../harness.ts';
import {
  readBooks,
  eventsDuring,
  item,
  makeBankTransaction,
  makeInvoice,
  makePayment,
  makeReceipt,
  refusal,
} from '../books.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator({ timezone: 'Pacific/Auckland' });
});
afterAll(() => service.close());

const pay = {
  invoice: `mutation ($id: UUID!, $amount: Decimal, $paidOn: Date) {
    paid: payInvoice(id: $id, amount: $amount, paidOn: $paidOn) {
      status amountPaid amountDue paidAt payments { nodes { id amount paidOn invoiceId receiptId bankTransactionId } }
    }
  }`,
  receipt: `mutation ($id: UUID!, $amount: Decimal, $paidOn: Date) {
    paid: payReceipt(id: $id, amount: $amount, paidOn: $paidOn) {
      status amountPaid paidAt payments { nodes { id amount paidOn invoiceId receiptId bankTransactionId } }
    }
  }`,
};
const undo = 'mutation ($id: UUID!) { reversePayment(id: $id, reason: "Wrong") { id amount } }';
const invoiceOf = async (id: string) =>
  (await acme.graphql('query ($id: UUID!) { invoice(id: $id) { status amountPaid amountDue paidAt } }', { id }))
    .invoice;
const typesDuring = async (work: () => Promise<unknown>) =>
  (await eventsDuring(service, acme, work)).map(({ type }) => type);

describe('an invoice stays issued while part-paid, and is paid when fully paid', () => {
  it('an invoice is paid in parts, newest payment first', async () => {
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    let answer;
    expect(
      await typesDuring(
        async () => (answer = await acme.graphql(pay.invoice, { id, amount: '19.5', paidOn: '2026-03-05' })),
      ),
    ).toEqual(['invoice.payment_recorded', 'payment.recorded']);
    expect(answer).toMatchObject({ paid: { status: 'ISSUED', amountPaid: '19.5', amountDue: '99.5', paidAt: null } });
    expect(await typesDuring(async () => (answer = await acme.graphql(pay.invoice, { id })))).toEqual([
      'invoice.payment_recorded',
      'invoice.paid',
      'payment.recorded',
    ]);
    const none = { receiptId: null, bankTransactionId: null };
    expect(answer).toEqual({
      paid: {
        status: 'PAID',
        amountPaid: '119',
        amountDue: '0',
        paidAt: expect.stringMatching(/\+00:00$/),
        payments: {
          nodes: [
            { id: expect.any(String), amount: '99.5', paidOn: expect.any(String), invoiceId: id, ...none },
            { id: expect.any(String), amount: '19.5', paidOn: '2026-03-05', invoiceId: id, ...none },
          ],
        },
      },
    });
  });

  it('a receipt is paid in parts: booked→paid', async () => {
    const id = await makeReceipt(acme, { status: 'BOOKED' });
    let answer;
    expect(await typesDuring(async () => (answer = await acme.graphql(pay.receipt, { id, amount: '100' })))).toEqual([
      'receipt.payment_recorded',
      'payment.recorded',
    ]);
    expect(answer).toMatchObject({ paid: { status: 'BOOKED', amountPaid: '100', paidAt: null } });
    expect(await typesDuring(async () => (answer = await acme.graphql(pay.receipt, { id })))).toEqual([
      'receipt.payment_recorded',
      'receipt.paid',
      'payment.recorded',
    ]);
    expect(answer).toMatchObject({
      paid: { status: 'PAID', amountPaid: '119', payments: { nodes: [{ amount: '19' }, { amount: '100' }] } },
    });
  });

  it('a payment without a date has the tenant’s today', async () => {
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    service.clock.now = new Date('2026-06-30T12:30:00Z'); // 1 July in Auckland
    const { paid } = await acme.graphql(pay.invoice, { id });
    service.clock.now = undefined;
    expect(paid).toMatchObject({
      payments: { nodes: [{ paidOn: '2026-07-01' }] },
      paidAt: '2026-06-30T12:30:00+00:00',
    });
  });

  it('a receipt of zero can be marked as paid', async () => {
    const id = await makeReceipt(acme, { amountGross: '0', status: 'BOOKED' });
    expect(await acme.graphql(pay.receipt, { id })).toMatchObject({
      paid: { status: 'PAID', amountPaid: '0', payments: { nodes: [] } },
    });
  });
});

describe('a rejected amount changes nothing', () => {
  const make = {
    invoice: (currency = 'EUR') =>
      makeInvoice(acme, { status: 'ISSUED', currency, items: [{ ...item, vatRate: '0' }] }),
    receipt: (currency = 'EUR') => makeReceipt(acme, { status: 'BOOKED', currency, amountGross: '100' }),
  };
  it.each([
    ['more than is due', 'EUR', '100.01', 'Must not be more than the 100 EUR due.'],
    ['zero', 'EUR', '0', 'Must be more than zero.'],
    ['less than zero', 'EUR', '-1', 'Must be more than zero.'],
    ['decimals beyond the currency’s two', 'EUR', '1.005', 'Must not have more than 2 decimals in this currency.'],
    [
      'decimals in JPY, which has no minor digits',
      'JPY',
      '1.5',
      'Must not have more than 0 decimals in this currency.',
    ],
    ['decimals beyond the three of TND', 'TND', '1.0005', 'Must not have more than 3 decimals in this currency.'],
    ['more than 15 significant digits', 'EUR', '1234567890123456', 'Must not have more than 15 digits.'],
  ])('%s', async (_what, currency, amount, message) => {
    for (const what of ['invoice', 'receipt'] as const) {
      const id = await make[what](currency);
      const before = await readBooks(service, acme);
      expect(refusal(await acme.graphqlAnswer(pay[what], { id, amount }))).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: { amount: [message] },
      });
      expect(await readBooks(service, acme)).toEqual(before);
    }
  });

  it('but all minor digits of the currency are accepted', async () => {
    const dinars = await make.invoice('TND');
    expect(await acme.graphql(pay.invoice, { id: dinars, amount: '0.001' })).toMatchObject({
      paid: { amountDue: '99.999' },
    });
  });
});

describe('reversePayment: paid→issued when a payment is undone', () => {
  it('restores the amount due, and emits an event', async () => {
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    const first = await makePayment(acme, id, '19');
    const second = await makePayment(acme, id);
    expect(await invoiceOf(id)).toMatchObject({ status: 'PAID', amountDue: '0' });

    const [event, ...others] = await eventsDuring(service, acme, async () => {
      expect(await acme.graphql(undo, { id: second })).toEqual({ reversePayment: { id: second, amount: '100' } });
    });
    expect(others.map(({ type }) => type)).toEqual(['payment.recorded', 'payment.reversed']);
    expect(event).toMatchObject({
      type: 'invoice.payment_reverted',
      body: { data: { invoice: (await acme.rest('GET', `/invoices/${id}`)).body.data } },
    });
    expect(await invoiceOf(id)).toEqual({ status: 'ISSUED', amountPaid: '19', amountDue: '100', paidAt: null });

    await acme.graphql(undo, { id: first });
    expect(await invoiceOf(id)).toMatchObject({ status: 'ISSUED', amountPaid: '0' });
    expect(refusal(await acme.graphqlAnswer(undo, { id: first })).errors).toEqual({
      id: ['This payment is undone already.'],
    });
    // Without payments it can be cancelled.
    await acme.graphql('mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }', { id });
  });

  it('changes a receipt from paid to booked, and emits an event', async () => {
    const id = await makeReceipt(acme, { status: 'BOOKED' });
    const { paid } = await acme.graphql(pay.receipt, { id });
    expect(await typesDuring(() => acme.graphql(undo, { id: paid.payments.nodes[0].id }))).toEqual([
      'receipt.payment_reverted',
      'payment.recorded',
      'payment.reversed',
    ]);
    const { receipt } = await acme.graphql(
      'query ($id: UUID!) { receipt(id: $id) { status amountPaid paidAt payments { nodes { amount } } } }',
      { id },
    );
    expect(receipt).toEqual({
      status: 'BOOKED',
      amountPaid: '0',
      paidAt: null,
      payments: { nodes: [{ amount: '-119' }, { amount: '119' }] },
    });
  });

  it('rejects the payment of a bank transaction, whose match has to be undone instead', async () => {
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    const transaction = await makeBankTransaction(acme, { amount: '119', amountOpen: '119' });
    const match = `mutation { matchBankTransaction(id: "${transaction}", matches: [{ type: INVOICE, id: "${id}" }]) { id } }`;
    await acme.graphql(match);
    const { invoice } = await acme.graphql(`{ invoice(id: "${id}") { payments { nodes { id } } } }`);
    const payment = invoice.payments.nodes[0].id;
    const before = await readBooks(service, acme);
    expect(refusal(await acme.graphqlAnswer(undo, { id: payment }))).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { id: ['This payment comes from a bank transaction: undo the match.'] },
    });
    expect(await readBooks(service, acme)).toEqual(before);
  });
});
