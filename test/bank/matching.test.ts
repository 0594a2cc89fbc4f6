import { describe, expect, it } from 'vitest';
import {
  readBooks,
  eventsDuring,
  item,
  makeBankTransaction,
  makeCreditNote,
  makeInvoice,
  makeReceipt,
  refusal,
} from '../graphql/books.ts';
import {
  keepBooks,
  service,
  acme,
  mutation,
  type Part,
  invoicePart,
  receiptPart,
  creditNotePart,
  creditNote,
  match,
  unmatch,
  invoice,
  receipt,
  issued,
  transaction,
  typesDuring,
} from './matching.ts';

keepBooks();

describe('matchBankTransaction', () => {
  it('matches one transaction to several invoices, up to its open amount and their amounts due', async () => {
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
    expect(events.toSorted()).toEqual([
      'bank_transaction.matched',
      'invoice.paid',
      'invoice.payment_recorded',
      'invoice.payment_recorded',
      'invoice.payment_recorded',
      'payment.recorded',
      'payment.recorded',
      'payment.recorded',
    ]);
    expect(events.at(-1)).toBe('bank_transaction.matched');
    expect(await invoice(a)).toMatchObject({ status: 'paid', amount_due: 0 });
    expect(await invoice(b)).toMatchObject({ status: 'issued', amount_paid: 30.5, amount_due: 88.5 });
    expect(await invoice(c)).toMatchObject({ status: 'issued', amount_paid: 100.5, amount_due: 18.5 });
    expect((await acme.rest('GET', `/bank-transactions/${id}`)).body.data.match_status).toBe('matched');
  });

  it('matches several transactions to one invoice; the rest stays open, with its sign', async () => {
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

  it('matches an amount of five decimals up to the currency’s; the rest stays open', async () => {
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

  describe('changes nothing and names the input when it rejects', () => {
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
      const before = await readBooks(service, acme);
      expect(refusal(await acme.graphqlAnswer(mutation.match, { id, matches }))).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: { [path]: [expect.stringMatching(message)] },
      });
      expect(await readBooks(service, acme)).toEqual(before);
    });

    it('another tenant’s transaction is not found', async () => {
      const globex = await service.integrator();
      const id = await makeBankTransaction(globex);
      const before = await readBooks(service, globex);
      const matches = [invoicePart(await issued())];
      for (const [document, variables] of [
        [mutation.match, { id, matches }],
        [mutation.unmatch, { id }],
        [mutation.ignore, { id }],
        [mutation.unignore, { id }],
      ] as const) {
        expect(refusal(await acme.graphqlAnswer(document, variables)).code).toBe('NOT_FOUND');
      }
      expect(await readBooks(service, globex)).toEqual(before);
    });
  });
});

describe('unmatchBankTransaction', () => {
  it('undoes all matches: amounts are due again, and the transaction is unmatched', async () => {
    const [a, b] = [await issued(), await issued()];
    const id = await transaction('200.00');
    await match(id, invoicePart(a), invoicePart(b));
    let row;
    const events = await eventsDuring(service, acme, async () => (row = await unmatch(id)));
    expect(row).toEqual({ id, matchStatus: 'UNMATCHED', amount: '200', amountOpen: '200', matches: [] });
    expect(events.map(({ type }) => type)).toEqual([
      'invoice.payment_reverted',
      'payment.recorded',
      'payment.reversed',
      'invoice.payment_reverted',
      'payment.recorded',
      'payment.reversed',
      'bank_transaction.unmatched',
    ]);
    expect(events[0]!.body.data).toEqual({ invoice: await invoice(a) });
    expect(events[6]!.body.data).toEqual({
      bank_transaction: (await acme.rest('GET', `/bank-transactions/${id}`)).body.data,
    });
    for (const each of [a, b])
      expect(await invoice(each)).toMatchObject({ status: 'issued', amount_paid: 0, amount_due: 119, paid_at: null });
    expect(await acme.db.payment.count({ where: { reversedAt: null, reversalOfId: null } })).toBe(0);
  });

  it('undoes one of several matches, and keeps the others', async () => {
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

  it('changes a receipt from paid to booked', async () => {
    const id = await makeReceipt(acme, { status: 'BOOKED' });
    const outgoing = await transaction('-119.00');
    await match(outgoing, receiptPart(id));
    expect((await receipt(id)).status).toBe('paid');
    expect(await unmatch(outgoing)).toMatchObject({ matchStatus: 'UNMATCHED', amountOpen: '-119', matches: [] });
    expect(await receipt(id)).toMatchObject({ status: 'booked', paid_at: null });
  });

  it('is the only way: reversePayment rejects a bank payment', async () => {
    await match(await transaction('119.00'), invoicePart(await issued()));
    const { id } = await acme.db.payment.findFirstOrThrow();
    const before = await readBooks(service, acme);
    expect(
      refusal(
        await acme.graphqlAnswer('mutation ($id: UUID!) { reversePayment(id: $id, reason: "Wrong") { id } }', { id }),
      ),
    ).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { id: [expect.stringMatching(/undo the match/)] },
    });
    expect(await readBooks(service, acme)).toEqual(before);
  });

  it('a matched invoice can’t be cancelled', async () => {
    const id = await issued();
    await match(await transaction('1.00'), invoicePart(id));
    expect(
      refusal(await acme.graphqlAnswer('mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }', { id })).errors,
    ).toHaveProperty('status');
  });
});

describe('ignoring', () => {
  it('changes unmatched to ignored and back, and no other state', async () => {
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

describe('money sent refunds credit notes', () => {
  it('in parts and with receipts, until nothing is to be refunded; unmatching undoes it', async () => {
    const [a, b] = [await makeCreditNote(acme), await makeCreditNote(acme)];
    const receiptId = await makeReceipt(acme, { status: 'BOOKED' });
    const id = await transaction('-300.00');
    expect(await match(id, creditNotePart(a), receiptPart(receiptId, '11'), creditNotePart(b, '100'))).toMatchObject({
      matchStatus: 'PARTIALLY_MATCHED',
      amountOpen: '-70',
      matches: expect.arrayContaining([
        { type: 'CREDIT_NOTE', id: a, amount: '-119' },
        { type: 'CREDIT_NOTE', id: b, amount: '-100' },
        { type: 'RECEIPT', id: receiptId, amount: '-11' },
      ]),
    });
    expect(await creditNote(a)).toMatchObject({ amount_refunded: 119, amount_due: 0 });
    expect(await creditNote(b)).toMatchObject({ amount_refunded: 100, amount_due: 19 });
    const refused = async (...parts: Part[]) =>
      refusal(await acme.graphqlAnswer(mutation.match, { id, matches: parts })).errors;
    expect(await refused(creditNotePart(b, '19.01'))).toEqual({
      'matches.0.amount': ['Must not be more than the 19 EUR due.'],
    });
    expect(await refused(creditNotePart(a))).toEqual({ 'matches.0.id': ['Nothing is to be refunded of it.'] });
    expect(await refused(creditNotePart(receiptId))).toEqual({ 'matches.0.id': ['There is no such credit note.'] });
    expect(await unmatch(id, a)).toMatchObject({ amountOpen: '-189' });
    expect(await creditNote(a)).toMatchObject({ amount_refunded: 0, amount_due: 119 });
    await unmatch(id);
    expect(await creditNote(b)).toMatchObject({ amount_refunded: 0, amount_due: 119 });
  });

  it('but money received doesn’t', async () => {
    const matches = [creditNotePart(await makeCreditNote(acme))];
    const answer = await acme.graphqlAnswer(mutation.match, { id: await transaction('119.00'), matches });
    expect(refusal(answer).errors).toEqual({
      'matches.0.type': ['Money received pays invoices, money sent pays receipts and refunds credit notes.'],
    });
  });
});
