import { builder, type MutationFields } from './builder.ts';
import { key, today, type Context } from './context.ts';
import { found, refuse } from './errors.ts';
import { emit } from './events.ts';
import { Invoice } from './invoice.ts';
import { nextInvoiceNumber } from './invoice-number.ts';
import { Decimal } from './money.ts';

// An invoice's transitions (decisions, 4). Each takes the row's lock with the very update that checks its state, so
// that of two at once the second sees what the first did. All run inside the caller's transaction.

/** draft → issued: takes the next number. A total of zero is paid the moment it is issued. */
export async function issue(context: Context, id: string): Promise<void> {
  const [invoice] = await context.db.invoice.updateManyAndReturn({
    where: { id, status: 'DRAFT' },
    data: { issuedAt: context.now() },
  });
  if (!invoice) refuse('status', 'Only a draft can be issued.');
  const number = await nextInvoiceNumber(context, invoice.invoiceDate);
  await context.db.invoice.update({ where: key(context, id), data: { number, status: 'ISSUED' } });
  await emit(context, 'invoice.issued', id);
  if (new Decimal(invoice.totalGross).isZero()) await settled(context, id);
}

/** What can be paid, and how much of it is due. */
export interface Payable {
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
  const [invoice] = await context.db.invoice.updateManyAndReturn({
    where: { id, status: 'ISSUED' },
    data: { status: 'ISSUED' },
  });
  if (!invoice) return null;
  return { due: new Decimal(invoice.totalGross).minus(invoice.amountPaid), currency: invoice.currency };
}

/**
 * Counts `amount`, or whatever is due, towards an issued invoice; the last of it makes the invoice paid.
 * @returns what is paid
 */
export async function payInvoice(context: Context, id: string, amount?: Decimal | null): Promise<Paid> {
  const invoice = await lockIssued(context, id);
  if (!invoice) refuse('status', 'Only an issued invoice can be paid.');
  const { due, currency } = invoice;
  const paid = amount ?? due;
  if (paid.greaterThan(due)) refuse('amount', `Must not be more than the ${due.toFixed()} ${currency} due.`);
  await context.db.invoice.update({ where: key(context, id), data: { amountPaid: { increment: paid } } });
  if (paid.equals(due)) await settled(context, id);
  return { amount: paid, currency };
}

/** Pays whatever is due, today, with a payment of its own. */
export async function payInFull(context: Context, id: string): Promise<void> {
  const { status } = await found(context.db.invoice.findUnique({ where: key(context, id) }));
  if (status === 'PAID') return; // as a total of zero is since it was issued
  const paid = await payInvoice(context, id);
  await context.db.payment.create({ data: { invoiceId: id, ...paid, paidOn: today(context) } });
}

/** Takes a payment back: a paid invoice is issued again. */
export async function unpayInvoice(context: Context, id: string, amount: Decimal): Promise<void> {
  const data = { amountPaid: { decrement: amount }, status: 'ISSUED', paidAt: null } as const;
  await context.db.invoice.update({ where: key(context, id), data });
  await emit(context, 'invoice.payment_reverted', id);
}

async function settled(context: Context, id: string): Promise<void> {
  await context.db.invoice.update({ where: key(context, id), data: { status: 'PAID', paidAt: context.now() } });
  await emit(context, 'invoice.paid', id);
}

/** issued → cancelled, only while nothing is paid. Keeps its number; time entries it billed are free again. */
async function cancel(context: Context, id: string): Promise<void> {
  const cancelled = await context.db.invoice.updateMany({
    where: { id, status: 'ISSUED', amountPaid: 0 },
    data: { status: 'CANCELLED', cancelledAt: context.now() },
  });
  if (cancelled.count === 0) refuse('status', 'Only an issued invoice of which nothing is paid can be cancelled.');
  await context.db.timeEntry.updateMany({ where: { invoiceId: id }, data: { invoiceId: null } });
  await emit(context, 'invoice.cancelled', id);
}

const transition = (t: MutationFields, move: (context: Context, id: string) => Promise<void>, description: string) =>
  t.prismaField({
    type: Invoice,
    description,
    ability: 'invoices:write',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (query, _root, { id }, context) =>
      context.transaction(async (inside) => {
        await found(inside.db.invoice.findUnique({ where: key(context, id) }));
        await move(inside, id);
        return found(inside.db.invoice.findUnique({ ...query, where: key(context, id) }));
      }),
  });

builder.mutationFields((t) => ({
  issueInvoice: transition(t, issue, 'Gives a draft its number and makes it due.'),
  cancelInvoice: transition(t, cancel, 'Withdraws an issued invoice of which nothing is paid. It keeps its number.'),
}));
