import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findViolations } from '../../../schema/tenant-archive/consistency.ts';
import { Decimal, vatBreakdownByCategory } from '../../../schema/money/money.ts';
import { categorized } from '../../../schema/resources/invoice/line.ts';
import { startService, type Integrator, type Service } from '../../harness.ts';
import { makeCreditNote, makeCustomer, makeInvoice, refusal } from '../books.ts';

// Random invoices, and random credit notes, payments, refunds, and undone payments of them, some at the same time.

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const digits = { EUR: 2, JPY: 0, TND: 3 };

const line = fc
  .record({
    title: fc.constant('x'),
    quantity: fc.constantFrom('1', '3', '0.3333', '7.25', '-1', '-0.5'),
    unitPriceNet: fc.constantFrom('100', '0.335', '33.3333', '9.99', '0', '-10'),
    vatRate: fc.constantFrom('0', '7', '19', '5.5'),
    discountPercent: fc.constantFrom('0', '12.5'),
  })
  .chain((fields) =>
    fields.vatRate === '0'
      ? fc.constantFrom('Z', 'E').map((vatCategory) => ({ ...fields, vatCategory }))
      : fc.constant(fields),
  );

const share = fc.constantFrom(0.1, 0.3333, 0.5, 1);
const step = fc.oneof(
  fc.record({ kind: fc.constant('items' as const), share, first: fc.nat(3) }),
  fc.record({ kind: fc.constant('amount' as const), share, first: fc.nat(3) }),
  fc.record({ kind: fc.constantFrom('rest' as const, 'cancel' as const) }),
  fc.record({
    kind: fc.constantFrom('pay' as const, 'pay' as const, 'refund' as const, 'refund' as const),
    share,
    first: fc.nat(3),
  }),
  fc.record({ kind: fc.constant('undo' as const), first: fc.nat(5) }),
);
type Step = typeof step extends fc.Arbitrary<infer Of> ? Of : never;

const history = fc.record({
  currency: fc.constantFrom('EUR' as const, 'JPY' as const, 'TND' as const),
  items: fc.array(line, { minLength: 1, maxLength: 4 }),
  // Steps of a group are sent at the same time.
  groups: fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 7 }),
});

const sumOf = (amounts: { toFixed(): string }[]): Decimal =>
  amounts.reduce<Decimal>((sum, amount) => sum.plus(amount.toFixed()), new Decimal(0));

const read = (who: Integrator, id: string) =>
  who.db.invoice.findUniqueOrThrow({
    where: { tenantId_id: { tenantId: who.tenantId, id } },
    include: {
      items: { orderBy: { position: 'asc' } },
      payments: { orderBy: { id: 'asc' } },
      creditNotes: { orderBy: { id: 'asc' }, include: { items: true, refunds: { orderBy: { id: 'asc' } } } },
    },
  });
type Invoice = Awaited<ReturnType<typeof read>>;

const unitOf = ({ currency }: Pick<Invoice, 'currency'>): Decimal =>
  new Decimal(10).pow(-digits[currency as keyof typeof digits]);

/** Sends a step. What the rules refuse changes nothing. */
async function take(who: Integrator, invoice: Invoice, each: Step): Promise<void> {
  const { id: invoiceId, items, creditNotes, payments, totalGross } = invoice;
  const scale = digits[invoice.currency as keyof typeof digits];
  const part = (of: { toFixed(): string }, decimals: number): string =>
    new Decimal(of.toFixed())
      .times('share' in each ? each.share : 1)
      .toDecimalPlaces(decimals)
      .toFixed();
  const at = 'first' in each ? each.first : 0;
  const credit = (input: object) =>
    who.graphqlAnswer('mutation ($input: CreateCreditNoteInput!) { createCreditNote(input: $input) { id } }', {
      input: { invoiceId, ...input },
    });
  const undo = (id: string | undefined) =>
    who.graphqlAnswer('mutation ($id: UUID!) { reversePayment(id: $id, reason: "Wrong") { id } }', {
      id: id ?? invoiceId,
    });
  const onId = (mutation: string, id: string | undefined, amount?: string) =>
    who.graphqlAnswer(
      amount === undefined
        ? `mutation ($id: UUID!) { ${mutation}(id: $id) { id } }`
        : `mutation ($id: UUID!, $amount: Decimal) { ${mutation}(id: $id, amount: $amount) { id } }`,
      { id: id ?? invoiceId, amount },
    );
  const wholeOr = (amount: string): string | undefined => (at % 2 === 0 ? undefined : amount);
  const send = {
    items: () =>
      credit({
        items: items
          .slice(at % items.length)
          .map(({ id, quantity }) => ({ invoiceItemId: id, quantity: part(quantity, 4) })),
      }),
    amount: () => {
      const { vatRate, vatCategory, lineTotalNet } = items[at % items.length]!;
      return credit({ amounts: [{ vatRate: vatRate.toFixed(), vatCategory, net: part(lineTotalNet, scale) }] });
    },
    rest: () => credit({}),
    cancel: () => onId('cancelInvoice', invoiceId),
    pay: () => onId('payInvoice', invoiceId, wholeOr(part(totalGross, scale))),
    refund: () => onId('refundCreditNote', creditNotes.at(-1 - (at % 2))?.id, wholeOr(unitOf(invoice).toFixed())),
    undo: () => undo([...payments, ...creditNotes.flatMap(({ refunds }) => refunds)].at(at)?.id),
  };
  const answer = await send[each.kind]();
  if (answer.body.errors) expect(['VALIDATION_FAILED', 'NOT_FOUND']).toContain(refusal(answer).code);
}

async function expectInvariants(who: Integrator, id: string): Promise<Invoice> {
  const invoice = await read(who, id);
  const { creditNotes, payments, totalGross, currency } = invoice;
  const credited = sumOf(creditNotes.map((creditNote) => creditNote.totalGross));
  const refunded = sumOf(creditNotes.flatMap(({ refunds }) => refunds.map(({ amount }) => amount)));
  const balance = new Decimal(totalGross.toFixed())
    .minus(credited)
    .minus(sumOf(payments.map(({ amount }) => amount)))
    .plus(refunded);
  expect(credited.lessThanOrEqualTo(totalGross.toFixed())).toBe(true);
  expect(invoice.amountCredited.toFixed()).toBe(credited.toFixed());
  expect(invoice.amountRefunded.toFixed()).toBe(refunded.toFixed());
  if (invoice.status === 'CANCELLED') expect(balance.toFixed()).toBe('0');
  else expect(invoice.status).toBe(balance.greaterThan(0) ? 'ISSUED' : 'PAID');
  expect(invoice.paidAt !== null).toBe(invoice.status === 'PAID');
  const zero = new Decimal(0);
  const { invoice: shown } = await who.graphql(
    `{ invoice(id: "${id}") {
      amountDue amountToRefund items { id quantityLeft } creditNotes(first: 100) { nodes { id amountDue } }
    } }`,
  );
  const toRefund = Decimal.max(zero.minus(balance), 0);
  expect(shown).toMatchObject({ amountDue: Decimal.max(balance, 0).toFixed(), amountToRefund: toRefund.toFixed() });
  const taken = Map.groupBy(
    creditNotes.flatMap((creditNote) => creditNote.items),
    ({ invoiceItemId }) => invoiceItemId,
  );
  const left = invoice.items.map(({ id: itemId, quantity }) => {
    const credits = (taken.get(itemId) ?? []).map((each) => each.quantity);
    return { id: itemId, quantityLeft: new Decimal(quantity.toFixed()).minus(sumOf(credits)).toFixed() };
  });
  expect(shown.items).toEqual(left);

  const unit = unitOf(invoice);
  for (const creditNote of creditNotes) {
    const own = new Decimal(creditNote.totalGross.toFixed()).minus(
      sumOf(creditNote.refunds.map(({ amount }) => amount)),
    );
    const due = shown.creditNotes.nodes.find((each: { id: string }) => each.id === creditNote.id).amountDue;
    expect(due).toBe(Decimal.min(own, toRefund).toFixed());
    const plain = vatBreakdownByCategory(categorized(creditNote.items), currency);
    for (const [index, { net, vat }] of (creditNote.vatBreakdown as { net: string; vat: string }[]).entries()) {
      expect(plain[index]!.net.toFixed()).toBe(net);
      expect(plain[index]!.vat.minus(vat).abs().lessThanOrEqualTo(unit)).toBe(true);
    }
  }
  return invoice;
}

it('whatever is credited, paid, refunded, and undone: the balance, the state, and the VAT are right', async () => {
  const seen = { credited: 0, refunded: 0, cancelled: 0 };
  await fc.assert(
    fc.asyncProperty(history, async ({ currency, items, groups }) => {
      const who = await service.integrator({ currency });
      const customerId = await makeCustomer(who);
      const id = await makeInvoice(who, { customerId, items, status: 'ISSUED' }).catch(() => undefined);
      fc.pre(id !== undefined); // a negative total is refused
      if (id === undefined) return;
      for (const group of groups) {
        const invoice = await read(who, id);
        await Promise.all(group.map((each) => take(who, invoice, each)));
        await expectInvariants(who, id);
      }
      // All that is left: the pieces are exactly the invoice.
      await take(who, await read(who, id), { kind: 'rest' });
      const invoice = await expectInvariants(who, id);
      const taken = invoice.creditNotes.flatMap(({ vatBreakdown }) => vatBreakdown as Record<string, string>[]);
      for (const { vatCategory, vatRate, net, vat } of vatBreakdownByCategory(categorized(invoice.items), currency)) {
        const ofShare = taken.filter(
          (each) => each['vat_category'] === vatCategory && vatRate.equals(each['vat_rate']!),
        );
        expect(sumOf(ofShare.map((each) => new Decimal(each['net']!))).toFixed()).toBe(net.toFixed());
        expect(sumOf(ofShare.map((each) => new Decimal(each['vat']!))).toFixed()).toBe(vat.toFixed());
      }
      expect(invoice.amountCredited.toFixed()).toBe(invoice.totalGross.toFixed());
      expect(invoice.creditNotes.map(({ number }) => number).toSorted()).toEqual(
        invoice.creditNotes.map(
          (_, index) => `CN-${new Date().getUTCFullYear()}-${String(index + 1).padStart(4, '0')}`,
        ),
      );
      expect(await findViolations((await service.contextOf(who)).db)).toEqual([]);
      seen.credited += invoice.creditNotes.length;
      seen.refunded += invoice.creditNotes.flatMap(({ refunds }) => refunds).length;
      seen.cancelled += Number(invoice.status === 'CANCELLED');
    }),
    { numRuns: 30, seed: 20261122 },
  );
  expect(seen.credited).toBeGreaterThan(30);
  expect(seen.refunded).toBeGreaterThan(0);
  expect(seen.cancelled).toBeGreaterThan(0);
});

it('many credit notes of many invoices at once have numbers without gaps', async () => {
  const who = await service.integrator();
  const customerId = await makeCustomer(who);
  const invoices = await Promise.all([1, 2, 3, 4].map(() => makeInvoice(who, { customerId, status: 'ISSUED' })));
  const amounts = [{ vatRate: '19', net: '30' }];
  // Of each invoice, three of four fit.
  const made = await Promise.allSettled(
    invoices.flatMap((invoiceId) => [1, 2, 3, 4].map(() => makeCreditNote(who, { invoiceId, amounts }))),
  );
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(12);
  const numbers = (await who.db.creditNote.findMany()).map(({ number }) => Number(number.slice(-4)));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
});

it('books that break a rule of credit notes have a fault', async () => {
  const who = await service.integrator();
  const invoiceId = await makeInvoice(who, { status: 'ISSUED' });
  const creditNote = await makeCreditNote(who, { invoiceId, amounts: [{ vatRate: '19', net: '50' }] });
  const { db } = await service.contextOf(who);
  const faultsAfter = async (sql: string, back: string): Promise<string[]> => {
    await service.pool.query(`update ${sql} where tenant_id = $1`, [who.tenantId]);
    const violations = (await findViolations(db)).map(({ type, message }) => `${type} ${message.split(':')[0]}`);
    await service.pool.query(`update ${back} where tenant_id = $1`, [who.tenantId]);
    return violations.toSorted();
  };
  expect(creditNote).toBeDefined();
  const stated = (vat: string, net = '50') =>
    `credit_notes set vat_breakdown = '[{"vat_category":"S","vat_rate":"19","net":"${net}","vat":"${vat}","exemption_reason":null}]'`;
  expect(await faultsAfter(stated('9.51'), stated('9.5'))).toEqual(['invoice items']);
  expect(await faultsAfter(stated('19.19', '101'), stated('9.5'))).toEqual(['invoice items']);
  const referring = (id: string) => `credit_note_items set invoice_item_id = ${id}`;
  const ofInvoice = '(select id from invoice_items as line where line.tenant_id = credit_note_items.tenant_id limit 1)';
  expect(await faultsAfter(`${referring(ofInvoice)}, quantity = 2`, `${referring('null')}, quantity = 1`)).toEqual([
    'invoice items',
  ]);
  const credited = (amount: string) => `invoices set amount_credited = ${amount}`;
  expect(await faultsAfter(credited('59.51'), credited('59.5'))).toEqual(['invoice amount_credited']);
  expect(await faultsAfter('credit_note_sequences set last = 2', 'credit_note_sequences set last = 1')).toEqual([
    'credit_note_sequence last',
  ]);
  expect(await findViolations(db)).toEqual([]);
});
