import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { asIntegrator, startService, type Answer, type Integrator, type Service } from '../harness.ts';
import {
  booksOf,
  eventsDuring,
  eventsOf,
  item,
  makeBankTransaction,
  makeCustomer,
  makeInvoice,
  makeReceipt,
  refusal,
} from '../graphql/books.ts';
import { camt, imported, type Entry } from './statement.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  acme = await service.integrator();
});
afterAll(() => service.close());

const fields = 'id matchStatus amount amountOpen matches { type id amount }';
const mutation = {
  match: `mutation ($id: UUID!, $matches: [MatchInput!]!) { row: matchBankTransaction(id: $id, matches: $matches) { ${fields} } }`,
  unmatch: `mutation ($id: UUID!, $matched: UUID) { row: unmatchBankTransaction(id: $id, matched: $matched) { ${fields} } }`,
  ignore: `mutation ($id: UUID!) { row: ignoreBankTransaction(id: $id) { ${fields} } }`,
  unignore: `mutation ($id: UUID!) { row: unignoreBankTransaction(id: $id) { ${fields} } }`,
};
interface Part {
  type: 'INVOICE' | 'RECEIPT';
  id: string;
  amount?: string;
}
const invoicePart = (id: string, amount?: string): Part => ({ type: 'INVOICE', id, ...(amount && { amount }) });
const receiptPart = (id: string, amount?: string): Part => ({ type: 'RECEIPT', id, ...(amount && { amount }) });
const match = async (id: string, ...matches: Part[]) => (await acme.graphql(mutation.match, { id, matches })).row;
const unmatch = async (id: string, matched?: string) => (await acme.graphql(mutation.unmatch, { id, matched })).row;
const invoice = async (id: string) => (await acme.rest('GET', `/invoices/${id}`)).body.data;
const receipt = async (id: string) => (await acme.rest('GET', `/receipts/${id}`)).body.data;
const issued = (more: object = {}) => makeInvoice(acme, { status: 'ISSUED', ...more });
const transaction = (amount: string, more: object = {}) =>
  makeBankTransaction(acme, { amount, amountOpen: amount, ...more });
const typesDuring = async (work: () => Promise<unknown>) =>
  (await eventsDuring(service, acme, work)).map(({ type }) => type);

/** Imports one entry. */
async function receive(entry: Entry): Promise<{ matched: number; id: string }> {
  const { matched } = await imported(service, acme, camt([entry]));
  const { data } = (await acme.rest('GET', '/bank-transactions?per_page=1')).body;
  return { matched, id: data[0].id };
}
interface Suggestion {
  type: string;
  id: string;
  amount: string;
  score: number;
  reasons: string[];
}
const suggestions = async (id: string): Promise<Suggestion[]> =>
  (
    await acme.graphql(
      'query ($id: UUID!) { bankTransaction(id: $id) { suggestions { type id amount score reasons } } }',
      { id },
    )
  ).bankTransaction.suggestions;

describe('certain (number and exact amount): matched by itself', () => {
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

  it('the match, the payment and their events are the import’s own transaction', async () => {
    const id = await issued();
    let answer: unknown;
    const events = await eventsDuring(service, acme, async () => {
      answer = await receive({ amount: '119.00', reference: 'No. 2026-0001', date: '2026-03-07' });
    });
    const { id: transactionId } = answer as { id: string };
    expect(events.map(({ type }) => type)).toEqual([
      'bank_transaction.created',
      'invoice.paid',
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
    expect(events[1]!.body.data).toEqual({ invoice: await invoice(id) });
    expect(events[2]!.body.data).toEqual({ bank_transaction: row });
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

  it('a broken file matches nothing, though its first entries could', async () => {
    const id = await issued();
    const before = await booksOf(service, acme);
    const file = camt([{ amount: '119.00', reference: '2026-0001' }]).slice(0, -20);
    await expect(imported(service, acme, file)).rejects.toThrow('VALIDATION_FAILED');
    expect(await booksOf(service, acme)).toEqual(before);
    expect((await invoice(id)).status).toBe('issued');
  });

  it('the rest of a part-paid invoice is what is due', async () => {
    const id = await issued();
    await match(await transaction('19.00'), invoicePart(id));
    expect(await receive({ amount: '119.00', reference: '2026-0001' })).toMatchObject({ matched: 0 });
    expect(await receive({ amount: '100.00', reference: '2026-0001' })).toMatchObject({ matched: 1 });
    expect((await invoice(id)).status).toBe('paid');
  });

  it('the first of two that pay the same invoice; the second is open', async () => {
    const id = await issued();
    const twice = ['a', 'b'].map((mark) => ({ amount: '119.00', reference: `2026-0001 ${mark}` }));
    expect(await imported(service, acme, camt(twice))).toMatchObject({ imported: 2, matched: 1 });
    const rows = await acme.db.bankTransaction.findMany({ orderBy: { id: 'asc' } });
    expect(rows.map(({ matchStatus }) => matchStatus)).toEqual(['MATCHED', 'UNMATCHED']);
    expect(await invoice(id)).toMatchObject({ amount_paid: 119 });
  });

  it('though more invoices than are suggested are due over the same amount', async () => {
    const id = await issued();
    const { customerId } = await acme.db.invoice.findFirstOrThrow({ where: { id } });
    for (let count = 0; count < 55; count += 1) await issued({ customerId });
    expect(await receive({ amount: '119.00', reference: '2026-0001' })).toMatchObject({ matched: 1 });
    expect((await invoice(id)).status).toBe('paid');
  });

  it('never across currencies, nor drafts, nor cancelled, nor another tenant’s', async () => {
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

  it('however much a reference says, and in however many of them', async () => {
    const id = await makeReceipt(acme, { status: 'BOOKED', receiptNumber: 'RE-4711' });
    const words = (from: number) => Array.from({ length: 250 }, (_, at) => `word${from + at}`).join(' ');
    const entries = Array.from({ length: 200 }, (_, at) => ({ amount: '-1.00', reference: words(at * 250) }));
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
    expect(await imported(service, acme, file)).toMatchObject({ imported: 207, matched: 1 });
    expect((await receipt(id)).status).toBe('paid');
  });

  it('two invoices that are named, each of them exactly: not certain', async () => {
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
        'receipt.paid',
        'bank_transaction.matched',
      ]);
      expect(result).toMatchObject({ matched: 1 });
      expect(await receipt(id)).toMatchObject({ status: 'paid' });
      const { data } = (await acme.rest('GET', '/bank-transactions')).body;
      expect(data).toMatchObject([{ amount_open: 0, matches: [{ type: 'receipt', id, amount: -119 }] }]);
    },
  );

  it('money received pays no receipt, money sent no invoice', async () => {
    await issued();
    await makeReceipt(acme, { status: 'BOOKED', receiptNumber: 'RE-4711' });
    expect(await receive({ amount: '-119.00', reference: '2026-0001' })).toMatchObject({ matched: 0 });
    expect(await receive({ amount: '119.00', reference: 'RE-4711' })).toMatchObject({ matched: 0 });
  });
});

describe('otherwise suggestions with a score and the reasons in words', () => {
  it('number, exact amount, name and the account of an earlier match; likeliest first', async () => {
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

  it('what is due of a part-paid invoice is an exact amount, too', async () => {
    const id = await issued();
    await match(await transaction('19.00'), invoicePart(id));
    expect(await suggestions(await transaction('100.00'))).toEqual([
      { type: 'INVOICE', id, amount: '100', score: 30, reasons: ['The amount is exactly what is due.'] },
    ]);
  });

  it('outgoing likewise, and what is suggested can be confirmed as it stands', async () => {
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

  it('none for what is matched or ignored', async () => {
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

  it('a token sees those whose resource it may read', async () => {
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

describe('matchBankTransaction', () => {
  it('one transaction to several invoices, as much as is open and due', async () => {
    const [a, b, c] = [await issued(), await issued(), await issued()];
    const id = await transaction('250.00');
    const events = await typesDuring(async () => {
      expect(await match(id, invoicePart(a), invoicePart(b, '30.5'), invoicePart(c))).toEqual({
        id,
        matchStatus: 'MATCHED',
        amount: '250',
        amountOpen: '0',
        matches: [
          { type: 'INVOICE', id: a, amount: '119' },
          { type: 'INVOICE', id: b, amount: '30.5' },
          { type: 'INVOICE', id: c, amount: '100.5' },
        ],
      });
    });
    expect(events).toEqual(['invoice.paid', 'bank_transaction.matched']);
    expect(await invoice(a)).toMatchObject({ status: 'paid', amount_due: 0 });
    expect(await invoice(b)).toMatchObject({ status: 'issued', amount_paid: 30.5, amount_due: 88.5 });
    expect(await invoice(c)).toMatchObject({ status: 'issued', amount_paid: 100.5, amount_due: 18.5 });
    expect((await acme.rest('GET', `/bank-transactions/${id}`)).body.data.match_status).toBe('matched');
  });

  it('several transactions to one invoice; what is left is open, and signed', async () => {
    const id = await issued();
    const [first, second] = [await transaction('100.00'), await transaction('100.00')];
    expect(await match(first, invoicePart(id))).toMatchObject({ matchStatus: 'MATCHED', amountOpen: '0' });
    expect(await match(second, invoicePart(id))).toMatchObject({
      matchStatus: 'PARTIALLY_MATCHED',
      amountOpen: '81',
      matches: [{ amount: '19' }],
    });
    expect((await invoice(id)).status).toBe('paid');
    const booked = await makeReceipt(acme, { status: 'BOOKED' });
    const outgoing = await transaction('-200.00');
    expect(await match(outgoing, receiptPart(booked))).toEqual({
      id: outgoing,
      matchStatus: 'PARTIALLY_MATCHED',
      amount: '-200',
      amountOpen: '-81',
      matches: [{ type: 'RECEIPT', id: booked, amount: '-119' }],
    });
    expect((await receipt(booked)).status).toBe('paid');
    // The rest can be matched later.
    const more = await makeReceipt(acme, { status: 'BOOKED' });
    expect(await match(outgoing, receiptPart(more))).toMatchObject({ matchStatus: 'MATCHED', amountOpen: '0' });
  });

  it('a bank’s five decimals: the currency’s are matched, the rest stays open', async () => {
    const id = await issued();
    const odd = await transaction('100.12345');
    expect(await match(odd, invoicePart(id))).toMatchObject({
      matchStatus: 'PARTIALLY_MATCHED',
      amountOpen: '0.00345',
      matches: [{ amount: '100.12' }],
    });
    expect(await invoice(id)).toMatchObject({ amount_paid: 100.12, amount_due: 18.88 });
    expect(refusal(await acme.graphqlAnswer(mutation.match, { id: odd, matches: [invoicePart(id)] })).errors).toEqual({
      'matches.0.amount': ['Must be more than zero.'],
    });
    expect(await unmatch(odd)).toMatchObject({ matchStatus: 'UNMATCHED', amountOpen: '100.12345', matches: [] });
    const yen = await issued({ currency: 'JPY', items: [{ ...item, unitPriceNet: '1000' }] });
    expect(await match(await transaction('500.75', { currency: 'JPY' }), invoicePart(yen))).toMatchObject({
      amountOpen: '0.75',
    });
  });

  describe('what is refused changes nothing, and names the input', () => {
    type Case = [string, () => Promise<[string, Part[]]>, string, RegExp];
    const cases: Case[] = [
      [
        'more than is open',
        async () => [await transaction('50.00'), [invoicePart(await issued(), '50.01')]],
        'matches.0.amount',
        /50 EUR open/,
      ],
      [
        'more than is due',
        async () => [await transaction('500.00'), [invoicePart(await issued(), '119.01')]],
        'matches.0.amount',
        /119 EUR due/,
      ],
      [
        'more than is open, together',
        async () => [
          await transaction('150.00'),
          [invoicePart(await issued(), '100'), invoicePart(await issued(), '51')],
        ],
        'matches.1.amount',
        /50 EUR open/,
      ],
      [
        'nothing left for the second',
        async () => [await transaction('119.00'), [invoicePart(await issued()), invoicePart(await issued())]],
        'matches.1.amount',
        /more than zero/,
      ],
      [
        'zero',
        async () => [await transaction('50.00'), [invoicePart(await issued(), '0')]],
        'matches.0.amount',
        /more than zero/,
      ],
      [
        'less than zero',
        async () => [await transaction('50.00'), [invoicePart(await issued(), '-1')]],
        'matches.0.amount',
        /more than zero/,
      ],
      [
        'decimals beyond the currency’s',
        async () => [await transaction('50.00'), [invoicePart(await issued(), '1.005')]],
        'matches.0.amount',
        /2 decimals/,
      ],
      [
        'another currency',
        async () => [await transaction('50.00'), [invoicePart(await issued({ currency: 'CHF' }))]],
        'matches.0.id',
        /in CHF, the transaction in EUR/,
      ],
      [
        'a receipt with money received',
        async () => [await transaction('50.00'), [receiptPart(await makeReceipt(acme, { status: 'BOOKED' }))]],
        'matches.0.type',
        /sent pays receipts/,
      ],
      [
        'an invoice with money sent',
        async () => [await transaction('-50.00'), [invoicePart(await issued())]],
        'matches.0.type',
        /received pays invoices/,
      ],
      [
        'a draft',
        async () => [await transaction('50.00'), [invoicePart(await makeInvoice(acme))]],
        'matches.0.id',
        /Only an issued/,
      ],
      [
        'a draft receipt',
        async () => [await transaction('-50.00'), [receiptPart(await makeReceipt(acme))]],
        'matches.0.id',
        /Only a booked/,
      ],
      [
        'a cancelled invoice',
        async () => {
          const id = await issued();
          await acme.graphql('mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }', { id });
          return [await transaction('50.00'), [invoicePart(id)]];
        },
        'matches.0.id',
        /Only an issued/,
      ],
      [
        'a paid invoice',
        async () => [await transaction('50.00'), [invoicePart(await makeInvoice(acme, { status: 'PAID' }))]],
        'matches.0.id',
        /Only an issued/,
      ],
      [
        'an invoice as a receipt',
        async () => [await transaction('-50.00'), [receiptPart(await issued())]],
        'matches.0.id',
        /no such receipt/,
      ],
      [
        'another tenant’s invoice',
        async () => [
          await transaction('50.00'),
          [invoicePart(await makeInvoice(await service.integrator(), { status: 'ISSUED' }))],
        ],
        'matches.0.id',
        /no such invoice/,
      ],
      [
        'an ignored transaction',
        async () => [await transaction('50.00', { matchStatus: 'IGNORED' }), [invoicePart(await issued())]],
        'matchStatus',
        /something is open/,
      ],
      [
        'a matched transaction',
        async () => [
          await transaction('50.00', { matchStatus: 'MATCHED', amountOpen: 0 }),
          [invoicePart(await issued())],
        ],
        'matchStatus',
        /something is open/,
      ],
      ['nothing', async () => [await transaction('50.00'), []], 'matches', /at least one/],
      [
        'one twice',
        async () => {
          const id = await issued();
          return [await transaction('50.00'), [invoicePart(id, '1'), invoicePart(id.toUpperCase(), '1')]];
        },
        'matches',
        /only once/,
      ],
    ];
    it.each(cases)('%s', async (_what, arrange, path, message) => {
      const [id, matches] = await arrange();
      const before = await booksOf(service, acme);
      expect(refusal(await acme.graphqlAnswer(mutation.match, { id, matches }))).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: { [path]: [expect.stringMatching(message)] },
      });
      expect(await booksOf(service, acme)).toEqual(before);
    });

    it('another tenant’s transaction is not found', async () => {
      const globex = await service.integrator();
      const id = await makeBankTransaction(globex);
      const before = await booksOf(service, globex);
      const matches = [invoicePart(await issued())];
      for (const [document, variables] of [
        [mutation.match, { id, matches }],
        [mutation.unmatch, { id }],
        [mutation.ignore, { id }],
        [mutation.unignore, { id }],
      ] as const) {
        expect(refusal(await acme.graphqlAnswer(document, variables)).code).toBe('NOT_FOUND');
      }
      expect(await booksOf(service, globex)).toEqual(before);
    });
  });
});

describe('unmatchBankTransaction', () => {
  it('all: what was paid is due again, and the transaction is unmatched', async () => {
    const [a, b] = [await issued(), await issued()];
    const id = await transaction('200.00');
    await match(id, invoicePart(a), invoicePart(b));
    let row;
    const events = await eventsDuring(service, acme, async () => (row = await unmatch(id)));
    expect(row).toEqual({ id, matchStatus: 'UNMATCHED', amount: '200', amountOpen: '200', matches: [] });
    expect(events.map(({ type }) => type)).toEqual([
      'invoice.payment_reverted',
      'invoice.payment_reverted',
      'bank_transaction.unmatched',
    ]);
    expect(events[0]!.body.data).toEqual({ invoice: await invoice(a) });
    expect(events[2]!.body.data).toEqual({
      bank_transaction: (await acme.rest('GET', `/bank-transactions/${id}`)).body.data,
    });
    for (const each of [a, b])
      expect(await invoice(each)).toMatchObject({ status: 'issued', amount_paid: 0, amount_due: 119, paid_at: null });
    expect(await acme.db.payment.count()).toBe(0);
  });

  it('one of several; the others stay', async () => {
    const [a, b] = [await issued(), await issued()];
    const id = await transaction('238.00');
    await match(id, invoicePart(a), invoicePart(b));
    expect(await unmatch(id, a)).toEqual({
      id,
      matchStatus: 'PARTIALLY_MATCHED',
      amount: '238',
      amountOpen: '119',
      matches: [{ type: 'INVOICE', id: b, amount: '119' }],
    });
    expect((await invoice(a)).status).toBe('issued');
    expect((await invoice(b)).status).toBe('paid');
    expect(refusal(await acme.graphqlAnswer(mutation.unmatch, { id, matched: a })).errors).toEqual({
      matched: ['This transaction is not matched with that.'],
    });
    expect(await unmatch(id, b)).toMatchObject({ matchStatus: 'UNMATCHED', amountOpen: '238' });
    expect(refusal(await acme.graphqlAnswer(mutation.unmatch, { id })).errors).toEqual({
      matchStatus: ['This transaction is not matched.'],
    });
  });

  it('paid→booked when a match with a receipt is undone', async () => {
    const id = await makeReceipt(acme, { status: 'BOOKED' });
    const outgoing = await transaction('-119.00');
    await match(outgoing, receiptPart(id));
    expect((await receipt(id)).status).toBe('paid');
    expect(await unmatch(outgoing)).toMatchObject({ matchStatus: 'UNMATCHED', amountOpen: '-119', matches: [] });
    expect(await receipt(id)).toMatchObject({ status: 'booked', paid_at: null });
  });

  it('only so: undoPayment refuses a bank payment', async () => {
    await match(await transaction('119.00'), invoicePart(await issued()));
    const { id } = await acme.db.payment.findFirstOrThrow();
    const before = await booksOf(service, acme);
    expect(
      refusal(await acme.graphqlAnswer('mutation ($id: UUID!) { undoPayment(id: $id) { id } }', { id })),
    ).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { id: [expect.stringMatching(/undo the match/)] },
    });
    expect(await booksOf(service, acme)).toEqual(before);
  });

  it('what is matched can’t be cancelled', async () => {
    const id = await issued();
    await match(await transaction('1.00'), invoicePart(id));
    expect(
      refusal(await acme.graphqlAnswer('mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }', { id })).errors,
    ).toHaveProperty('status');
  });
});

describe('ignoring', () => {
  it('unmatched ↔ ignored, and nothing else', async () => {
    const id = await transaction('119.00');
    const row = { id, amount: '119', amountOpen: '119', matches: [] };
    expect((await acme.graphql(mutation.ignore, { id })).row).toEqual({ ...row, matchStatus: 'IGNORED' });
    expect(refusal(await acme.graphqlAnswer(mutation.ignore, { id })).errors).toHaveProperty('matchStatus');
    expect(refusal(await acme.graphqlAnswer(mutation.unmatch, { id })).errors).toHaveProperty('matchStatus');
    expect((await acme.graphql(mutation.unignore, { id })).row).toEqual({ ...row, matchStatus: 'UNMATCHED' });
    expect(refusal(await acme.graphqlAnswer(mutation.unignore, { id })).errors).toHaveProperty('matchStatus');
    for (const amount of ['19', '100']) {
      await match(id, invoicePart(await issued(), amount)); // partially, then wholly
      expect(refusal(await acme.graphqlAnswer(mutation.ignore, { id })).errors).toHaveProperty('matchStatus');
    }
  });
});

/** What holds whatever was done. */
async function expectInvariants(): Promise<void> {
  const sum = (amounts: { toString(): string }[]) =>
    amounts.reduce<Decimal>((all, one) => all.plus(one.toString()), new Decimal(0));
  for (const row of await acme.db.invoice.findMany({ include: { payments: true } })) {
    const paid = sum(row.payments.map(({ amount }) => amount));
    expect(paid.toFixed()).toBe(row.amountPaid.toFixed());
    expect(paid.gte(0) && paid.lte(row.totalGross.toString())).toBe(true);
    expect(row.status).toBe(paid.eq(row.totalGross.toString()) ? 'PAID' : 'ISSUED');
    expect(row.paidAt === null).toBe(row.status === 'ISSUED');
  }
  const { data } = (await acme.rest('GET', '/bank-transactions?per_page=100')).body;
  for (const row of data) {
    const matched = sum(row.matches.map(({ amount }: { amount: number }) => amount));
    expect(matched.plus(row.amount_open).toFixed()).toBe(new Decimal(row.amount).toFixed());
    expect(matched.gte(0)).toBe(true);
    const expected = row.amount_open === 0 ? 'matched' : matched.isZero() ? 'unmatched' : 'partially_matched';
    if (row.match_status !== 'ignored') expect(row.match_status).toBe(expected);
    else expect(matched.toFixed()).toBe('0');
  }
}

describe('whatever is done, 0 ≤ paid ≤ gross, payments add up, amount = amount_open + what is matched, states follow', () => {
  const step = fc.record({
    kind: fc.constantFrom('match', 'match', 'match', 'unmatch', 'ignore', 'unignore'),
    transaction: fc.nat(2),
    invoices: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
    cents: fc.option(fc.integer({ min: -1, max: 16_000 }), { nil: undefined }),
  });
  const run = async (
    steps: (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
    together: number,
  ): Promise<Answer[]> => {
    const invoices = [await issued(), await issued(), await issued()];
    const transactions = [await transaction('119.00'), await transaction('150.00123'), await transaction('60.00')];
    const answers: Answer[] = [];
    for (let start = 0; start < steps.length; start += together) {
      const work = steps.slice(start, start + together).map(({ kind, cents, ...at }) => {
        const id = transactions[at.transaction];
        const amount = cents === undefined ? undefined : String(cents / 100);
        const matches = at.invoices.map((each) => invoicePart(invoices[each]!, amount));
        if (kind === 'match') return acme.graphqlAnswer(mutation.match, { id, matches });
        if (kind === 'unmatch')
          return acme.graphqlAnswer(mutation.unmatch, {
            id,
            matched: cents === undefined ? null : invoices[at.invoices[0]!],
          });
        return acme.graphqlAnswer(kind === 'ignore' ? mutation.ignore : mutation.unignore, { id });
      });
      answers.push(...(await Promise.all(work)));
      await expectInvariants();
    }
    return answers;
  };
  const outcomes = (answers: Answer[]) => answers.map(({ body }) => body.errors?.[0].extensions.code ?? 'done');

  it('one after another', async () => {
    const all: string[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 14 }), async (steps) => {
        acme = await service.integrator();
        all.push(...outcomes(await run(steps, 1)));
      }),
      { numRuns: 12, endOnFailure: true },
    );
    expect(new Set(all)).toEqual(new Set(['done', 'VALIDATION_FAILED']));
  });

  it('and twelve at once', async () => {
    const steps = fc.sample(step, { numRuns: 96, seed: 7 });
    const all = outcomes(await run(steps, 12));
    expect(new Set(all)).toEqual(new Set(['done', 'VALIDATION_FAILED']));
    expect(all.filter((each) => each === 'done').length).toBeGreaterThan(10);
  });
});

describe('under concurrency', () => {
  const codes = (answers: Answer[]): string[] =>
    answers.filter(({ body }) => body.errors).map((answer) => refusal(answer).code);

  it('20 transactions matched to one invoice at once: never over-allocated, and as much is paid as fits', async () => {
    const id = await issued();
    const transactions = await Promise.all(Array.from({ length: 20 }, () => transaction('10.00')));
    const answers = await Promise.all(
      transactions.map((each) => acme.graphqlAnswer(mutation.match, { id: each, matches: [invoicePart(id)] })),
    );
    // Eleven whole ones and nine euros of a twelfth.
    expect(codes(answers)).toEqual(Array.from({ length: 8 }, () => 'VALIDATION_FAILED'));
    expect(await invoice(id)).toMatchObject({ status: 'paid', amount_paid: 119 });
    await expectInvariants();
    expect((await eventsOf(service, acme)).filter(({ type }) => type === 'invoice.paid')).toHaveLength(1);
  });

  it('one transaction matched 20 times at once: once', async () => {
    const id = await transaction('119.00');
    const invoices = await Promise.all(Array.from({ length: 20 }, () => issued()));
    const answers = await Promise.all(
      invoices.map((each) => acme.graphqlAnswer(mutation.match, { id, matches: [invoicePart(each)] })),
    );
    expect(codes(answers)).toEqual(Array.from({ length: 19 }, () => 'VALIDATION_FAILED'));
    expect(await acme.db.payment.count()).toBe(1);
    await expectInvariants();
  });

  it('transactions to the same invoices in opposite orders, matched and unmatched, do not block each other', async () => {
    const invoices = await Promise.all(Array.from({ length: 6 }, () => issued()));
    const transactions = await Promise.all(Array.from({ length: 8 }, () => transaction('714.00')));
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(
        transactions.map((id, index) => {
          const parts = invoices.map((each) => invoicePart(each, '10'));
          return acme.graphqlAnswer(mutation.match, { id, matches: index % 2 ? parts : parts.toReversed() });
        }),
      );
      expect(codes(answers)).toEqual([]);
      const back = await Promise.all(transactions.map((id) => acme.graphqlAnswer(mutation.unmatch, { id })));
      expect(codes(back)).toEqual([]);
    }
    await expectInvariants();
    expect(await acme.db.payment.count()).toBe(0);
  });

  it('imports, payments and matches of the same invoices at once', async () => {
    const invoices = await Promise.all(Array.from({ length: 8 }, () => issued()));
    const numbers = (await acme.db.invoice.findMany({ orderBy: { id: 'desc' } })).map(({ number }) => number!);
    const transactions = await Promise.all(Array.from({ length: 4 }, () => transaction('300.00')));
    const [result, ...answers] = await Promise.all([
      imported(service, acme, camt(numbers.map((number) => ({ amount: '119.00', reference: number })))),
      ...invoices.map((id) =>
        acme.graphqlAnswer('mutation ($id: UUID!) { payInvoice(id: $id, amount: "100") { id } }', { id }),
      ),
      ...transactions.map((id, index) =>
        acme.graphqlAnswer(mutation.match, {
          id,
          matches: [invoicePart(invoices[index * 2]!), invoicePart(invoices[7 - index * 2]!)],
        }),
      ),
    ]);
    expect(result.imported).toBe(8);
    expect(new Set(codes(answers))).not.toContain('INTERNAL_SERVER_ERROR');
    await expectInvariants();
  });
});
