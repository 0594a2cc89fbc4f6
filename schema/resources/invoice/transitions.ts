import type { Prisma, Row } from '../../../prisma/client.ts';
import { builder, type MutationFields } from '../../graphql/builder.ts';
import { key, today, type Context } from '../../graphql/context.ts';
import { found, Problems, refuse } from '../../errors.ts';
import { enforceFormat, requiredFormatOf } from './required-e-invoice.ts';
import { requireBuyerVatNumber } from './required-vat-number.ts';
import { emit, emitAll, type EventInput } from '../../events/events.ts';
import { byPosition, Invoice } from './invoice.ts';
import { balanceOf } from './balance.ts';
import { nextInvoiceNumber } from './next-number.ts';
import { planCredit, newCreditNote, type WholeCreditNote } from '../credit-note/new-credit-note.ts';
import { Decimal, minorDigits } from '../../money/money.ts';
import { lockVersion } from '../../rows/locked-row.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { insertNew } from '../../rows/insert-new.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';

// An invoice's transitions (DECISIONS.md#d14-transitions). Each locks the row before it reads the state, so that the second
// of two concurrent transitions sees the first one's result. All run inside the caller's transaction.

/** An invoice with its lines, by position. */
export type WholeInvoice = Row<'Invoice'> & { items: Row<'InvoiceItem'>[] };

const withItems = { items: byPosition };

/** The changes to a draft that is issued. */
const issued = (issuedAt: Date, number: string) => ({ number, status: 'ISSUED', issuedAt }) as const;
/** The changes to an issued invoice of which nothing is due any more. */
export const settled = (paidAt: Date) => ({ status: 'PAID', paidAt }) as const;

/** draft → issued: takes the next number. An invoice with a total of zero is paid as soon as it is issued. */
async function issue(context: Context, id: string): Promise<Row<'Invoice'>> {
  const draft = await found(context.db.lock('Invoice', id, 'no key update'));
  if (draft.status !== 'DRAFT') refuse('status', 'Only a draft can be issued.');
  const number = await nextInvoiceNumber(context, draft);
  const requiredFormat = await requiredFormatOf(context, draft.customerId);
  if (requiredFormat) {
    const items = await context.db.invoiceItem.findMany({ where: { invoiceId: id }, ...byPosition });
    await enforceFormat(context, draft, items, requiredFormat);
  }
  const data = issued(context.now(), number);
  const invoice = await context.db.invoice.update({ where: key(context, id), data, include: withItems });
  await requireBuyerVatNumber(context, invoice, invoice.items);
  await emit(context, 'invoice.issued', invoice);
  return new Decimal(invoice.totalGross).isZero() ? settle(context, id) : invoice;
}

/** Builds a new invoice that is issued or fully paid at once. @returns the rows to write, and the events to record */
export async function issueNew(context: Context, draft: WholeInvoice, status: 'ISSUED' | 'PAID') {
  const { id: invoiceId, totalGross: amount, currency } = draft;
  const number = await nextInvoiceNumber(context, draft);
  const requiredFormat = await requiredFormatOf(context, draft.customerId);
  const now = context.now();
  let invoice: WholeInvoice = { ...draft, ...issued(now, number) };
  const events: EventInput[] = [
    ['invoice.created', draft],
    ['invoice.issued', invoice],
  ];
  const isFree = new Decimal(amount).isZero();
  if (status === 'PAID' || isFree) {
    invoice = { ...invoice, amountPaid: amount, ...settled(now) };
    if (!isFree) events.push(['invoice.payment_recorded', invoice]);
    events.push(['invoice.paid', invoice]);
  }
  if (requiredFormat) await enforceFormat(context, invoice, draft.items, requiredFormat);
  await requireBuyerVatNumber(context, invoice, draft.items);
  const payment = { invoiceId, amount, currency, paidOn: today(context) };
  const payments = status === 'PAID' && !isFree ? [context.db.row('Payment', payment)] : [];
  return { invoice, payments, events };
}

/** An invoice or receipt to pay, or a credit note to refund, with the due amount. Its row is locked. */
export interface Payable {
  id: string;
  due: Decimal;
  currency: string;
}

/** The amount of a payment. */
export interface Paid {
  amount: Decimal;
  currency: string;
}

/** Takes the lock of an issued invoice; null for any other. */
export async function lockIssued(context: Context, id: string): Promise<Payable | null> {
  const invoice = await context.db.lock('Invoice', id, 'no key update');
  if (invoice?.status !== 'ISSUED') return null;
  return { id, due: balanceOf(invoice), currency: invoice.currency };
}

/** A payment has at most the minor digits of its currency. */
export function decimalsRules(amount: Decimal, currency: string, problems: Problems): void {
  const digits = minorDigits(currency);
  if (amount.decimalPlaces() > digits)
    problems.add('amount', `Must not have more than ${digits} decimals in this currency.`);
}

/**
 * The amount of a payment: `amount`, or by default the due amount.
 * @throws ValidationError where it is too precise for the currency, or too much
 */
export function paidOf({ due, currency }: Payable, amount?: Decimal | null): Paid {
  const paid = amount ?? due;
  const problems = new Problems();
  decimalsRules(paid, currency, problems);
  problems.throwIfAny();
  if (paid.greaterThan(due)) refuse('amount', `Must not be more than the ${due.toFixed()} ${currency} due.`);
  return { amount: paid, currency };
}

/**
 * Adds `amount`, or by default the due amount, to an issued invoice's payments. If nothing is due then, the invoice is paid.
 * @returns the amount paid
 */
export async function payInvoice(context: Context, id: string, amount?: Decimal | null): Promise<Paid> {
  const invoice = await lockIssued(context, id);
  if (!invoice) return refuseState(context, id, 'Only an issued invoice can be paid.');
  const paid = paidOf(invoice, amount);
  await countTowardsInvoice(context, invoice, paid.amount);
  return paid;
}

/** Adds a validated amount to the payments of a locked invoice. */
export async function countTowardsInvoice(context: Context, { id, due }: Payable, amount: Decimal): Promise<void> {
  const isAll = amount.equals(due);
  const data = { amountPaid: { increment: amount }, ...(isAll && settled(context.now())) };
  const invoice = await context.db.invoice.update({ where: key(context, id), data, include: withItems });
  await emitAll(context, [
    ['invoice.payment_recorded', invoice],
    ...(isAll ? [['invoice.paid', invoice] as const] : []),
  ]);
}

/** Undoes a payment: if something is due then, a paid invoice is issued again. */
export async function unpayInvoice(context: Context, id: string, amount: Decimal): Promise<void> {
  const invoice = await found(context.db.lock('Invoice', id, 'no key update'));
  const isDue = balanceOf(invoice).plus(amount).greaterThan(0);
  const data = { amountPaid: { decrement: amount }, ...(isDue && ({ status: 'ISSUED', paidAt: null } as const)) };
  await context.db.invoice.update({ where: key(context, id), data });
  await emit(context, 'invoice.payment_reverted', id);
}

/**
 * Writes a new credit note of a locked invoice. If nothing is due of an issued invoice then, the invoice is paid.
 * @returns the credit note with the fields that `query` selects
 */
export async function credit(
  context: Context,
  invoice: Row<'Invoice'>,
  creditNote: WholeCreditNote,
  query: object,
): Promise<Row<'CreditNote'>> {
  const isSettled =
    invoice.status === 'ISSUED' && balanceOf(invoice).lessThanOrEqualTo(creditNote.totalGross.toFixed());
  const changes = isSettled ? settled(context.now()) : {};
  const { credited, after } = await writeCreditNote(context, creditNote, changes, query);
  await emitAll(context, [['invoice.credited', after], ...(isSettled ? [['invoice.paid', after] as const] : [])]);
  return credited;
}

/** Writes a credit note and its events. @param changes to the invoice, besides the credited amount */
async function writeCreditNote(
  context: Context,
  creditNote: WholeCreditNote,
  changes: Prisma.InvoiceUpdateInput,
  query: object = {},
) {
  const { invoiceId, totalGross, items } = creditNote;
  const data = { amountCredited: { increment: totalGross }, ...changes };
  const after = await context.db.invoice.update({ where: key(context, invoiceId), data, include: withItems });
  const known = { ...creditNote, invoice: after };
  const credited = await insertNew(context, 'CreditNote', known, {
    rows: { CreditNote: [creditNote], CreditNoteItem: items },
    events: [
      ['credit_note.created', known],
      ['credit_note.issued', known],
    ],
    query,
  });
  return { credited, after };
}

async function settle(context: Context, id: string): Promise<Row<'Invoice'>> {
  const where = key(context, id);
  const invoice = await context.db.invoice.update({ where, data: settled(context.now()), include: withItems });
  await emit(context, 'invoice.paid', invoice);
  return invoice;
}

/**
 * issued → cancelled, only while nothing is paid or refunded. Keeps its number; a credit note takes back all that is left of
 * it, and its time entries become unbilled again.
 */
async function cancel(context: Context, id: string): Promise<Row<'Invoice'>> {
  const invoice = await found(context.db.lock('Invoice', id, 'no key update'));
  const isUntouched = new Decimal(invoice.amountPaid).isZero() && new Decimal(invoice.amountRefunded).isZero();
  if (invoice.status !== 'ISSUED' || !isUntouched)
    refuse('status', 'Only an issued invoice of which nothing is paid can be cancelled.');
  const changes = { status: 'CANCELLED', cancelledAt: context.now() } as const;
  const problems = new Problems();
  const rest = await planCredit(context, invoice, {}, problems);
  problems.throwIfAny();
  if (!rest) throw new Error(`Nothing is left of the issued invoice ${id}`);
  const creditNote = await newCreditNote(context, invoice, {}, rest, true);
  const { after: cancelled } = await writeCreditNote(context, creditNote, changes);
  await unbillEntries(context, id);
  await emit(context, 'invoice.cancelled', cancelled);
  return cancelled;
}

/** Makes the time entries of an invoice unbilled again. */
export async function unbillEntries(context: Context, invoiceId: string): Promise<void> {
  const entries = await context.db.timeEntry.updateManyAndReturn({ where: { invoiceId }, data: { invoiceId: null } });
  await emitAll(
    context,
    entries.map((entry) => ['time_entry.unbilled', entry] as const),
  );
}

async function refuseState(context: Context, id: string, message: string): Promise<never> {
  await findById(context, 'Invoice', id);
  refuse('status', message);
}

type Move = (context: Context, id: string) => Promise<Row<'Invoice'>>;

const transition = (t: MutationFields, move: Move, description: string) =>
  t.prismaField({
    type: Invoice,
    description,
    ability: 'invoices:write',
    args: { ...idArgument, ...expectedVersionArgument },
    resolve: (query, _root, { id, expectedVersion }, context) =>
      context.transaction(async (inside) => {
        await lockVersion(inside, 'Invoice', id, expectedVersion);
        const invoice = await move(inside, id);
        return findById(inside, 'Invoice', invoice, query);
      }),
  });

builder.mutationFields((t) => ({
  issueInvoice: transition(t, issue, 'Issues a draft: it gets its number, and is to be paid.'),
  cancelInvoice: transition(t, cancel, 'Cancels an issued invoice without payments. It keeps its number.'),
}));
