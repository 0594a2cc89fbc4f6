import { describe, expect, it } from 'vitest';
import { observeStatements } from '../../prisma/connection/connection.ts';
import { withoutTriggers } from '../harness.ts';
import { eventsDuring, makeCreditNote, makeCustomer, makeReceipt, refusal } from '../graphql/books.ts';
import {
  acme,
  expectInvariants,
  invoice,
  invoicePart,
  issued,
  keepBooks,
  match,
  receipt,
  service,
  transaction,
} from './matching.ts';

keepBooks();

interface Exact {
  transaction: { id: string };
  suggestion: { id: string; amount: string; isExact: boolean };
}

const exactMatches = async (): Promise<[transaction: string, pays: string][]> => {
  const query = '{ exactMatches { transaction { id } suggestion { id amount isExact } } }';
  const found: Exact[] = (await acme.graphql(query)).exactMatches;
  expect(found.every(({ suggestion }) => suggestion.isExact)).toBe(true);
  return found.map(({ transaction: { id }, suggestion }) => [id, suggestion.id]);
};

const confirmation = `mutation ($matches: [ExactMatchInput!]!) { confirmExactMatches(matches: $matches) { id matchStatus } }`;
const confirm = async (matches: [string, string][]) =>
  (
    await acme.graphql(confirmation, {
      matches: matches.map(([transactionId, id]) => ({ transactionId, id })),
    })
  ).confirmExactMatches;
const matched = (...ids: string[]) => ids.toSorted().map((id) => ({ id, matchStatus: 'MATCHED' }));

/** Money of Globex: a second reason for what Globex owes. */
const globex = { counterpartyName: 'Globex' };
/** An invoice of 100 × 1.19 × `quantity`. */
const worth = (quantity: string, customerId: string) =>
  issued({ customerId, items: [{ title: 'Advice', quantity, unitPriceNet: '100', vatRate: '19' }] });

describe('a suggestion is exact', () => {
  it('if nothing else has exactly the amount due and another reason', async () => {
    const customerId = await makeCustomer(acme);
    const [one, two] = [await worth('1', customerId), await worth('2', customerId)];
    await worth('1', await makeCustomer(acme, { companyName: 'Initech' })); // the amount only
    const byName = await transaction('119', globex);
    const byNumber = await transaction('238', { reference: (await invoice(two)).number });
    await transaction('238'); // no second reason
    await transaction('100', globex); // another amount
    expect(await exactMatches()).toEqual([
      [byName, one],
      [byNumber, two],
    ]);
  });

  it('unless two are', async () => {
    const customerId = await makeCustomer(acme);
    const [one, two] = [await worth('1', customerId), await worth('1', customerId)];
    const id = await transaction('119', globex);
    expect(await exactMatches()).toEqual([]);
    await match(await transaction('119'), invoicePart(one));
    expect(await exactMatches()).toEqual([[id, two]]);
  });

  it('if the reference names numbers, only of these', async () => {
    const customerId = await makeCustomer(acme);
    const [one, two] = [await worth('1', customerId), await worth('2', customerId)];
    const [named, other] = [(await invoice(one)).number, (await invoice(two)).number];
    await worth('1', customerId);
    const id = await transaction('119', { ...globex, reference: named });
    await transaction('119', { ...globex, reference: other });
    expect(await exactMatches()).toEqual([[id, one]]);
  });

  it('of receipts and credit notes for money sent', async () => {
    const supplierId = await makeCustomer(acme, { type: 'SUPPLIER', companyName: 'Rent Ltd.' });
    const receiptId = await makeReceipt(acme, { status: 'BOOKED', supplierId, amountGross: '50' });
    const note = await makeCreditNote(acme);
    const rent = await transaction('-50', { counterpartyName: 'Rent Ltd' });
    const refund = await transaction('-119', globex);
    const expected: [string, string][] = [
      [rent, receiptId],
      [refund, note],
    ];
    expect(await exactMatches()).toEqual(expected);
    expect(await confirm(expected)).toEqual(matched(rent, refund));
  });

  it('of what is left of a receipt that is partly settled without money', async () => {
    const supplierId = await makeCustomer(acme, { type: 'SUPPLIER', companyName: 'Rent Ltd.' });
    const receiptId = await makeReceipt(acme, {
      status: 'BOOKED',
      supplierId,
      amountGross: '119',
      amountPrepaid: '10',
    });
    const body = { amount: 40, adjustments: [{ type: 'cash_discount', amount: 19 }] };
    expect((await acme.rest('POST', `/receipts/${receiptId}/payments`, body)).status).toBe(200);
    await transaction('-69', { counterpartyName: 'Rent Ltd' }); // without the discount
    const rent = await transaction('-50', { counterpartyName: 'Rent Ltd' });
    expect(await exactMatches()).toEqual([[rent, receiptId]]);
    expect(await confirm([[rent, receiptId]])).toEqual(matched(rent));
    expect(await receipt(receiptId)).toMatchObject({ status: 'paid', amount_paid: 90, amount_adjusted: 19 });
  });

  it('of what is left of a supplier’s credit', async () => {
    const supplierId = await makeCustomer(acme, { type: 'SUPPLIER', companyName: 'Rent Ltd.' });
    const bought = { supplierId, status: 'BOOKED' };
    const creditedReceiptId = await makeReceipt(acme, { ...bought, amountGross: '119' });
    const credit = await makeReceipt(acme, { ...bought, creditedReceiptId, amountGross: '-70' });
    expect((await acme.rest('POST', `/receipts/${credit}/payments`, { amount: 20 })).status).toBe(200);
    await transaction('70', { counterpartyName: 'Rent Ltd' });
    const back = await transaction('50', { counterpartyName: 'Rent Ltd' });
    expect(await exactMatches()).toEqual([[back, credit]]);
  });
});

it('the first of them are found without looking for all', async () => {
  const customerId = await makeCustomer(acme);
  for (const quantity of ['1', '2', '3', '4', '5', '6', '7', '8', '9']) {
    await worth(quantity, customerId);
    await transaction(String(119 * Number(quantity)), { ...globex, bookingDate: new Date(`2026-03-0${quantity}`) });
  }
  const query = 'query ($first: Int) { exactMatches(first: $first) { transaction { id } } }';
  const find = async (first: number | null) => {
    let statements = 0;
    const stop = observeStatements(() => void (statements += 1));
    const { exactMatches: found } = await acme.graphql(query, { first });
    stop();
    return { found, statements };
  };
  const all = await find(null);
  expect(all.found).toHaveLength(9);
  for (const first of [1, 2, 4, 5, 40]) expect((await find(first)).found).toEqual(all.found.slice(0, first));
  expect((await find(1)).statements).toBeLessThan(all.statements / 2);
  for (const first of [0, 41])
    expect(refusal(await acme.graphqlAnswer(query, { first })).errors).toEqual({
      first: ['Must be from 1 to 40.'],
    });
});

it('rows whose amount is due, but for no other reason, keep no later one from being found, and are not looked at', async () => {
  const customerId = await makeCustomer(acme);
  const id = await worth('1', customerId);
  const addRows = async (count: number) => {
    for (let at = 0; at < count; at += 1) await transaction('119');
  };
  const find = async () => {
    let statements = 0;
    const stop = observeStatements(() => void (statements += 1));
    const found = await exactMatches();
    stop();
    return { found, statements };
  };
  await addRows(45);
  const bank = await transaction('119', { ...globex, bookingDate: new Date('2026-03-09') });
  expect((await find()).found).toEqual([[bank, id]]);
  await addRows(160);
  const { statements } = await find();
  await addRows(30);
  expect((await find()).statements).toBe(statements);
  expect(await confirm([[bank, id]])).toEqual(matched(bank));
});

it('is found after hundreds that nobody can match, whatever else they say', async () => {
  const customerId = await makeCustomer(acme);
  const id = await worth('1', customerId);
  const unmatchable = {
    accountIban: 'DE02120300000000202051',
    bookingDate: new Date('2026-03-01'),
    amount: '119',
    amountOpen: '119',
    currency: 'EUR',
    counterpartyName: 'Initech',
    reference: '2026-0999',
  };
  await acme.db.bankTransaction.createMany({ data: Array.from({ length: 600 }, () => unmatchable) });
  const { number } = await invoice(id);
  const bank = await transaction('119', { reference: number, bookingDate: new Date('2026-03-09') });
  expect(await exactMatches()).toEqual([[bank, id]]);
});

it('are found in large books that PostgreSQL doesn’t know, in the time of a statement', async () => {
  const customerId = await makeCustomer(acme);
  await withoutTriggers(service, async (client) => {
    for (const table of ['invoices', 'bank_transactions'])
      await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
    await client.query(
      `insert into invoices (tenant_id, id, customer_id, status, number, invoice_date, due_date, currency, total_net, total_vat,
         total_gross, issued_at, updated_at)
       select $1, gen_random_uuid(), $2, 'issued', 'N-' || n, '2026-01-01', '2026-12-01', 'EUR', 100 + n, 19, 119 + n, now(), now()
       from generate_series(1, 15000) as n`,
      [acme.tenantId, customerId],
    );
    await client.query(
      `insert into bank_transactions (tenant_id, id, identity, account_iban, booking_date, amount, amount_open, currency,
         counterparty_name, updated_at)
       select $1, gen_random_uuid(), n, 'DE02120300000000202051', '2026-03-01', 119 + n, 119 + n, 'EUR', 'Initech', now()
       from generate_series(1, 15000) as n`,
      [acme.tenantId],
    );
  });
  const id = await worth('1', customerId);
  const bank = await transaction('119', { ...globex, bookingDate: new Date('2026-02-09') });
  expect(await exactMatches()).toEqual([[bank, id]]);
});

describe('exact matches are confirmed together', () => {
  it('of two transactions that would pay the same, the first', async () => {
    const id = await worth('1', await makeCustomer(acme));
    const second = await transaction('119', { ...globex, bookingDate: new Date('2026-03-03') });
    const first = await transaction('119', globex);
    expect(await exactMatches()).toEqual([[first, id]]);
    expect(await confirm([[first, id], [second, id]])).toHaveLength(1); // prettier-ignore
    expect(await invoice(id)).toMatchObject({ status: 'paid', amount_paid: 119 });
    await expectInvariants();
  });

  it('and what has changed meanwhile is left out', async () => {
    const customerId = await makeCustomer(acme);
    const ids: string[] = [];
    const seen: [string, string][] = [];
    for (const quantity of ['1', '2', '3', '4', '5']) {
      const id = await worth(quantity, customerId);
      ids.push(id);
      seen.push([await transaction(String(119 * Number(quantity)), globex), id]);
    }
    expect(await exactMatches()).toEqual(seen);
    const [paid = '', ambiguous = '', ignored = ''] = ids;
    await match(await transaction('19'), invoicePart(paid));
    await worth('2', customerId);
    await acme.graphql('mutation ($id: UUID!) { ignoreBankTransaction(id: $id) { id } }', { id: seen[2]?.[0] });
    const events = await eventsDuring(service, acme, async () => {
      expect(await confirm([...seen, ['019c0000-0000-7000-8000-000000000000', paid]])).toEqual(
        matched(seen[3]![0], seen[4]![0]),
      );
    });
    expect(events.filter(({ type }) => type === 'bank_transaction.matched')).toHaveLength(2);
    for (const id of [paid, ambiguous, ignored]) expect((await invoice(id)).status).toBe('issued');
    await expectInvariants();
  });

  it('with what was seen, not with what is exact now', async () => {
    const customerId = await makeCustomer(acme);
    const id = await transaction('119', globex);
    const [old, now] = [await worth('1', customerId), await worth('1', customerId)];
    await match(await transaction('119'), invoicePart(old));
    expect(await exactMatches()).toEqual([[id, now]]);
    expect(await confirm([[id, old]])).toEqual([]);
    expect((await invoice(now)).status).toBe('issued');
  });

  it('not on a day that is locked', async () => {
    const id = await worth('1', await makeCustomer(acme));
    const bank = await transaction('119', globex);
    await acme.graphql(
      'mutation { setPeriodLock(input: { series: BANK, kind: SOFT, lockedUntil: "2026-03-02" }) { series } }',
    );
    expect(await exactMatches()).toEqual([]);
    expect(await confirm([[bank, id]])).toEqual([]);
  });

  it('late rows of a locked period keep none of an open day from being found', async () => {
    const customerId = await makeCustomer(acme);
    const id = await worth('1', customerId);
    for (let at = 0; at < 41; at += 1) await transaction('119', { bookingDate: new Date('2026-02-10') });
    await acme.graphql(
      'mutation { setPeriodLock(input: { series: ALL, kind: FINAL, lockedUntil: "2026-02-28" }) { series } }',
    );
    const bank = await transaction('119', { ...globex, bookingDate: new Date('2026-03-02') });
    expect(await exactMatches()).toEqual([[bank, id]]);
    expect(await confirm([[bank, id]])).toEqual(matched(bank));
  });

  it('at most forty, each once', async () => {
    const [transactionId, id] = ['019c0000-0000-7000-8000-000000000000', '019c0000-0000-7000-8000-000000000001'];
    const refused = async (count: number): Promise<string[]> => {
      const matches = Array.from({ length: count }, () => ({ transactionId, id }));
      const { details } = refusal(await acme.graphqlAnswer(confirmation, { matches })).extensions;
      return details.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);
    };
    expect(await refused(0)).toContain('matches wrong_count');
    expect(await refused(41)).toContain('matches wrong_count');
    expect(await refused(2)).toEqual(['matches duplicate']);
  });
});
