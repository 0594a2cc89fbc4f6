import type { Row } from '../../../prisma/client.ts';
import { today, type Context } from '../../graphql/context.ts';
import { chooseLanguage } from '../../codes/languages.ts';
import { texts } from '../../documents/pdf/texts.ts';
import { Problems } from '../../errors/errors.ts';
import { Decimal } from '../../money/money.ts';
import { findCompany } from '../company/queries.ts';
import { findBefore, issueDateRules, refuseDisorder } from '../document/issue-date.ts';
import { findParties } from '../invoice/parties.ts';
import type { Metadata } from '../../graphql/scalars/metadata.ts';
import { nextCreditNoteNumber } from './next-number.ts';
import {
  creditedLines,
  creditTotals,
  isUsedUp,
  computeRemainder,
  type Remainder,
  type Requested,
} from './remainder.ts';
import { refuseLocked } from '../period-lock/rules.ts';
import { copyExchange } from '../exchange-rate.ts';
import { storeBreakdown } from './vat-breakdown.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';

/** A credit note with its lines, by position. */
export type WholeCreditNote = Row<'CreditNote'> & { items: Row<'CreditNoteItem'>[] };

/** The request from which a credit note is made. */
export interface CreditRequest extends Requested {
  reason?: string | null;
  externalId?: string | null;
  metadata?: Metadata | null;
  /** Default: the tenant's today, or the invoice date if that is later. */
  creditNoteDate?: Date | null;
}

/** Reads the rest of an invoice that isn't credited. Under the lock of the invoice it stays so. */
export async function readRemainder({ db }: Context, { id, currency }: Row<'Invoice'>): Promise<Remainder> {
  const [items, credited] = await Promise.all([
    db.invoiceItem.findMany({ where: { invoiceId: id }, orderBy: { position: 'asc' } }),
    db.creditNoteItem.findMany({ where: { creditNote: { invoiceId: id } } }),
  ]);
  return computeRemainder(items, credited, currency);
}

/**
 * The lines and totals that a credit note takes of an issued or paid invoice. Adds a problem where the request isn't
 * allowed.
 * @returns undefined where it isn't
 */
export async function planCredit(
  context: Context,
  invoice: Row<'Invoice'>,
  request: Readable<CreditRequest>,
  problems: Problems,
) {
  const { creditNoteDate, reason } = request;
  issueDateRules(creditNoteDate, context, problems, 'input.creditNoteDate');
  if (creditNoteDate && creditNoteDate < invoice.invoiceDate)
    problems.add('input.creditNoteDate', 'wrong_order', 'Must not be before the invoice date.');
  if (invoice.status === 'DRAFT' || invoice.status === 'CANCELLED') {
    problems.add('input.invoiceId', 'wrong_state', 'Only an issued or paid invoice can be credited.');
    return undefined;
  }
  const remainder = await readRemainder(context, invoice);
  if (isUsedUp(remainder)) {
    problems.add('input.invoiceId', 'nothing_left', 'Nothing is left of this invoice.');
    return undefined;
  }
  const lines = creditedLines(remainder, request, reason || (await usualTitle(context, invoice)), problems);
  if (problems.any) return undefined;
  const totals = creditTotals(remainder, lines, problems);
  const adjusted = new Decimal(invoice.amountAdjusted);
  const left = new Decimal(invoice.totalGross).minus(invoice.amountCredited.toFixed()).minus(adjusted);
  if (!adjusted.isZero() && totals.totalGross.greaterThan(left))
    problems.add(
      'input',
      'exceeds_left',
      `Must not be more than ${left.toFixed()} ${invoice.currency}: ${adjusted.toFixed()} is settled by cash discounts, write-offs, or rounding. Undo these first, or credit less.`,
      { left: left.toFixed() },
    );
  return problems.any ? undefined : { lines, ...totals };
}

/** The same for a request that must be allowed. @throws ValidationError */
export async function planAllowedCredit(context: Context, invoice: Row<'Invoice'>, request: CreditRequest) {
  const problems = new Problems();
  const taken = await planCredit(context, invoice, request, problems);
  problems.throwIfAny();
  if (!taken) throw new Error('A credit note that is not allowed has a problem');
  return taken;
}

/** The title of a line that credits an amount without a reason: the name of the document, in its language. */
async function usualTitle(context: Context, invoice: Row<'Invoice'>): Promise<string> {
  return texts[chooseLanguage(await findParties(context, invoice))].title[381];
}

/** A new credit note and its items, not written yet. The invoice is locked, and the request is allowed. */
export async function newCreditNote(
  context: Context,
  invoice: Row<'Invoice'>,
  { reason, creditNoteDate, externalId, metadata }: CreditRequest,
  { lines, shares, ...totals }: Awaited<ReturnType<typeof planAllowedCredit>>,
  isCancellation = false,
): Promise<WholeCreditNote> {
  const { db } = context;
  const date = creditNoteDate ?? getLater(today(context), invoice.invoiceDate);
  const path = isCancellation ? 'creditNoteDate' : 'input.creditNoteDate';
  await refuseLocked(context, 'SALES', date, path);
  const number = await nextCreditNoteNumber(context, date);
  const company = await findCompany(context);
  if (company?.issueDateOrder === 'REFUSE') {
    const place = { number, day: date };
    refuseDisorder(context, place, await findBefore(context, 'CreditNote', place), path);
  }
  const creditNote = db.row('CreditNote', {
    invoiceId: invoice.id,
    customerId: invoice.customerId,
    number,
    creditNoteDate: date,
    reason: reason ?? null,
    externalId,
    metadata,
    isCancellation,
    currency: invoice.currency,
    ...copyExchange(invoice),
    ...totals,
    vatBreakdown: storeBreakdown(shares),
  });
  const items = lines.map((line, index) =>
    db.row('CreditNoteItem', { ...line, creditNoteId: creditNote.id, position: index + 1 }),
  );
  return { ...creditNote, items };
}

const getLater = (a: Date, b: Date): Date => (a < b ? b : a);
