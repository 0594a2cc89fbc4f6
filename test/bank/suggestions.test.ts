import { describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { asIntegrator } from '../harness.ts';
import {
  readBooks,
  eventsDuring,
  item,
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makeReceipt,
  refusal,
} from '../graphql/books.ts';
import { importRecords } from '../record-import/records.ts';
import { camt, imported } from './statement.ts';
import {
  keepBooks,
  service,
  acme,
  mutation,
  invoicePart,
  receiptPart,
  creditNote,
  match,
  unmatch,
  invoice,
  receipt,
  issued,
  transaction,
  typesDuring,
  receive,
  readReasons,
  suggestions,
} from './matching.ts';

keepBooks();

describe('a transaction with an invoice’s number and exact amount is matched automatically', () => {
  it.each([
    ['2026-0001'],
    ['2026/0001'],
    ['2026 0001'],
    ['20260001'],
    ['2026 - 0001'],
    ['INV2026-0001.'],
    ['Rechnung Nr.2026-0001/Kunde 4711'],
    ['RF18 2026 0001'],
    ['RF1820260001'],
    ['Customer 1234 2026-0001'],
    ['of 01.03.2026 2026-0001, thanks'],
  ])('%s', async (reference) => {
    const id = await issued();
    expect(await receive({ amount: '119.00', reference })).toMatchObject({ matched: 1 });
    expect(await invoice(id)).toMatchObject({ number: '2026-0001', status: 'paid', amount_due: 0 });
  });

  it.each([['2026-00010'], ['12026-0001'], ['202-60001'], ['2026-0002'], ['2026'], ['0001']])(
    'but not %s',
    async (reference) => {
      const id = await issued();
      expect(await receive({ amount: '119.00', reference })).toMatchObject({ matched: 0 });
      expect(await invoice(id)).toMatchObject({ status: 'issued', amount_paid: 0 });
    },
  );

  it('in the same database transaction as the import, with payment and events', async () => {
    const id = await issued();
    let answer: unknown;
    const events = await eventsDuring(service, acme, async () => {
      answer = await receive({ amount: '119.00', reference: 'No. 2026-0001', date: '2026-03-07' });
    });
    const { id: transactionId } = answer as { id: string };
    expect(events.map(({ type }) => type)).toEqual([
      'bank_transaction.created',
      'bank_account.created',
      'invoice.payment_recorded',
      'invoice.paid',
      'payment.recorded',
      'bank_transaction.matched',
    ]);
    const row = (await acme.rest('GET', `/bank-transactions/${transactionId}`)).body.data;
    expect(row).toMatchObject({
      match_status: 'matched',
      amount_open: 0,
      matches: [{ type: 'invoice', id, amount: 119 }],
    });
    expect(events[0]!.body.data.bank_transaction).toMatchObject({
      match_status: 'unmatched',
      amount_open: 119,
      matches: [],
    });
    expect(events[2]!.body.data).toEqual({ invoice: await invoice(id) });
    expect(events[3]!.body.data).toEqual({ invoice: await invoice(id) });
    expect(events[5]!.body.data).toEqual({ bank_transaction: row });
    expect(await acme.db.payment.findMany()).toMatchObject([
      { invoiceId: id, bankTransactionId: transactionId, paidOn: new Date('2026-03-07') },
    ]);
    const { rows } = await service.pool.query(
      `select count(distinct xmin::text) as transactions from (
         select xmin from events where tenant_id = $1 and id = any($2) union all select xmin from payments where tenant_id = $1
         union all select xmin from bank_transactions where tenant_id = $1 union all select xmin from invoices where tenant_id = $1
       ) as written`,
      [acme.tenantId, events.map((event) => event.id)],
    );
    expect(rows).toEqual([{ transactions: '1' }]);
  });

  it('but not from a malformed file', async () => {
    const id = await issued();
    const before = await readBooks(service, acme);
    const file = camt([{ amount: '119.00', reference: '2026-0001' }]).slice(0, -20);
    await expect(imported(service, acme, file)).rejects.toThrow('VALIDATION_FAILED');
    expect(await readBooks(service, acme)).toEqual(before);
    expect((await invoice(id)).status).toBe('issued');
  });

  it('with the amount due of a part-paid invoice', async () => {
    const id = await issued();
    await match(await transaction('19.00'), invoicePart(id));
    expect(await receive({ amount: '119.00', reference: '2026-0001' })).toMatchObject({ matched: 0 });
    expect(await receive({ amount: '100.00', reference: '2026-0001' })).toMatchObject({ matched: 1 });
    expect((await invoice(id)).status).toBe('paid');
  });

  it('once: a second one for the same invoice stays open', async () => {
    const id = await issued();
    const twice = ['a', 'b'].map((mark) => ({ amount: '119.00', reference: `2026-0001 ${mark}` }));
    expect(await imported(service, acme, camt(twice))).toMatchObject({ imported: 2, matched: 1 });
    const rows = await acme.db.bankTransaction.findMany({ orderBy: { id: 'asc' } });
    expect(rows.map(({ matchStatus }) => matchStatus)).toEqual(['MATCHED', 'UNMATCHED']);
    expect(await invoice(id)).toMatchObject({ amount_paid: 119 });
  });

  it('also if many other invoices have the same amount due', async () => {
    const id = await issued();
    const { customerId } = await acme.db.invoice.findFirstOrThrow({ where: { id } });
    for (let count = 0; count < 55; count += 1) await issued({ customerId });
    expect(await receive({ amount: '119.00', reference: '2026-0001' })).toMatchObject({ matched: 1 });
    expect((await invoice(id)).status).toBe('paid');
  });

  it('never across currencies, to drafts, to cancelled invoices, or to another tenant’s', async () => {
    await issued({ currency: 'CHF' });
    await makeInvoice(acme);
    const cancelled = await issued();
    await acme.graphql('mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }', { id: cancelled });
    const globex = await service.integrator();
    for (let count = 0; count < 3; count += 1) await makeInvoice(globex, { status: 'ISSUED' });
    const { matched } = await imported(
      service,
      acme,
      camt(['1', '2', '3'].map((number) => ({ amount: '119.00', reference: `2026-000${number}` }))),
    );
    expect(matched).toBe(0);
    expect(await acme.db.payment.count()).toBe(0);
  });

  it('in bounded time for long references in many entries', async () => {
    const id = await makeReceipt(acme, { status: 'BOOKED', receiptNumber: 'RE-4711' });
    const words = (from: number) => Array.from({ length: 250 }, (_, at) => `word${from + at}`).join(' ');
    const entries = Array.from({ length: 400 }, (_, at) => ({
      amount: at % 2 === 0 ? '-1.00' : '1.00',
      reference: words(at * 250),
    }));
    const odd = ['-'.repeat(100_000), '1'.repeat(100_000), '1234 '.repeat(20_000)].map((reference) => `${reference}a`);
    const file = camt([
      ...entries,
      ...odd.map((reference) => ({ amount: '-1.00', reference })),
      {
        amount: '-119.00',
        reference: `RE-4711 ${words(0)}`,
      },
      ...odd.map((reference) => ({ amount: '1.00', reference })),
    ]);
    expect(await imported(service, acme, file)).toMatchObject({ imported: 407, matched: 1 });
    expect((await receipt(id)).status).toBe('paid');
  });

  it('but not if it names two invoices of exactly that amount', async () => {
    await issued();
    await issued();
    expect(await receive({ amount: '119.00', reference: '2026-0001 or 2026-0002' })).toMatchObject({ matched: 0 });
  });

  it.each([['RE-4711'], ['your no. re-4711, thanks'], ['(RE-4711)'], ['RE-4711.']])(
    'outgoing likewise with booked receipts: %s',
    async (reference) => {
      const id = await makeReceipt(acme, { status: 'BOOKED', receiptNumber: 'RE-4711' });
      let result;
      expect(await typesDuring(async () => (result = await receive({ amount: '-119.00', reference })))).toEqual([
        'bank_transaction.created',
        'bank_account.created',
        'receipt.payment_recorded',
        'receipt.paid',
        'payment.recorded',
        'bank_transaction.matched',
      ]);
      expect(result).toMatchObject({ matched: 1 });
      expect(await receipt(id)).toMatchObject({ status: 'paid' });
      const { data } = (await acme.rest('GET', '/bank-transactions')).body;
      expect(data).toMatchObject([{ amount_open: 0, matches: [{ type: 'receipt', id, amount: -119 }] }]);
    },
  );

  it('an outgoing one with what is left of a receipt after a cash discount, not with more', async () => {
    const id = await makeReceipt(acme, { status: 'BOOKED', receiptNumber: 'R-4711' });
    const body = { amount: 50, adjustments: [{ type: 'cash_discount', amount: 19 }] };
    expect((await acme.rest('POST', `/receipts/${id}/payments`, body)).body.data).toMatchObject({ amount_paid: 50 });
    const more = await receive({ amount: '-69.00', reference: 'R-4711' });
    expect(more).toMatchObject({ matched: 0 });
    expect(await suggestions(more.id)).toEqual([
      { type: 'RECEIPT', id, amount: '50', score: 60, reasons: ['The reference names receipt R-4711.'] },
    ]);
    expect(await receive({ amount: '-50.00', reference: 'R-4711' })).toMatchObject({ matched: 1 });
    expect(await receipt(id)).toMatchObject({ status: 'paid', amount_paid: 100, amount_adjusted: 19 });
  });

  it('never an incoming one to a receipt, nor an outgoing one to an invoice', async () => {
    await issued();
    await makeReceipt(acme, { status: 'BOOKED', receiptNumber: 'RE-4711' });
    expect(await receive({ amount: '-119.00', reference: '2026-0001' })).toMatchObject({ matched: 0 });
    expect(await receive({ amount: '119.00', reference: 'RE-4711' })).toMatchObject({ matched: 0 });
  });
});

describe('an invoice that came with a number of another system', () => {
  /** Imports open invoices of 119.00 with these numbers. @returns their ids */
  async function bring(...numbers: string[]): Promise<string[]> {
    await makeCustomer(acme);
    const lines = numbers.map((number) => `${number},Globex,2026-02-01,Advice,1,100,19`);
    const names = ['number', 'customer', 'invoiceDate', 'title', 'quantity', 'unitPriceNet', 'vatRate'];
    const csv = `${[names.join(), ...lines].join('\n')}\n`;
    const columns = Object.fromEntries([...names, 'externalId'].map((name) => [name, name]));
    const result = await importRecords(service, acme, 'Invoice', csv, {
      columns: { ...columns, externalId: 'number' },
    });
    expect(result).toMatchObject({ imported: numbers.length, errors: [] });
    const stored = await acme.db.invoice.findMany({ where: { number: { in: numbers } } });
    return numbers.map((each) => stored.find(({ number }) => number === each)!.id);
  }

  it.each([['RE-1001'], ['Invoice no. re-1001, thanks'], ['(RE-1001)'], ['RE-1001.']])(
    'is found by it, too: %s',
    async (reference) => {
      const [id = ''] = await bring('RE-1001', 'RE-1002', 'R/2026/7');
      expect(await receive({ amount: '119.00', reference })).toMatchObject({ matched: 1 });
      expect(await invoice(id)).toMatchObject({ status: 'paid' });
    },
  );

  it('with any signs within, or of digits only; and in suggestions', async () => {
    const [, slashed = '', digits = ''] = await bring('RE-1001', 'R/2026/7b', '100234');
    expect(await receive({ amount: '119.00', reference: 'R/2026/7b' })).toMatchObject({ matched: 1 });
    expect(await invoice(slashed)).toMatchObject({ status: 'paid' });
    const { id, matched } = await receive({ amount: '100.00', reference: 'on 100234' });
    expect(matched).toBe(0);
    expect(await suggestions(id)).toEqual([
      { type: 'INVOICE', id: digits, amount: '100', score: 60, reasons: ['The reference names invoice 100234.'] },
    ]);
  });

  it('but not if it names two of that amount, only a part of it, or what may be anything else', async () => {
    await bring('RE-1001', 'RE-1002', '17', '2026', 'Advice');
    for (const reference of ['RE-1001 RE-1002', 'RE-10012', 'RE', 'Rate 17', 'March 2026', 'Advice'])
      expect([reference, (await receive({ amount: '119.00', reference })).matched]).toEqual([reference, 0]);
  });
});

describe('other transactions have suggestions with a score and reasons', () => {
  it('by number, exact amount, name, and account of an earlier match, likeliest first', async () => {
    const iban = 'FR7630006000011234567890189';
    const globex = await makeCustomer(acme, { companyName: 'Globex GmbH' });
    const other = await makeCustomer(acme, { companyName: 'Initech' });
    const known = await makeCustomer(acme, { companyName: 'Umbrella' });
    const line = (price: string) => [{ ...item, unitPriceNet: price, vatRate: '0' }];
    const named = await issued({ customerId: other, items: line('70') }); // 2026-0001
    const exact = await issued({ customerId: other, items: line('50') });
    const called = await issued({ customerId: globex, items: line('80') });
    const earlier = await issued({ customerId: known, items: line('90') });
    const before = await issued({ customerId: known, items: line('1') });
    await issued({ customerId: other, items: line('60') }); // nothing speaks for it
    await match(await transaction('1.00', { counterpartyIban: iban }), invoicePart(before));

    const entry = { amount: '50.00', reference: 'for 2026-0001', name: 'GLOBEX GmbH', iban };
    const { matched, id } = await receive(entry);
    expect(matched).toBe(0);
    expect(await suggestions(id)).toEqual([
      { type: 'INVOICE', id: named, amount: '50', score: 60, reasons: ['The reference names invoice 2026-0001.'] },
      { type: 'INVOICE', id: exact, amount: '50', score: 30, reasons: ['The amount is exactly what is due.'] },
      {
        type: 'INVOICE',
        id: earlier,
        amount: '50',
        score: 20,
        reasons: ["Earlier transactions of this account were Umbrella's."],
      },
      {
        type: 'INVOICE',
        id: called,
        amount: '50',
        score: 15,
        reasons: ['The counterparty is called Globex GmbH, too.'],
      },
    ]);

    const none = { number: null, partnerName: null };
    expect(await readReasons(id)).toEqual([
      [{ code: 'NUMBER_NAMED', message: 'The reference names invoice 2026-0001.', ...none, number: '2026-0001' }],
      [{ code: 'EXACT_AMOUNT', message: 'The amount is exactly what is due.', ...none }],
      [
        {
          code: 'EARLIER_PARTNER',
          message: "Earlier transactions of this account were Umbrella's.",
          ...none,
          partnerName: 'Umbrella',
        },
      ],
      [
        {
          code: 'SAME_NAME',
          message: 'The counterparty is called Globex GmbH, too.',
          ...none,
          partnerName: 'Globex GmbH',
        },
      ],
    ]);

    const opened = await acme.graphql(
      'query ($id: UUID!) { bankTransaction(id: $id) { suggestions { invoice { number } receipt { id } } } }',
      { id },
    );
    expect(opened.bankTransaction.suggestions[0]).toEqual({ invoice: { number: '2026-0001' }, receipt: null });

    const all = await receive({ ...entry, reference: '2026-0002', name: 'initech' });
    expect(all.matched).toBe(1);
    // Taken back, it is what was matched that is suggested.
    await unmatch(all.id);
    expect((await suggestions(all.id))[0]).toEqual({
      type: 'INVOICE',
      id: exact,
      amount: '50',
      score: 100,
      reasons: [
        'The reference names invoice 2026-0002.',
        'The amount is exactly what is due.',
        'The counterparty is called Initech, too.',
      ],
    });
  });

  it('by the amount due of a part-paid invoice as an exact amount', async () => {
    const id = await issued();
    await match(await transaction('19.00'), invoicePart(id));
    expect(await suggestions(await transaction('100.00'))).toEqual([
      { type: 'INVOICE', id, amount: '100', score: 30, reasons: ['The amount is exactly what is due.'] },
    ]);
  });

  it('for outgoing ones too; a suggestion can be confirmed unchanged', async () => {
    const supplierId = await makeCustomer(acme, { type: 'SUPPLIER', companyName: 'Rent Ltd.' });
    const id = await makeReceipt(acme, { status: 'BOOKED', supplierId, receiptNumber: 'R9' });
    await makeReceipt(acme, { receiptNumber: 'R9' }); // a draft
    const { id: paying } = await receive({ amount: '-50.00199', reference: 'r9', name: 'Rent Ltd' });
    const [best, ...others] = await suggestions(paying);
    expect(best).toEqual({
      type: 'RECEIPT',
      id,
      amount: '50',
      score: 75,
      reasons: ['The reference names receipt R9.', 'The counterparty is called Rent Ltd., too.'],
    });
    expect(others).toEqual([]);
    expect(await match(paying, receiptPart(id, best!.amount))).toMatchObject({ amountOpen: '-0.00199' });
    // Less than a cent pays nothing.
    expect(await suggestions(paying)).toEqual([]);
  });

  it('of credit notes that are to be refunded, for money sent', async () => {
    const customerId = await makeCustomer(acme, { companyName: 'Globex' });
    const invoiceId = await makeInvoice(acme, { customerId, status: 'PAID' });
    const id = await makeCreditNote(acme, { invoiceId });
    await makeCreditNote(acme, { invoiceId: await issued({ customerId }) }); // never paid
    const named = { amount: '-100.00', reference: 'Erstattung CN 2026/0001', name: 'Globex' };
    const { matched, id: paying } = await receive(named);
    expect(matched).toBe(0); // another amount
    const { number } = await creditNote(id);
    expect(await suggestions(paying)).toEqual([
      {
        type: 'CREDIT_NOTE',
        id,
        amount: '100',
        score: 75,
        reasons: [`The reference names credit note ${number}.`, 'The counterparty is called Globex, too.'],
      },
    ]);
    expect(await receive({ amount: '-119.00', reference: `Refund ${number}` })).toMatchObject({ matched: 1 });
    expect(await creditNote(id)).toMatchObject({ amount_refunded: 119, amount_due: 0 });
    expect(await suggestions(paying)).toEqual([]);
  });

  it('unless they are matched or ignored', async () => {
    const id = await transaction('119.00');
    const paid = await issued();
    await issued();
    expect(await suggestions(id)).toHaveLength(2);
    await acme.graphql(mutation.ignore, { id });
    expect(await suggestions(id)).toEqual([]);
    await acme.graphql(mutation.unignore, { id });
    await match(id, invoicePart(paid));
    expect(await suggestions(id)).toEqual([]);
  });

  it('of the resources that the token can read', async () => {
    const incoming = await transaction('119.00');
    const outgoing = await transaction('-119.00');
    await issued();
    await makeReceipt(acme, { status: 'BOOKED' });
    for (const [resource, seen, hidden] of [
      ['invoices', incoming, outgoing],
      ['receipts', outgoing, incoming],
    ] as const) {
      const abilities = ['bank-transactions:read', `${resource}:read`];
      const { token, id: tokenId } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
      const reader = asIntegrator(service, { ...acme, token, tokenId });
      const query = 'query ($id: UUID!) { bankTransaction(id: $id) { suggestions { id } } }';
      expect((await reader.graphql(query, { id: seen })).bankTransaction.suggestions).toHaveLength(1);
      expect(refusal(await reader.graphqlAnswer(query, { id: hidden })).code).toBe('FORBIDDEN');
    }
  });
});
