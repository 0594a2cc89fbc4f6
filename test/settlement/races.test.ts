import { expect, it } from 'vitest';
import { makeCreditNote } from '../graphql/books.ts';
import { onEachServer } from '../harness.ts';
import { until } from '../webhooks/receiver.ts';
import {
  acme,
  credit,
  invoice,
  issued,
  keepBooks,
  makeCredit,
  matchAnswer,
  pay,
  payments,
  service,
  transaction,
  undo,
  unmatch,
} from './books.ts';

// Of two requests at once, each finds what the other has written. Afterwards, the sums are those of the rows.

keepBooks();

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).toSorted();
const useCredit = (id: string, amount: number) => pay(id, { amount: 0, adjustments: [{ type: 'credit', amount }] });

it('of ten payments and refunds that use the same credit, as many succeed as it has', async () => {
  const customerId = await makeCredit();
  const invoices = await Promise.all(Array.from({ length: 7 }, () => issued({ customerId })));
  const answers = await Promise.all([
    ...invoices.map((id) => useCredit(id, 10)),
    ...Array.from({ length: 3 }, () =>
      acme.rest('POST', `/customers/${customerId}/credit-refunds`, { currency: 'EUR', amount: 10 }),
    ),
  ]);
  expect(statuses(answers)).toEqual([...Array(3).fill(200), ...Array(7).fill(422)]);
  expect(await credit(customerId)).toEqual([]);
});

it('two matches that use the same credit, with each invoice in both orders: one does', async () => {
  const customerId = await makeCredit();
  const [a, b] = [await issued({ customerId }), await issued({ customerId })];
  const part = (id: string) => ({ type: 'INVOICE', id, adjustments: [{ type: 'CREDIT', amount: '15' }], amount: '10' });
  const banks = [await transaction('20'), await transaction('20')] as const;
  const answers = await Promise.all([matchAnswer(banks[0], part(a), part(b)), matchAnswer(banks[1], part(b), part(a))]);
  expect(answers.filter(({ body }) => body.errors)).toHaveLength(1);
  expect(await credit(customerId)).toEqual([]);
  expect(await invoice(a)).toMatchObject({ amount_paid: 25 });
});

it('a bank transaction that is being matched can not be ignored', async () => {
  const [id, bank] = [await issued(), await transaction('119')];
  const holder = await service.pool.connect();
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const wait = (count: number) => until(async () => (await onEachServer(service, waiting)).length === count);
  try {
    await holder.query('begin');
    const locked = await holder.query('select from bank_transactions where tenant_id = $1 and id = $2 for update', [
      acme.tenantId,
      bank,
    ]);
    expect(locked.rowCount).toBe(1);
    const matching = matchAnswer(bank, { type: 'INVOICE', id });
    await wait(1);
    const ignoring = acme.graphqlAnswer('mutation ($id: UUID!) { ignoreBankTransaction(id: $id) { id } }', {
      id: bank,
    });
    await wait(2);
    await holder.query('commit');
    expect((await matching).body.errors).toBeUndefined();
    expect((await ignoring).body.errors).toMatchObject([{ extensions: { details: [{ code: 'wrong_state' }] } }]);
  } finally {
    holder.release(true);
  }
  const { matchStatus } = await acme.db.bankTransaction.findFirstOrThrow({ where: { id: bank } });
  expect(matchStatus).toBe('MATCHED');
});

it('an overpayment is undone, or its credit used', async () => {
  const customerId = await makeCredit();
  const [over] = await payments('kind=overpayment');
  const answers = await Promise.all([undo(over.id), useCredit(await issued({ customerId }), 30)]);
  expect(statuses(answers)).toEqual([200, 422]);
  expect(await credit(customerId)).toEqual([]);
});

it('a payment with a discount against a credit note: what is settled is at most the total', async () => {
  for (let round = 0; round < 4; round += 1) {
    const id = await issued();
    await Promise.all([
      pay(id, { amount: 50, adjustments: [{ type: 'cash_discount', amount: 60 }] }),
      makeCreditNote(acme, { invoiceId: id, amounts: [{ vatRate: '19', net: '60' }] }).catch(() => {}),
    ]);
    const { amount_credited, amount_adjusted, amount_paid, amount_due } = await invoice(id);
    expect(Math.round((amount_credited + amount_adjusted) * 100)).toBeLessThanOrEqual(11900);
    expect([110, 71.4]).toContain(amount_paid + amount_adjusted + amount_credited);
    expect(amount_due).toBe(Math.round((119 - amount_paid - amount_adjusted - amount_credited) * 100) / 100);
  }
});

it('a payment and its discount are undone at once, and by the match: each once', async () => {
  for (let round = 0; round < 4; round += 1) {
    const [id, bank] = [await issued(), await transaction('100')];
    const part = { type: 'INVOICE', id, adjustments: [{ type: 'CASH_DISCOUNT', amount: '19' }] };
    expect((await matchAnswer(bank, part)).body.errors).toBeUndefined();
    const [, discount] = await payments(`invoice_id=${id}`);
    const [answer] = await Promise.all([undo(discount.id), unmatch(bank), pay(id, { amount: 1 })]);
    expect([200, 422]).toContain(answer.status);
    expect(await payments(`invoice_id=${id}&reversed=true`)).toHaveLength(4);
    const { amount_paid, amount_adjusted } = await invoice(id);
    expect([0, 1]).toContain(amount_paid);
    expect(amount_adjusted).toBe(0);
  }
});

it('a refund is undone while the rest is paid: of an invoice with nothing due, none stays issued', async () => {
  const id = await issued();
  await pay(id, {});
  const note = await makeCreditNote(acme, { invoiceId: id, amounts: [{ vatRate: '19', net: '50' }] });
  expect((await acme.rest('POST', `/credit-notes/${note}/refunds`, {})).status).toBe(200);
  const [[paid], [refund]] = [await payments(`invoice_id=${id}`), await payments(`credit_note_id=${note}`)];
  await undo(paid.id);
  expect(await invoice(id)).toMatchObject({ status: 'issued', amount_due: 119 });

  const untilWaiting = async (count: number): Promise<void> => {
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await onEachServer(service, waiting)).length < count) await new Promise((next) => setTimeout(next, 10));
  };
  const holder = await service.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from invoices where tenant_id = $1 and id = $2 for update', [acme.tenantId, id]);
    const answers = [pay(id, { amount: 59.5 })];
    await untilWaiting(1);
    answers.push(undo(refund.id));
    await untilWaiting(2);
    await holder.query('rollback');
    expect(statuses(await Promise.all(answers))).toEqual([200, 200]);
  } finally {
    holder.release();
  }
  expect(await invoice(id)).toMatchObject({ status: 'paid', amount_paid: 59.5, amount_refunded: 0, amount_due: 0 });
});
