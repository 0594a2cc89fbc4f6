import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toSchema } from '../../schema/index.ts';
import { camt, imported } from '../bank/statement.ts';
import { item, makeBankTransaction, makeCreditNote, makeCustomer, makeInvoice, makeReceipt } from '../graphql/books.ts';
import { createToken } from '../../src/identity/index.ts';
import { asIntegrator, startService, type Answer, type Integrator, type Service } from '../harness.ts';

// Period locks: whatever has a booking day is refused on a locked day, and only then.

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  acme = await service.integrator({ timezone: 'Europe/Berlin', currency: 'EUR' });
});
afterAll(() => service.close());

const until = '2026-03-31';
const days = { before: '2026-03-10', on: until, after: '2026-04-01' };

const lock = (who: Integrator, body: object = {}): Promise<Answer> =>
  who.rest('PUT', '/period-locks', { series: 'all', locked_until: until, kind: 'soft', ...body });

/** A mutation of one row by its id. */
const run = (who: Integrator, name: string, args: Record<string, [type: string, value: unknown]>): Promise<Answer> => {
  const names = Object.keys(args);
  const document = `mutation (${names.map((each) => `$${each}: ${args[each]![0]}`).join(', ')}) {
    ${name}(${names.map((each) => `${each}: $${each}`).join(', ')}) { id } }`;
  return who.graphqlAnswer(document, Object.fromEntries(names.map((each) => [each, args[each]![1]])));
};
const byId = (who: Integrator, name: string, id: string, others: Record<string, [string, unknown]> = {}) =>
  run(who, name, { id: ['UUID!', id], ...others });
const create = (who: Integrator, of: string, input: object) =>
  run(who, `create${of}`, { input: [`Create${of}Input!`, input] });

const early = '2026-02-01';
const bank = (who: Integrator, day: string, amount = 119): Promise<string> =>
  makeBankTransaction(who, { bookingDate: new Date(day), amount, amountOpen: amount });
const match = (who: Integrator, id: string, type: string, paid: string): Promise<Answer> =>
  byId(who, 'matchBankTransaction', id, { matches: ['[MatchInput!]!', [{ type, id: paid }]] });

type Series = 'sales' | 'purchases' | 'bank';
interface Operation {
  mutation: string;
  series: Series[];
  /** Makes what it needs, before there is a lock. @returns the operation on this day */
  prepare: (who: Integrator, day: string) => Promise<() => Promise<Answer>>;
}

const paidOn = (day: string): Record<string, [string, unknown]> => ({ paidOn: ['Date', day] });

async function payment(who: Integrator, name: 'payInvoice' | 'payReceipt', id: string, day: string): Promise<string> {
  const document = `mutation ($id: UUID!, $paidOn: Date) { ${name}(id: $id, paidOn: $paidOn) { payments { nodes { id } } } }`;
  return (await who.graphql(document, { id, paidOn: day }))[name].payments.nodes[0].id;
}

const operations: Record<string, Operation> = {
  'creates an issued invoice': {
    mutation: 'createInvoice',
    series: ['sales'],
    prepare: async (who, day) => {
      const customerId = await makeCustomer(who);
      return () => create(who, 'Invoice', { customerId, invoiceDate: day, status: 'ISSUED', items: [item] });
    },
  },
  'creates a paid invoice': {
    mutation: 'createInvoice',
    series: ['sales'],
    prepare: async (who, day) => {
      const customerId = await makeCustomer(who);
      return () => create(who, 'Invoice', { customerId, invoiceDate: day, status: 'PAID', items: [item] });
    },
  },
  'issues a draft': {
    mutation: 'issueInvoice',
    series: ['sales'],
    prepare: async (who, day) => {
      const id = await makeInvoice(who, { invoiceDate: day });
      return () => byId(who, 'issueInvoice', id);
    },
  },
  'issues a credit note': {
    mutation: 'createCreditNote',
    series: ['sales'],
    prepare: async (who, day) => {
      const invoiceId = await makeInvoice(who, { status: 'ISSUED', invoiceDate: early });
      return () => create(who, 'CreditNote', { invoiceId, creditNoteDate: day });
    },
  },
  'pays an invoice': {
    mutation: 'payInvoice',
    series: ['sales'],
    prepare: async (who, day) => {
      const id = await makeInvoice(who, { status: 'ISSUED', invoiceDate: early });
      return () => byId(who, 'payInvoice', id, paidOn(day));
    },
  },
  'refunds a credit note': {
    mutation: 'refundCreditNote',
    series: ['sales'],
    prepare: async (who, day) => {
      const id = await makeCreditNote(who);
      return () => byId(who, 'refundCreditNote', id, paidOn(day));
    },
  },
  'refunds a credit': {
    mutation: 'refundCredit',
    series: ['sales'],
    prepare: async (who, day) => {
      const customerId = await makeCustomer(who);
      const invoice = await makeInvoice(who, { customerId, status: 'ISSUED', invoiceDate: early });
      const adjustments = [{ type: 'overpayment', amount: 5 }];
      const paid = await who.rest('POST', `/invoices/${invoice}/payments`, { paid_on: early, adjustments });
      expect(paid.status).toBe(200);
      return () => byId(who, 'refundCredit', customerId, paidOn(day));
    },
  },
  'creates a booked receipt': {
    mutation: 'createReceipt',
    series: ['purchases'],
    prepare: async (who, day) => () =>
      create(who, 'Receipt', { receiptDate: day, amountGross: '119', vatRate: '19', status: 'BOOKED' }),
  },
  'books a draft': {
    mutation: 'bookReceipt',
    series: ['purchases'],
    prepare: async (who, day) => {
      const id = await makeReceipt(who, { receiptDate: day });
      return () => byId(who, 'bookReceipt', id);
    },
  },
  'pays a receipt': {
    mutation: 'payReceipt',
    series: ['purchases'],
    prepare: async (who, day) => {
      const id = await makeReceipt(who, { receiptDate: early, status: 'BOOKED' });
      return () => byId(who, 'payReceipt', id, paidOn(day));
    },
  },
  'matches an invoice': {
    mutation: 'matchBankTransaction',
    series: ['sales', 'bank'],
    prepare: async (who, day) => {
      const [invoice, id] = [await makeInvoice(who, { status: 'ISSUED', invoiceDate: early }), await bank(who, day)];
      return () => match(who, id, 'INVOICE', invoice);
    },
  },
  'matches a receipt': {
    mutation: 'matchBankTransaction',
    series: ['purchases', 'bank'],
    prepare: async (who, day) => {
      const receipt = await makeReceipt(who, { receiptDate: early, status: 'BOOKED' });
      const id = await bank(who, day, -119);
      return () => match(who, id, 'RECEIPT', receipt);
    },
  },
};

/** Undoing a booking of a locked day books today. */
const reversals: Record<string, Operation> = {
  'deletes a booked receipt': {
    mutation: 'deleteReceipt',
    series: ['purchases'],
    prepare: async (who, day) => {
      const id = await makeReceipt(who, { receiptDate: day, status: 'BOOKED' });
      return () => byId(who, 'deleteReceipt', id);
    },
  },
  'reverses a booked receipt': {
    mutation: 'reverseReceipt',
    series: ['purchases'],
    prepare: async (who, day) => {
      const id = await makeReceipt(who, { receiptDate: day, status: 'BOOKED' });
      return () => byId(who, 'reverseReceipt', id, { reason: ['String', 'Wrong'] });
    },
  },
  'undoes the payment of an invoice': {
    mutation: 'reversePayment',
    series: ['sales'],
    prepare: async (who, day) => {
      const id = await payment(
        who,
        'payInvoice',
        await makeInvoice(who, { status: 'ISSUED', invoiceDate: early }),
        day,
      );
      return () => byId(who, 'reversePayment', id, { reason: ['String', 'Wrong'] });
    },
  },
  'reverses the payment of a receipt': {
    mutation: 'reversePayment',
    series: ['purchases'],
    prepare: async (who, day) => {
      const receipt = await makeReceipt(who, { receiptDate: early, status: 'BOOKED' });
      const id = await payment(who, 'payReceipt', receipt, day);
      return () => byId(who, 'reversePayment', id, { reason: ['String', 'The wrong receipt'] });
    },
  },
  'undoes the match of an invoice': {
    mutation: 'unmatchBankTransaction',
    series: ['sales', 'bank'],
    prepare: async (who, day) => {
      const [invoice, id] = [await makeInvoice(who, { status: 'ISSUED', invoiceDate: early }), await bank(who, day)];
      expect((await match(who, id, 'INVOICE', invoice)).body.errors).toBeUndefined();
      return () => byId(who, 'unmatchBankTransaction', id);
    },
  },
};

describe.each(Object.entries(operations))('%s', (_name, { series, prepare }) => {
  it('is refused on and before the locked day, by the locks of its series, and changes nothing', async () => {
    const codeOf = async (day: string, locked: string): Promise<unknown> => {
      const who = await service.integrator({ currency: 'EUR' });
      const operate = await prepare(who, day);
      expect((await lock(who, { series: locked })).status).toBe(200);
      const counts = async (): Promise<unknown> => [
        await who.db.invoice.findMany(),
        await who.db.creditNote.findMany(),
        await who.db.receipt.findMany(),
        await who.db.payment.findMany(),
        await who.db.bankTransaction.findMany(),
      ];
      const before = await counts();
      const { body } = await operate();
      if (!body.errors) return 'done';
      expect(await counts()).toEqual(before);
      const [{ code, params }] = body.errors[0].extensions.details;
      expect(params).toEqual({ series: locked, locked_until: until, kind: 'soft' });
      return code;
    };
    const verdicts: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const locked of ['all', 'sales', 'purchases', 'bank'])
      for (const [when, day] of Object.entries(days)) {
        const isLocked = when !== 'after' && (locked === 'all' || series.includes(locked as Series));
        expected[`${locked} ${when}`] = isLocked ? 'locked' : 'done';
        verdicts[`${locked} ${when}`] = await codeOf(day, locked);
      }
    expect(verdicts).toEqual(expected);
  });
});

describe.each(Object.entries(reversals))('%s', (_name, { series, prepare }) => {
  it('counts from the same day, or from today where that day is locked, and is refused where today is locked', async () => {
    const today = new Date().toLocaleDateString('sv', { timeZone: 'Europe/Berlin' });
    const verdicts: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const locked of ['all', 'sales', 'purchases', 'bank'])
      for (const [when, day] of Object.entries(days))
        for (const end of [until, today]) {
          const who = await service.integrator({ timezone: 'Europe/Berlin', currency: 'EUR' });
          const operate = await prepare(who, day);
          expect((await lock(who, { series: locked, locked_until: end })).status).toBe(200);
          const { body } = await operate();
          const where = { reversalOfId: { not: null } };
          const undone = await who.db.payment.findFirst({ where });
          const receipt = await who.db.receipt.findFirst({ where });
          const counts = (undone?.paidOn ?? receipt?.receiptDate)?.toISOString().slice(0, 10);
          verdicts[`${locked} until ${end}, ${when}`] = body.errors?.[0].extensions.details[0].code ?? counts;
          const concerns = locked === 'all' || series.includes(locked as Series);
          const isLocked = concerns && day <= end;
          expected[`${locked} until ${end}, ${when}`] = !isLocked ? day : end === today ? 'locked' : today;
        }
    expect(verdicts).toEqual(expected);
  });
});

it('every mutation has a booking day that is tested here, or none', () => {
  const without =
    /^(create|update|delete)(BankAccount|Customer|Project|TimeEntry|Webhook|Logo)|^(addAttachment|deleteAttachment|updateReceipt|updatePayment|updateInvoice|deleteInvoice|updateCompany|billProject|setPeriodLock|setTestClock|ignoreBankTransaction|unignoreBankTransaction)$/;
  // confirmExactMatches leaves out what is locked: test/bank/exact-matches.test.ts.
  const elsewhere =
    /^import|^simulate|^cancelInvoice$|^confirmExactMatches$|Bulk|Webhook|Token|Session|Member|Invitation|Documents?$|Export$|redeliver|[sS]ign|Password|Tenant|Profile|logOut|logIn|User|Upload/;
  const tested = new Set([...Object.values(operations), ...Object.values(reversals)].map(({ mutation }) => mutation));
  const left = Object.keys(toSchema().getMutationType()!.getFields()).filter(
    (name) => !tested.has(name) && !without.test(name) && !elsewhere.test(name),
  );
  expect(left).toEqual([]);
});

it('an invoice is cancelled today, whatever is locked of its own period', async () => {
  const id = await makeInvoice(acme, { status: 'ISSUED' });
  await lock(acme);
  expect((await acme.rest('POST', `/invoices/${id}/cancel`)).status).toBe(200);
  const today = await makeInvoice(acme, { status: 'ISSUED', invoiceDate: '2026-05-01' });
  const { body } = await acme.rest('GET', '/credit-notes');
  await lock(acme, { locked_until: body.data[0].credit_note_date });
  expect((await byId(acme, 'cancelInvoice', today)).body.errors[0].extensions.details).toMatchObject([
    { field: 'creditNoteDate', code: 'locked' },
  ]);
});

it('drafts, and the metadata of a booked receipt and of a payment, stay free', async () => {
  const booked = await makeReceipt(acme, { status: 'BOOKED' });
  const paid = await payment(acme, 'payInvoice', await makeInvoice(acme, { status: 'ISSUED' }), until);
  await lock(acme);
  const [invoice, receipt] = [await makeInvoice(acme), await makeReceipt(acme)];
  const change = (name: string, id: string, input: object) =>
    byId(acme, name, id, { input: [name.replace('update', 'Update') + 'Input!', input] });
  for (const answer of [
    await change('updateInvoice', invoice, { invoiceDate: '2026-03-02' }),
    await change('updateReceipt', receipt, { amountGross: '5' }),
    await change('updateReceipt', booked, { metadata: { seen: 'yes' } }),
    await change('updatePayment', paid, { metadata: { seen: 'yes' }, externalId: 'seen' }),
    await byId(acme, 'deleteInvoice', invoice),
    await byId(acme, 'deleteReceipt', receipt),
  ])
    expect(answer.body.errors).toBeUndefined();
});

it('late rows of a statement are imported, and stay unmatched', async () => {
  const entries = [];
  for (const date of ['2026-03-02', '2026-04-02']) {
    const id = await makeInvoice(acme, { status: 'ISSUED', invoiceDate: early });
    const { body } = await acme.rest('GET', `/invoices/${id}`);
    entries.push({ amount: '119.00', date, reference: body.data.number, info: body.data.number });
  }
  await lock(acme, { series: 'bank' });
  const { imported: count, matched } = await imported(service, acme, camt(entries as never));
  expect(count).toBe(2);
  expect(matched).toBeLessThanOrEqual(1);
  const locked = await acme.db.bankTransaction.findMany({ where: { bookingDate: { lte: new Date(until) } } });
  expect(locked.map(({ matchStatus }) => matchStatus)).toEqual(['UNMATCHED']);
});

describe('a lock', () => {
  it('is set, listed, and logged', async () => {
    const { status, body } = await lock(acme, { series: 'sales', kind: 'soft' });
    expect([status, body.data]).toEqual([
      200,
      {
        series: 'sales',
        locked_until: until,
        kind: 'soft',
        reason: null,
        user_id: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect((await acme.rest('GET', '/period-locks')).body).toEqual({ data: { items: [body.data] } });
    const entries = await acme.db.auditEntry.findMany({ where: { resource: 'period_lock' } });
    expect(entries).toMatchObject([{ action: 'created', after: { series: 'sales', locked_until: until } }]);
    const other = await service.integrator();
    expect((await other.rest('GET', '/period-locks')).body).toEqual({ data: { items: [] } });
    expect(
      (await create(other, 'Receipt', { receiptDate: early, amountGross: '1', status: 'BOOKED' })).body.errors,
    ).toBeUndefined();
  });

  it('moves back with a reason while it is soft, and never once it is final', async () => {
    await lock(acme);
    const back = { locked_until: '2026-02-28' };
    const { status, body } = await lock(acme, back);
    expect([status, body.details]).toMatchObject([422, [{ field: 'reason', code: 'required' }]]);
    expect((await lock(acme, { ...back, reason: '' })).status).toBe(422);
    expect((await lock(acme, { ...back, reason: 'A receipt was missing' })).body.data).toMatchObject({
      ...back,
      reason: 'A receipt was missing',
    });
    expect((await lock(acme, { kind: 'final' })).status).toBe(200);
    const details = async (change: object): Promise<unknown> =>
      (await lock(acme, { reason: 'x', ...change })).body.details;
    expect(await details({ kind: 'final', ...back })).toMatchObject([{ field: 'locked_until', code: 'wrong_state' }]);
    expect(await details({ kind: 'soft' })).toMatchObject([{ field: 'kind', code: 'wrong_state' }]);
    expect(await details({ kind: 'final', locked_until: '2126-01-01' })).toMatchObject([
      { field: 'locked_until', code: 'in_the_future' },
    ]);
    expect((await lock(acme, { kind: 'final', locked_until: '2026-04-30' })).status).toBe(200);
    const direct = acme.db.periodLock.updateMany({ data: { kind: 'SOFT' } });
    await expect(direct).rejects.toThrow('A final period lock can not be moved back');
    await expect(acme.db.periodLock.deleteMany({})).rejects.toThrow('A final period lock can not be moved back');
  });

  it('refuses with the field, code, and parameters in REST', async () => {
    await lock(acme, { kind: 'final' });
    const answer = await acme.rest('POST', '/receipts', {
      receipt_date: '2026-03-05',
      amount_gross: 10,
      status: 'booked',
    });
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        message: expect.stringContaining('2026-03-05 is locked'),
        errors: {
          receipt_date: [
            '2026-03-05 is locked: bookings until 2026-03-31 can not change. The lock is final: choose a later day.',
          ],
        },
        details: [
          {
            field: 'receipt_date',
            code: 'locked',
            message: expect.any(String),
            params: { series: 'all', locked_until: until, kind: 'final' },
          },
        ],
        request_id: expect.any(String),
      },
    ]);
  });
});

it('the check lists drafts, unmatched transactions, and documents without a proof, until the day', async () => {
  const drafts = [await makeInvoice(acme), await makeReceipt(acme)];
  await makeInvoice(acme, { invoiceDate: '2026-04-01' });
  const issued = await makeInvoice(acme, { status: 'ISSUED' });
  const transaction = await makeBankTransaction(acme);
  await makeBankTransaction(acme, { bookingDate: new Date('2026-04-01') });
  await makeBankTransaction(acme, { matchStatus: 'MATCHED' });
  const partly = await makeBankTransaction(acme, { matchStatus: 'PARTIALLY_MATCHED' });
  const check = async (query: string): Promise<Answer['body']> =>
    (await acme.rest('GET', `/period-locks/check?until=${until}${query}`)).body.data;
  const all = await check('');
  expect(all).toMatchObject({ series: 'all', until, drafts: 2, unmatched: 2, unproven: 1 });
  const found = all.items.map(({ problem, type, id }: Record<string, string>) => `${problem} ${type} ${id}`).toSorted();
  expect(found).toEqual(
    [
      `draft invoice ${drafts[0]}`,
      `draft receipt ${drafts[1]}`,
      `unproven invoice ${issued}`,
      `unmatched bank_transaction ${transaction}`,
      `unmatched bank_transaction ${partly}`,
    ].toSorted(),
  );
  expect(await check('&series=bank')).toMatchObject({ drafts: 0, unmatched: 2, unproven: 0 });
});

it('the check needs the ability to read each series that it lists', async () => {
  const ofSeries = { sales: 'invoices:read', purchases: 'receipts:read', bank: 'bank-transactions:read' };
  const statusFor = async (query: string, abilities: string[]): Promise<number> => {
    const { id, token } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
    const who = asIntegrator(service, { ...acme, token, tokenId: id });
    return (await who.rest('GET', `/period-locks/check?until=${until}${query}`)).status;
  };
  const all = ['company:read', ...Object.values(ofSeries)];
  expect(await statusFor('', all)).toBe(200);
  for (const [series, ability] of Object.entries(ofSeries)) {
    const others = all.filter((each) => each !== ability);
    const statuses = [await statusFor('', others), await statusFor(`&series=${series}`, others)];
    expect([series, ...statuses]).toEqual([series, 403, 403]);
    expect([series, await statusFor(`&series=${series}`, ['company:read', ability])]).toEqual([series, 200]);
  }
});

it('no booking of the period slips through while the lock is set', async () => {
  for (let round = 0; round < 5; round += 1) {
    const who = await service.integrator({ currency: 'EUR' });
    const customerId = await makeCustomer(who);
    const paid = await Promise.all(
      Array.from({ length: 8 }, () => makeInvoice(who, { customerId, status: 'ISSUED', invoiceDate: early })),
    );
    const book = (at: number): Promise<Answer>[] => [
      create(who, 'Receipt', { receiptDate: days.before, amountGross: '1', status: 'BOOKED' }),
      create(who, 'Invoice', { customerId, invoiceDate: days.on, status: 'ISSUED', items: [item] }),
      byId(who, 'payInvoice', paid[at]!, { ...paidOn(days.before) }),
    ];
    const bookings = paid.map(async (_, at) => Promise.all(book(at)));
    const { status } = await lock(who);
    expect(status).toBe(200);
    const rows = async (): Promise<unknown> => [
      await who.db.invoice.findMany({ orderBy: { id: 'asc' } }),
      await who.db.receipt.findMany({ orderBy: { id: 'asc' } }),
      await who.db.payment.findMany({ orderBy: { id: 'asc' } }),
    ];
    const atLock = await rows();
    const late = paid.map(async (_, at) => Promise.all(book(at)));
    const answers = (await Promise.all([...bookings, ...late])).flat();
    expect(answers.filter(({ body }) => body.errors).length).toBeGreaterThanOrEqual(late.length * 2);
    expect(await rows()).toEqual(atLock);
  }
});
