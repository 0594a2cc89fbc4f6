import type { Prisma, Row } from '../../../prisma/client.ts';
import { builder, type MutationFields } from '../../graphql/builder.ts';
import { businessTime, key, type Context } from '../../graphql/context.ts';
import { found, Problems, refuse } from '../../errors/errors.ts';
import { enforceFormat, requireBuyerVatNumber } from './rules.ts';
import { findTerms, type CurrentTerms } from './parties.ts';
import { emit, emitAll } from '../../events/events.ts';
import { byPosition, Invoice } from './type.ts';
import { computeBalance } from './balance.ts';
import { nextInvoiceNumber } from './next-number.ts';
import { newCreditNote, planAllowedCredit, type WholeCreditNote } from '../credit-note/new-credit-note.ts';
import { issueDateRules, refuseDisorder } from '../document/issue-date.ts';
import { Decimal } from '../../money/money.ts';
import { paymentStep, settled, type Payable, type Settled } from '../payment/amount.ts';
import { takeSteps, transitionRow, writeSteps, type Step } from '../../rows/transition.ts';
import { allows, transitions } from '../../rows/states.ts';
import type { PrefetchedRow } from '../../graphql/find-by-id.ts';
import { setInvoice } from '../time-entry/billed.ts';
import { refuseLocked } from '../period-lock/rules.ts';
import { insertNew } from '../../rows/insert-new.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';

// An invoice's transitions (DECISIONS.md#d14-transitions). Each holds the row's lock before it reads the state, so that the
// second of two concurrent transitions sees the first one's result. All run inside the caller's transaction.

/** An invoice with its lines, by position. */
export type WholeInvoice = Row<'Invoice'> & { items: Row<'InvoiceItem'>[] };

const withItems = { items: byPosition };

/**
 * draft → issued: takes the next number; and then, if the status says so or nothing is to be paid, → paid.
 * @param draft a new invoice, or a stored one under its lock
 * @param path that of its date in the input
 * @returns its steps; and its terms, null if there is no such customer
 */
export async function issue(
  context: Context,
  draft: WholeInvoice,
  path: string,
  status: 'ISSUED' | 'PAID' = 'ISSUED',
): Promise<{ steps: Step<'Invoice'>[]; terms: CurrentTerms | null }> {
  const number = await nextInvoiceNumber(context, draft);
  const place = { number, day: draft.invoiceDate };
  const terms = await findTerms(context, draft.customerId, place);
  if (terms?.refusesDisorder) refuseDisorder(context, place, terms.before ?? null, path);
  const now = businessTime(context);
  const steps: Step<'Invoice'>[] = [
    { changes: { number, status: 'ISSUED', issuedAt: now }, events: ['invoice.issued'] },
  ];
  const due = computeBalance(draft);
  if (status === 'PAID' || due.isZero())
    steps.push(paymentStep('invoice', { due, ...getSettled(draft) }, { paid: due, adjusted: new Decimal(0) }, now));
  const { row: invoice } = takeSteps(draft, steps);
  if (terms?.requiredFormat) await enforceFormat(context, invoice, draft.items, terms.requiredFormat);
  await requireBuyerVatNumber(context, invoice, draft.items);
  return { steps, terms };
}

async function issueStored(context: Context, invoice: Row<'Invoice'>): Promise<PrefetchedRow> {
  if (!allows(transitions.Invoice.issue, invoice.status))
    refuse('status', 'not_a_draft', 'Only a draft can be issued.');
  const problems = new Problems();
  issueDateRules(invoice.invoiceDate, context, problems, 'invoiceDate');
  problems.throwIfAny();
  await refuseLocked(context, 'SALES', invoice.invoiceDate, 'invoiceDate');
  const items = await context.db.invoiceItem.findMany({ where: { invoiceId: invoice.id }, ...byPosition });
  const draft = { ...invoice, items };
  const { steps } = await issue(context, draft, 'invoiceDate');
  return writeSteps(context, 'Invoice', draft, steps);
}

const getSettled = ({ amountPaid, amountAdjusted }: Row<'Invoice'>): Settled => ({
  paid: new Decimal(amountPaid),
  adjusted: new Decimal(amountAdjusted),
});

/** A locked invoice, with the amount to be paid; null unless the invoice is issued. */
export function getPayable(invoice: Row<'Invoice'>): Payable | null {
  const { id, status, currency, customerId: partnerId } = invoice;
  if (!allows(transitions.Invoice.settle, status)) return null;
  return { id, due: computeBalance(invoice), ...getSettled(invoice), currency, partnerId };
}

/** Takes the lock of an issued invoice; null for any other. */
export async function lockIssued(context: Context, id: string): Promise<Payable | null> {
  const invoice = await context.db.lock('Invoice', id, 'no key update');
  return invoice && getPayable(invoice);
}

/** Adds validated amounts to what is settled of a locked invoice. If nothing is due then, the invoice is paid. */
export async function countTowardsInvoice(context: Context, invoice: Payable, amounts: Settled): Promise<void> {
  const { id } = invoice;
  await writeSteps(context, 'Invoice', { id }, [paymentStep('invoice', invoice, amounts, businessTime(context))]);
}

/** Undoes a payment: if something is due then, a paid invoice is issued again. */
export async function unpayInvoice(context: Context, id: string, { paid, adjusted }: Settled): Promise<void> {
  const invoice = await found(context.db.lock('Invoice', id, 'no key update'));
  const isDue = computeBalance(invoice).plus(paid).plus(adjusted).greaterThan(0);
  const data = {
    amountPaid: { decrement: paid },
    ...(!adjusted.isZero() && { amountAdjusted: { decrement: adjusted } }),
    ...(isDue && ({ status: 'ISSUED', paidAt: null } as const)),
  };
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
    invoice.status === 'ISSUED' && computeBalance(invoice).lessThanOrEqualTo(creditNote.totalGross.toFixed());
  const changes = isSettled ? settled(businessTime(context)) : {};
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

/**
 * issued → cancelled, only while nothing is paid or refunded. Keeps its number; a credit note takes back all that is left of
 * it, and its time entries become unbilled again.
 */
async function cancel(context: Context, invoice: Row<'Invoice'>): Promise<PrefetchedRow> {
  const { id } = invoice;
  const { amountPaid, amountAdjusted, amountRefunded } = invoice;
  const isUntouched = [amountPaid, amountAdjusted, amountRefunded].every((amount) => new Decimal(amount).isZero());
  if (!allows(transitions.Invoice.cancel, invoice.status) || !isUntouched)
    refuse('status', 'wrong_state', 'Only an issued invoice of which nothing is paid can be cancelled.');
  const changes = { status: 'CANCELLED', cancelledAt: businessTime(context) } as const;
  const rest = await planAllowedCredit(context, invoice, {});
  const creditNote = await newCreditNote(context, invoice, {}, rest, true);
  const { after: cancelled } = await writeCreditNote(context, creditNote, changes);
  await unbillEntries(context, id);
  await emit(context, 'invoice.cancelled', cancelled);
  return cancelled;
}

/** Makes the time entries of an invoice unbilled again. */
export async function unbillEntries(context: Context, invoiceId: string): Promise<void> {
  const entries = await context.db.timeEntry.findMany({
    where: { invoiceId },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  await setInvoice(
    context,
    entries.map(({ id }) => id),
    null,
  );
}

const transition = (
  t: MutationFields,
  move: (inside: Context, invoice: Row<'Invoice'>) => Promise<PrefetchedRow>,
  description: string,
) =>
  t.prismaField({
    type: Invoice,
    description,
    ability: 'invoices:write',
    args: { ...idArgument, ...expectedVersionArgument },
    ...transitionRow('Invoice', move),
  });

builder.mutationFields((t) => ({
  issueInvoice: transition(t, issueStored, 'Issues a draft: it gets its number, and is to be paid.'),
  cancelInvoice: transition(t, cancel, 'Cancels an issued invoice without payments. It keeps its number.'),
}));
