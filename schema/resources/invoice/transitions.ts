import type { Row } from '../../../prisma/client.ts';
import { builder, type MutationFields } from '../../builder.ts';
import { key, today, type Context } from '../../context.ts';
import { found, Problems, refuse } from '../../errors.ts';
import { emit, type EventInput } from '../../events/events.ts';
import { byPosition, Invoice } from './invoice.ts';
import { nextInvoiceNumber } from './next-number.ts';
import { withPrefetchedRow } from '../../rows/prefetched-row.ts';
import { Decimal, minorDigits } from '../../money/money.ts';

// An invoice's transitions (DECISIONS.md#d14-transitions). Each locks the row before it looks at the state, so that of
// two at once the second sees what the first did. All run inside the caller's transaction.

/** An invoice with its lines, by position. */
export type WholeInvoice = Row<'Invoice'> & { items: Row<'InvoiceItem'>[] };

const withItems = { items: byPosition };

/** What a draft becomes when it is issued. */
const issued = ({ now }: Context, number: string) => ({ number, status: 'ISSUED', issuedAt: now() }) as const;
/** What an issued invoice becomes when the last of it is paid. */
const settled = ({ now }: Context) => ({ status: 'PAID', paidAt: now() }) as const;

/** draft → issued: takes the next number. A total of zero is paid the moment it is issued. */
export async function issue(context: Context, id: string): Promise<Row<'Invoice'>> {
  const draft = await found(context.db.lock('Invoice', id, 'no key update'));
  if (draft.status !== 'DRAFT') refuse('status', 'Only a draft can be issued.');
  const data = issued(context, await nextInvoiceNumber(context, draft.invoiceDate));
  const invoice = await context.db.invoice.update({ where: key(context, id), data, include: withItems });
  await emit(context, 'invoice.issued', invoice);
  return new Decimal(invoice.totalGross).isZero() ? settle(context, id) : invoice;
}

/** A new invoice that is issued at once, or paid in full at once: the rows to write, and what happened to it. */
export async function issueNew(context: Context, draft: WholeInvoice, status: 'ISSUED' | 'PAID') {
  const { id: invoiceId, totalGross: amount, currency } = draft;
  let invoice: WholeInvoice = { ...draft, ...issued(context, await nextInvoiceNumber(context, draft.invoiceDate)) };
  const happened: EventInput[] = [
    ['invoice.created', draft],
    ['invoice.issued', invoice],
  ];
  const isFree = new Decimal(amount).isZero();
  if (status === 'PAID' || isFree) {
    invoice = { ...invoice, amountPaid: amount, ...settled(context) };
    happened.push(['invoice.paid', invoice]);
  }
  const payment = { invoiceId, amount, currency, paidOn: today(context) };
  const payments = status === 'PAID' && !isFree ? [context.db.row('Payment', payment)] : [];
  return { invoice, payments, happened };
}

/** What can be paid, and how much of it is due. Its row is locked. */
export interface Payable {
  id: string;
  due: Decimal;
  currency: string;
}

/** What a payment comes to. */
export interface Paid {
  amount: Decimal;
  currency: string;
}

/** Takes the lock of an issued invoice; null for any other. */
export async function lockIssued(context: Context, id: string): Promise<Payable | null> {
  const invoice = await context.db.lock('Invoice', id, 'no key update');
  if (invoice?.status !== 'ISSUED') return null;
  return { id, due: new Decimal(invoice.totalGross).minus(invoice.amountPaid), currency: invoice.currency };
}

/** A payment is to the minor digits of the currency of what it settles. */
export function decimalsRules(amount: Decimal, currency: string, problems: Problems): void {
  const digits = minorDigits(currency);
  if (amount.decimalPlaces() > digits)
    problems.add('amount', `Must not have more than ${digits} decimals in this currency.`);
}

/**
 * What is paid when somebody pays `amount`: by default whatever is due.
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
 * Counts `amount`, or whatever is due, towards an issued invoice; the last of it makes the invoice paid.
 * @returns what is paid
 */
export async function payInvoice(context: Context, id: string, amount?: Decimal | null): Promise<Paid> {
  const invoice = await lockIssued(context, id);
  if (!invoice) return refuseState(context, id, 'Only an issued invoice can be paid.');
  const paid = paidOf(invoice, amount);
  await countTowardsInvoice(context, invoice, paid.amount);
  return paid;
}

/** Counts an amount that has been checked towards an invoice whose lock is held. */
export async function countTowardsInvoice(context: Context, { id, due }: Payable, amount: Decimal): Promise<void> {
  const isAll = amount.equals(due);
  const data = { amountPaid: { increment: amount }, ...(isAll && settled(context)) };
  const invoice = await context.db.invoice.update({ where: key(context, id), data, include: withItems });
  if (isAll) await emit(context, 'invoice.paid', invoice);
}

/** Takes a payment back: a paid invoice is issued again. */
export async function unpayInvoice(context: Context, id: string, amount: Decimal): Promise<void> {
  const data = { amountPaid: { decrement: amount }, status: 'ISSUED', paidAt: null } as const;
  await context.db.invoice.update({ where: key(context, id), data });
  await emit(context, 'invoice.payment_reverted', id);
}

async function settle(context: Context, id: string): Promise<Row<'Invoice'>> {
  const where = key(context, id);
  const invoice = await context.db.invoice.update({ where, data: settled(context), include: withItems });
  await emit(context, 'invoice.paid', invoice);
  return invoice;
}

/** issued → cancelled, only while nothing is paid. Keeps its number; time entries it billed are free again. */
async function cancel(context: Context, id: string): Promise<Row<'Invoice'>> {
  const { status, amountPaid } = await found(context.db.lock('Invoice', id, 'no key update'));
  if (status !== 'ISSUED' || !new Decimal(amountPaid).isZero())
    refuse('status', 'Only an issued invoice of which nothing is paid can be cancelled.');
  const data = { status: 'CANCELLED', cancelledAt: context.now() } as const;
  const cancelled = await context.db.invoice.update({ where: key(context, id), data });
  await context.db.timeEntry.updateMany({ where: { invoiceId: id }, data: { invoiceId: null } });
  await emit(context, 'invoice.cancelled', cancelled);
  return cancelled;
}

async function refuseState(context: Context, id: string, message: string): Promise<never> {
  await found(context.db.invoice.findUnique({ where: key(context, id) }));
  refuse('status', message);
}

type Move = (context: Context, id: string) => Promise<Row<'Invoice'>>;

const transition = (t: MutationFields, move: Move, description: string) =>
  t.prismaField({
    type: Invoice,
    description,
    ability: 'invoices:write',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (query, _root, { id }, context) =>
      context.transaction(async (inside) => {
        const invoice = await move(inside, id);
        return found(
          withPrefetchedRow(inside.db, 'invoice', invoice).invoice.findUnique({ ...query, where: key(context, id) }),
        );
      }),
  });

builder.mutationFields((t) => ({
  issueInvoice: transition(t, issue, 'Gives a draft its number and makes it due.'),
  cancelInvoice: transition(t, cancel, 'Withdraws an issued invoice of which nothing is paid. It keeps its number.'),
}));
