import fc from 'fast-check';
import { Decimal } from 'decimal.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Copy, readResources } from '../changes/copy.ts';
import { makeBankTransaction, makeCreditNote, makeInvoice, makePayment, makeReceipt } from '../graphql/books.ts';
import { createToken } from '../../src/identity/index.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  service.clock.now = new Date('2026-03-10T12:00:00Z');
  acme = await service.integrator();
});
afterAll(() => service.close());

async function withAbilities(...abilities: string[]): Promise<Integrator> {
  const { token, id } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
  return asIntegrator(service, { ...acme, token, tokenId: id });
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
const get = async (path: string) => (await acme.rest('GET', path)).body.data;
const reverse = (id: string, body: object = { reason: 'Charged back' }) =>
  acme.rest('POST', `/payments/${id}/reverse`, body);
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe('GET /payments and POST /payments/{id}/reverse', () => {
  it('undoing adds a row with the opposite amount, on the same day, that says who and why', async () => {
    const invoice = await makeInvoice(acme, { status: 'ISSUED' });
    await acme.rest('POST', `/invoices/${invoice}/payments`, { amount: 19.5, paid_on: '2026-03-05' });
    const [payment] = await get(`/payments?invoice_id=${invoice}`);
    const { id } = payment;
    const of = { kind: 'payment', invoice_id: invoice, receipt_id: null, credit_note_id: null, customer_id: null };
    const alone = { bank_transaction_id: null, recorded_with_id: null };
    const exchange = { exchange_amount: null, exchange_currency: null, exchange_rate: null, exchange_difference: null };
    const own = { external_id: null, metadata: {} };
    const times = { created_at: time, updated_at: time };
    const usual = { ...of, ...alone, ...exchange, currency: 'EUR', paid_on: '2026-03-05', ...own, ...times };
    const recorded = { ...usual, id, amount: 19.5, reversal_of_id: null, reason: null, user_id: null };
    expect(payment).toEqual({ ...recorded, reversed_at: null });
    expect(await get(`/payments/${id}`)).toEqual(payment);

    const answer = await reverse(id);
    const why = { reason: 'Charged back', user_id: acme.userId };
    const reversed = { ...recorded, ...why, reversed_at: '2026-03-10T12:00:00+00:00' };
    expect(answer).toMatchObject({ status: 200, body: { data: reversed } });
    expect(answer.body).toEqual({ data: reversed });
    const said = { ...why, amount: -19.5, reversal_of_id: id, reversed_at: null };
    expect(await get(`/payments?invoice_id=${invoice}`)).toEqual([
      { ...usual, ...said, id: expect.any(String) },
      reversed,
    ]);
    expect(await get(`/invoices/${invoice}`)).toMatchObject({ status: 'issued', amount_paid: 0, amount_due: 119 });
  });

  it('filters: from, to, invoice, receipt, credit note, reversed', async () => {
    const receipt = await makeReceipt(acme, { status: 'BOOKED' });
    for (const day of ['2026-02-01', '2026-02-02'])
      await acme.rest('POST', `/receipts/${receipt}/payments`, { amount: 1, paid_on: day });
    const [second, first] = await get(`/payments?receipt_id=${receipt}`);
    await reverse(first.id);
    const all = await get(`/payments?receipt_id=${receipt}`);
    expect(ids(all)).toEqual([all[0].id, second.id, first.id]);
    const found = async (query: string) => ids(await get(`/payments?receipt_id=${receipt}&${query}`));
    expect(await found('reversed=false')).toEqual([second.id]);
    expect(await found('reversed=true')).toEqual([all[0].id, first.id]);
    expect(await found('from=2026-02-02')).toEqual([second.id]);
    expect(await found('to=2026-02-01')).toEqual([all[0].id, first.id]);
    const note = await makeCreditNote(acme);
    await acme.rest('POST', `/credit-notes/${note}/refunds`);
    expect(await get(`/payments?credit_note_id=${note}`)).toMatchObject([{ credit_note_id: note, invoice_id: null }]);
    for (const wrong of ['reversed=maybe', 'invoice_id=x', 'from=2026-02-30'])
      expect((await acme.rest('GET', `/payments?${wrong}`)).status).toBe(422);
  });

  it('takes a reason, of at most 500 characters', async () => {
    const id = await makePayment(acme, await makeInvoice(acme, { status: 'ISSUED' }));
    for (const body of [{ reason: 'x'.repeat(501) }, { reason: 1 }])
      expect((await reverse(id, body)).body.errors).toHaveProperty('reason');
    expect((await reverse(id, { reason: 'x'.repeat(500) })).status).toBe(200);
  });

  it('a payment is reversed once, and a reversal never: of ten at once, one does it', async () => {
    const invoice = await makeInvoice(acme, { status: 'ISSUED' });
    const id = await makePayment(acme, invoice);
    const answers = await Promise.all(Array.from({ length: 10 }, () => reverse(id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(422)]);
    expect((await reverse(id)).body.errors).toEqual({ id: ['This payment is undone already.'] });
    const [reversal] = await get(`/payments?invoice_id=${invoice}`);
    expect((await reverse(reversal.id)).body.errors).toEqual({ id: ['A reversal can not be undone.'] });
    expect(await get(`/payments?invoice_id=${invoice}`)).toHaveLength(2);
    expect(await get(`/invoices/${invoice}`)).toMatchObject({ status: 'issued', amount_paid: 0 });
  });

  it('a match is undone at its bank transaction, and can have a reason', async () => {
    const invoice = await makeInvoice(acme, { status: 'ISSUED' });
    const transaction = await makeBankTransaction(acme, { amount: '119', amountOpen: '119' });
    await acme.graphql(
      `mutation { matchBankTransaction(id: "${transaction}", matches: [{ type: INVOICE, id: "${invoice}" }]) { id } }`,
    );
    const [{ id }] = await get(`/payments?invoice_id=${invoice}`);
    expect((await reverse(id)).body.errors).toEqual({
      id: ['This payment comes from a bank transaction: undo the match.'],
    });
    await acme.graphql(`mutation { unmatchBankTransaction(id: "${transaction}", reason: "Wrong one") { id } }`);
    expect(await get(`/payments?invoice_id=${invoice}`)).toMatchObject([
      { amount: -119, reversal_of_id: id, reason: 'Wrong one', bank_transaction_id: transaction },
      { id, amount: 119 },
    ]);
    expect(await get(`/bank-transactions/${transaction}`)).toMatchObject({ match_status: 'unmatched', matches: [] });
  });

  it('takes invoices:read and receipts:read, and to reverse the ability to write what is paid', async () => {
    const id = await makePayment(acme, await makeInvoice(acme, { status: 'ISSUED' }));
    for (const abilities of [['invoices:read'], ['receipts:read']]) {
      const who = await withAbilities(...abilities);
      for (const path of ['/payments', `/payments/${id}`]) expect((await who.rest('GET', path)).status).toBe(403);
    }
    const reader = await withAbilities('read', 'receipts:write');
    expect((await reader.rest('GET', `/payments/${id}`)).status).toBe(200);
    expect((await reader.rest('POST', `/payments/${id}/reverse`, { reason: 'x' })).status).toBe(403);
  });

  it('of another tenant there is none', async () => {
    const id = await makePayment(acme, await makeInvoice(acme, { status: 'ISSUED' }));
    const globex = await service.integrator();
    expect((await globex.rest('GET', '/payments')).body.data).toEqual([]);
    expect((await globex.rest('GET', `/payments/${id}`)).status).toBe(404);
    expect((await globex.rest('POST', `/payments/${id}/reverse`, { reason: 'x' })).status).toBe(404);
    expect(await get(`/payments/${id}`)).toMatchObject({ reversed_at: null });
  });

  it('the service can neither delete a payment nor change what it says', async () => {
    const [invoice, other] = [
      await makeInvoice(acme, { status: 'ISSUED' }),
      await makeInvoice(acme, { status: 'ISSUED' }),
    ];
    const id = await makePayment(acme, invoice);
    const before = await get(`/payments/${id}`);
    const update = (change: string) =>
      acme.db.$rows(`update payments set ${change} where tenant_id = $1 and id = $2::uuid`, [id]);
    for (const change of [
      'amount = 1',
      "paid_on = '2026-01-01'",
      `invoice_id = '${other}'`,
      "created_at = '2026-01-01'",
      "kind = 'fee'",
      "currency = 'USD'",
      'exchange_amount = 1',
      "exchange_currency = 'USD'",
      'exchange_rate = 2',
      'receipt_id = gen_random_uuid()',
      'credit_note_id = gen_random_uuid()',
      'customer_id = gen_random_uuid()',
      'bank_transaction_id = gen_random_uuid()',
      `recorded_with = '${id}'`,
    ])
      await expect(update(change)).rejects.toThrow('A payment can not change');
    const where = { tenantId_id: { tenantId: acme.tenantId, id } };
    await expect(acme.db.payment.delete({ where })).rejects.toThrow('A payment can not change');
    expect(await get(`/payments/${id}`)).toEqual(before);
    await reverse(id);
    const [reversal] = await get(`/payments?invoice_id=${invoice}`);
    for (const change of ['reversed_at = null', "reason = 'x'", 'user_id = null', `reversal_of = '${reversal.id}'`])
      await expect(update(change)).rejects.toThrow('A payment can not change');
    const ofReversal = (change: string) =>
      acme.db.$rows(`update payments set ${change} where tenant_id = $1 and id = $2::uuid`, [reversal.id]);
    for (const change of ['reversal_of = null', "reason = 'x'", 'user_id = null', 'reversed_at = now()'])
      await expect(ofReversal(change)).rejects.toThrow('A payment can not change');
  });
});

/** A step of a day: two requests at once. */
const action = fc.record({
  kind: fc.constantFrom('pay', 'pay', 'undo', 'match', 'unmatch', 'cancel', 'pay receipt'),
  which: fc.nat({ max: 2 }),
  cents: fc.integer({ min: 1, max: 8000 }),
  back: fc.nat({ max: 3 }),
});
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

const dayOf = (day: number): string => Temporal.PlainDate.from('2026-04-01').add({ days: day }).toString();

async function take(who: Integrator, at: number, { kind, which, cents, back }: Action, of: string[]): Promise<number> {
  const [invoice, receipt, transaction] = [of[which]!, of[which + 3]!, of[which + 6]!];
  const amount = (cents / 100).toFixed(2);
  const body = { amount, paid_on: dayOf(Math.max(0, at - back)) };
  const run = (mutation: string) => who.graphqlAnswer(`mutation { ${mutation} { id } }`);
  if (kind === 'pay') return (await who.rest('POST', `/invoices/${invoice}/payments`, body)).status;
  if (kind === 'pay receipt') return (await who.rest('POST', `/receipts/${receipt}/payments`, body)).status;
  if (kind === 'cancel') return (await who.rest('POST', `/invoices/${invoice}/cancel`)).status;
  if (kind === 'match') {
    const match = `matches: [{ type: INVOICE, id: "${invoice}", amount: "${amount}" }]`;
    return (await run(`matchBankTransaction(id: "${transaction}", ${match})`)).status;
  }
  if (kind === 'unmatch') return (await run(`unmatchBankTransaction(id: "${transaction}")`)).status;
  const answered = await who.rest('GET', '/payments?reversed=false');
  if (answered.status !== 200) throw new Error(answered.text);
  const { data } = answered.body;
  const id = data[which % Math.max(1, data.length)]?.id;
  return id ? (await who.rest('POST', `/payments/${id}/reverse`, { reason: 'x' })).status : 0;
}

type Row = Record<'amount' | 'paidOn' | 'createdAt', string> & Record<'invoiceId' | 'receiptId', string | null>;
async function readLedger(who: Integrator, filter = '{}'): Promise<Row[]> {
  const { payments } = await who.graphql(
    `{ payments(first: 100, filter: ${filter}) { nodes { amount paidOn createdAt invoiceId receiptId } } }`,
  );
  return payments.nodes;
}

/** The amount paid of each document, by the rows of the ledger. */
function addUp(rows: Row[]): Record<string, string> {
  const sums = new Map<string, Decimal>();
  for (const { invoiceId, receiptId, amount } of rows) {
    const id = invoiceId ?? receiptId ?? '';
    sums.set(id, (sums.get(id) ?? new Decimal(0)).plus(amount));
  }
  const entries = [...sums].filter(([, sum]) => !sum.isZero()).map(([id, sum]) => [id, sum.toFixed()] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

it('generated books: the rows add up to each balance, and what was paid at a day can be asked again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(action, action), { minLength: 5, maxLength: 8 }), async (days) => {
      service.clock.now = new Date(`${dayOf(0)}T12:00:00Z`);
      const who = await service.integrator();
      const invoices = await Promise.all([0, 1, 2].map(() => makeInvoice(who, { status: 'ISSUED' })));
      const receipts = await Promise.all([0, 1, 2].map(() => makeReceipt(who, { status: 'BOOKED' })));
      const transactions = await Promise.all(
        [0, 1, 2].map(() => makeBankTransaction(who, { amount: '100', amountOpen: '100' })),
      );
      const of = [...invoices, ...receipts, ...transactions];
      const copy = new Copy(who);
      const asked: { until: string; sums: Record<string, string> }[] = [];
      for (const [at, pair] of days.entries()) {
        service.clock.now = new Date(`${dayOf(at)}T12:00:00Z`);
        const statuses = await Promise.all(pair.map((each) => take(who, at, each, of)));
        expect(statuses.every((status) => [0, 200, 422].includes(status))).toBe(true);
        const rows = await readLedger(who);
        for (const [path, list] of [
          ['invoices', invoices],
          ['receipts', receipts],
        ] as const)
          for (const id of list) {
            const { payments, amountPaid } = (
              await who.graphql(
                `{ row: ${path.slice(0, -1)}(id: "${id}") { amountPaid payments(first: 50) { nodes { amount } } } }`,
              )
            ).row as { payments: { nodes: { amount: string }[] }; amountPaid: string };
            const sum = payments.nodes.reduce((all, { amount }) => all.plus(amount), new Decimal(0)).toFixed();
            expect(sum).toBe(amountPaid);
            expect(addUp(rows)[id] ?? '0').toBe(amountPaid);
          }
        const until = (await service.pool.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]!.now;
        asked.push({ until: until.toISOString(), sums: addUp(rows) });
        await new Promise((resolve) => setTimeout(resolve, 2)); // the log's times have milliseconds
      }
      for (const { until, sums } of asked)
        expect(addUp(await readLedger(who, `{ createdAt: { lte: "${until}" } }`))).toEqual(sums);
      await copy.follow(3);
      expect(copy.rows).toEqual(await readResources(who));
    }),
    { numRuns: 4, endOnFailure: true },
  );
});
