import fc from 'fast-check';
import { imported, camt } from '../bank/statement.ts';
import {
  makeBankTransaction,
  makeCreditNote,
  makeCompany,
  makeCustomer,
  makeInvoice,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import type { Integrator, Service } from '../harness.ts';

// A random history of a tenant's books, made by the API: what it refuses is left out.

const text = fc.oneof(
  fc.constantFrom('Łódź & Söhne "GmbH"', 'a\u2028b\nc', '🧾 Belege', "O'Neil, \\N", '{"type":"end"}', 'x'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).map((value) => `${value.replaceAll('\0', '')}.`),
);
const cents = (max: number) => fc.integer({ min: 1, max }).map((units) => (units / 100).toFixed(2));
const day = fc
  .date({ min: new Date('2024-11-01'), max: new Date('2026-03-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
/** Of documents in foreign money. */
const exchange = fc.option(
  fc.record({
    exchangeRate: fc.constantFrom('0.9', '1.123456789012', '150'),
    exchangeRateDate: day,
    exchangeRateSource: fc.constantFrom('ECB', null),
  }),
);
const exchanged = <Of extends { currency: string }>(document: fc.Arbitrary<Of>) =>
  fc.tuple(document, exchange).map(([fields, rate]) => ({ ...fields, ...(fields.currency !== 'EUR' && rate) }));
const currency = fc.constantFrom('EUR', 'EUR', 'EUR', 'JPY', 'TND');
const rate = fc.constantFrom('0', '7', '19', '5.5');

const line = fc.record({
  title: text,
  quantity: fc.constantFrom('1', '0.3333', '-0.5', '12', '7.25'),
  unitPriceNet: fc.constantFrom('100', '0.0049', '33.3333', '1e6', '0'),
  vatRate: rate,
});

const lineDetails = fc.record({
  unit: fc.constantFrom('h', 'boxes', null),
  unitCode: fc.constantFrom('XBX', null),
  description: fc.option(text),
  discountPercent: fc.constantFrom('0', '12.5', null),
  servicePeriodStart: fc.constantFrom('2026-02-01', null),
  servicePeriodEnd: fc.constantFrom('2026-02-28', null),
});

const untaxed = fc.record({ vatCategory: fc.constantFrom('E', 'AE', 'O'), exemptionReason: fc.option(text) });

const item = fc
  .tuple(line, lineDetails, fc.option(untaxed))
  .map(([fields, details, tax]) => ({ ...fields, ...details, ...(fields.vatRate === '0' && tax) }));

const partner = {
  contactName: fc.option(text),
  buyerReference: fc.option(text),
  language: fc.constantFrom('de', null),
  paymentTermsDays: fc.constantFrom(0, 30, null),
  requiredEInvoice: fc.constantFrom('NONE', null),
};

const step = fc.oneof(
  fc.record({
    kind: fc.constant('customer'),
    companyName: text,
    city: text,
    email: fc.constantFrom(null, 'a@b.example'),
    ...partner,
  }),
  fc.record({ kind: fc.constant('supplier'), companyName: text }),
  fc.record({
    kind: fc.constant('company'),
    legalName: text,
    city: fc.option(text),
    defaultVatRate: fc.option(rate),
    registrationNumber: text,
    registrationNumberScheme: fc.constantFrom('0106', null),
    electronicAddress: text,
    electronicAddressScheme: fc.constant('0088'),
  }),
  exchanged(
    fc.record({
      kind: fc.constant('invoice'),
      invoiceDate: day,
      deliveryDate: fc.option(day),
      currency,
      subject: text,
      status: fc.constantFrom('DRAFT', 'ISSUED', 'ISSUED', 'PAID'),
      items: fc.array(item, { minLength: 1, maxLength: 4 }),
    }),
  ),
  exchanged(
    fc.record({
      kind: fc.constant('receipt'),
      receiptDate: day,
      currency,
      amountGross: fc.oneof(cents(1_000_000), fc.constantFrom('0', '5')),
      vatRate: rate,
      description: text,
      status: fc.constantFrom('DRAFT', 'BOOKED'),
    }),
  ),
  fc.record({
    kind: fc.constant('project'),
    name: text,
    currency,
    hourlyRateNet: cents(20_000),
    withCustomer: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('time'),
    date: day,
    durationMinutes: fc.integer({ min: 1, max: 1440 }),
    billable: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('bill'), vatRate: rate }),
  fc.record({ kind: fc.constant('transaction'), amount: fc.tuple(cents(50_000), fc.boolean()), bookingDate: day }),
  fc.record({
    kind: fc.constant('statement'),
    amount: cents(50_000),
    reference: text.map((value) => value.replaceAll(/[^\w ]/g, '')),
  }),
  fc.record({ kind: fc.constantFrom('match', 'match', 'match', 'cancel') }),
  fc.record({
    kind: fc.constantFrom(
      'pay',
      'credit',
      'creditAmount',
      'refund',
      'payReceipt',
      'issue',
      'cancel',
      'match',
      'match',
      'unmatch',
      'undo',
      'undo',
      'ignore',
      'drop',
    ),
    amount: fc.option(cents(500)),
  }),
);

type Step = typeof step extends fc.Arbitrary<infer Of> ? Of : never;

const last = <T>(list: T[], back: number): T | undefined => list[Math.max(0, list.length - 1 - (back % 5))];

/** @returns how many of the steps were accepted */
export async function makeHistory(service: Service, who: Integrator, { steps, seed }: { steps: number; seed: number }) {
  const ids: Record<string, string[]> = {
    customer: [],
    supplier: [],
    project: [],
    invoice: [],
    receipt: [],
    transaction: [],
  };
  let accepted = 0;
  const all = [{ kind: 'customer', companyName: 'First' } as Step, ...fc.sample(step, { numRuns: steps, seed })];
  for (const [at, each] of all.entries()) {
    const { kind, ...fields } = each as { kind: string } & Record<string, unknown>;
    const of = (what: string): string => last(ids[what]!, at) ?? '';
    const run = (mutation: string, variables: object = {}): Promise<unknown> => who.graphql(mutation, variables);
    const add = async (what: string, made: Promise<string>): Promise<void> => void ids[what]!.push(await made);
    const act: Record<string, () => Promise<unknown>> = {
      company: () => makeCompany(who, fields),
      customer: () => add('customer', makeCustomer(who, fields)),
      supplier: () => add('supplier', makeCustomer(who, { type: 'SUPPLIER', ...fields })),
      invoice: () => add('invoice', makeInvoice(who, { customerId: of('customer'), ...fields })),
      receipt: () =>
        add(
          'receipt',
          makeReceipt(who, { ...fields, ...(at % 2 && of('supplier') && { supplierId: of('supplier') }) }),
        ),
      project: () => {
        const { withCustomer, ...rest } = fields;
        return add(
          'project',
          makeProject(who, { ...rest, ...(withCustomer === true && { customerId: of('customer') }) }),
        );
      },
      time: () => makeTimeEntry(who, { projectId: of('project') || undefined, ...fields }),
      bill: () =>
        run('mutation ($id: UUID!, $vatRate: Decimal!) { billProject(projectId: $id, vatRate: $vatRate) { id } }', {
          id: of('project'),
          ...fields,
        }),
      transaction: () => {
        const [amount, isSent] = fields['amount'] as [string, boolean];
        const signed = isSent ? `-${amount}` : amount;
        return add(
          'transaction',
          makeBankTransaction(who, {
            amount: signed,
            amountOpen: signed,
            bookingDate: new Date(String(fields['bookingDate'])),
          }),
        );
      },
      statement: () =>
        imported(service, who, camt([{ amount: String(fields['amount']), reference: String(fields['reference']) }])),
      pay: () =>
        run(
          `mutation ($id: UUID!, $amount: Decimal, $externalId: String, $metadata: Metadata) {
            payInvoice(id: $id, amount: $amount, externalId: $externalId, metadata: $metadata) { id }
          }`,
          { id: of('invoice'), ...fields, externalId: `charge-${accepted}`, metadata: { kind } },
        ),
      credit: async () => {
        const where = { status: { in: ['ISSUED', 'PAID'] as ('ISSUED' | 'PAID')[] }, totalGross: { gt: 0 } };
        const invoices = await who.db.invoice.findMany({ where, include: { items: true } });
        const { id, items } = last(invoices, at) ?? { id: undefined, items: [] };
        const input =
          at % 3 === 0
            ? {}
            : {
                items: items.map((credited) => ({
                  invoiceItemId: credited.id,
                  quantity: credited.quantity.times('0.3').toFixed(4),
                })),
              };
        return makeCreditNote(who, { invoiceId: id, ...input });
      },
      creditAmount: async () => {
        const where = { status: { in: ['ISSUED', 'PAID'] as ('ISSUED' | 'PAID')[] }, totalGross: { gt: 0 } };
        const credited = await who.db.invoice.findMany({ where, include: { items: true } });
        const { id, items } = last(credited, at) ?? { id: undefined, items: [] };
        return makeCreditNote(who, { invoiceId: id, amounts: [{ vatRate: items[0]?.vatRate.toFixed(), net: '1' }] });
      },
      refund: async () => {
        const creditNote = await who.db.creditNote.findFirst({ orderBy: { id: at % 2 ? 'asc' : 'desc' } });
        return run('mutation ($id: UUID!, $amount: Decimal) { refundCreditNote(id: $id, amount: $amount) { id } }', {
          id: creditNote?.id,
          ...fields,
        });
      },
      payReceipt: () =>
        run('mutation ($id: UUID!, $amount: Decimal) { payReceipt(id: $id, amount: $amount) { id } }', {
          id: of('receipt'),
          ...fields,
        }),
      issue: () => run('mutation ($id: UUID!) { issueInvoice(id: $id) { id } }', { id: of('invoice') }),
      cancel: async () => {
        const open = await who.db.invoice.findFirst({
          where: { status: 'ISSUED', amountPaid: 0 },
          orderBy: { id: 'desc' },
        });
        return run('mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }', { id: open?.id });
      },
      match: async () => {
        const matchStatus = { in: ['UNMATCHED', 'PARTIALLY_MATCHED'] as ('UNMATCHED' | 'PARTIALLY_MATCHED')[] };
        const open = await who.db.bankTransaction.findFirst({
          where: { matchStatus },
          orderBy: { id: at % 2 ? 'asc' : 'desc' },
        });
        const isSent = open?.amount.isNegative();
        const where = { currency: 'EUR' };
        const target = isSent
          ? await who.db.receipt.findFirst({ where: { ...where, status: 'BOOKED' } })
          : await who.db.invoice.findFirst({ where: { ...where, status: 'ISSUED' } });
        const matches = [{ type: isSent ? 'RECEIPT' : 'INVOICE', id: target?.id }];
        return run(
          'mutation ($id: UUID!, $matches: [MatchInput!]!) { matchBankTransaction(id: $id, matches: $matches) { id } }',
          { id: open?.id, matches },
        );
      },
      unmatch: () => run('mutation ($id: UUID!) { unmatchBankTransaction(id: $id) { id } }', { id: of('transaction') }),
      ignore: () => run('mutation ($id: UUID!) { ignoreBankTransaction(id: $id) { id } }', { id: of('transaction') }),
      undo: async () => {
        const payment = await who.db.payment.findFirst({ where: { bankTransactionId: null }, orderBy: { id: 'desc' } });
        return run('mutation ($id: UUID!) { reversePayment(id: $id, reason: "Wrong") { id } }', { id: payment?.id });
      },
      drop: () => run('mutation ($id: UUID!) { deleteInvoice(id: $id) { id } }', { id: of('invoice') }),
    };
    await act[kind]!().then(
      () => (accepted += 1),
      (error: Error) => {
        if (/INTERNAL_SERVER_ERROR/.test(error.message)) throw error;
      },
    );
  }
  await reachEveryState(who);
  return accepted;
}

/** Steps that a random history may have missed. */
async function reachEveryState(who: Integrator): Promise<void> {
  const [paid, cancelled] = [
    await makeInvoice(who, { status: 'ISSUED' }),
    await makeInvoice(who, { status: 'ISSUED' }),
  ];
  await makeInvoice(who, { status: 'ISSUED', currency: 'JPY' });
  const receipt = await makeReceipt(who, { status: 'BOOKED', currency: 'EUR' });
  const [whole, part, sent, ignored] = await Promise.all(
    ['119', '150', '-200', '1'].map((amount) => makeBankTransaction(who, { amount, amountOpen: amount })),
  );
  const matchAll = (id: string | undefined, matches: object[]): Promise<unknown> =>
    who.graphql(
      'mutation ($id: UUID!, $matches: [MatchInput!]!) { matchBankTransaction(id: $id, matches: $matches) { id } }',
      { id, matches },
    );
  const match = (id: string | undefined, type: string, target: string, amount: string): Promise<unknown> =>
    matchAll(id, [{ type, id: target, amount }]);
  const supplierId = await makeCustomer(who, { type: 'SUPPLIER', country: 'FR' });
  await makeReceipt(who, { status: 'BOOKED', supplierId });
  await makeReceipt(who, { supplierId });
  const reversed = await makeReceipt(who, { status: 'BOOKED', supplierId });
  await who.graphql(`mutation { updateCustomer(id: "${supplierId}", input: { country: "US" }) { id } }`);
  await who.graphql('mutation ($id: UUID!) { reverseReceipt(id: $id) { id } }', { id: reversed });
  await match(part, 'INVOICE', paid, '19');
  await match(whole, 'INVOICE', paid, '100');
  await match(whole, 'INVOICE', await makeInvoice(who, { status: 'ISSUED' }), '19');
  await match(sent, 'RECEIPT', receipt, '50');
  await match(sent, 'CREDIT_NOTE', await makeCreditNote(who), '20');
  // A currency that ISO 4217 no longer has.
  const kuna = await makeBankTransaction(who, { amount: '900', amountOpen: '900', currency: 'HRK' });
  const foreign = { type: 'INVOICE', id: await makeInvoice(who, { status: 'ISSUED' }), exchangeAmount: '900' };
  await matchAll(kuna, [foreign]);
  await who.graphql('mutation ($id: UUID!) { unmatchBankTransaction(id: $id) { id } }', { id: kuna });
  await matchAll(kuna, [foreign]);
  await who.graphql('mutation ($id: UUID!) { ignoreBankTransaction(id: $id) { id } }', { id: ignored });
  await who.graphql('mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }', { id: cancelled });
}
