import { batchPerRequest } from '../../../prisma/batching.ts';
import { today, type Context } from '../../graphql/context.ts';
import { refuse, type Problems } from '../../errors/errors.ts';
import { formatDay } from '../../graphql/scalars/scalars.ts';
import { creditNoteNumberSql, formatCreditNoteNumber, parseCreditNoteNumber } from '../credit-note/next-number.ts';
import type { Warning } from '../warning.ts';
import { formatInvoiceNumber, invoiceNumberSql, parseInvoiceNumber } from '../invoice/next-number.ts';

// The date of a document that is issued: its bounds, and its order in the series.

/** Before this day nobody issued what these books hold: it is a slip, such as the year 206. */
const firstDay = new Date('1900-01-01');

/** The last day that a document may have which is issued today: a year later. */
export function getLastDay(context: Context): Date {
  const day = today(context);
  day.setUTCFullYear(day.getUTCFullYear() + 1);
  return day;
}

/** The day of an invoice or credit note that is issued. Its year is the one of its number, so that it can't be mended later. */
export function issueDateRules(day: Date | null | undefined, context: Context, problems: Problems, path: string): void {
  const last = getLastDay(context);
  if (!day || (day >= firstDay && day <= last)) return;
  const [min, max] = [formatDay(firstDay), formatDay(last)];
  problems.add(path, 'day_out_of_range', `Must be from ${min} to ${max}.`, { min, max });
}

// The order of dates in a series: the numbers of one year. The last issued document has the number before one's own, so that
// what is true of a document stays true.

type Series = 'Invoice' | 'CreditNote';

/** A document that has a number. */
export interface Numbered {
  number: string;
  day: Date;
}

/** A document's place in its series. The number is null for a draft. */
export interface Place {
  number: string | null;
  day: Date;
}

/** Statements that find documents of a series: by their numbers, or the last ones of years. */
const findBy = (documents: string, day: string, sequences: string, numberSql: (sequence: string) => string) => ({
  byNumber: `
    select number as key, number, ${day}::text as day
    from ${documents} where tenant_id = $1 and number = any($2::text[])`,
  lastOfYear: `
    select sequence.year::text as key, number, ${day}::text as day
    from ${sequences} as sequence
      join ${documents} as document on document.tenant_id = sequence.tenant_id and number = ${numberSql('sequence')}
    where sequence.tenant_id = $1 and sequence.year = any($2::int[])`,
});

const series = {
  Invoice: {
    parse: parseInvoiceNumber,
    format: formatInvoiceNumber,
    models: ['Invoice', 'InvoiceSequence'],
    ...findBy('invoices', 'invoice_date', 'invoice_sequences', invoiceNumberSql),
    field: 'invoice_date',
  },
  CreditNote: {
    parse: parseCreditNoteNumber,
    format: formatCreditNoteNumber,
    models: ['CreditNote', 'CreditNoteSequence'],
    ...findBy('credit_notes', 'credit_note_date', 'credit_note_sequences', creditNoteNumberSql),
    field: 'credit_note_date',
  },
} as const;

/** Finds documents by their numbers, or the last ones of years. */
const findNumbered = batchPerRequest<Numbered | null, Context, { of: Series; by: 'byNumber' | 'lastOfYear' }>(
  async (keys, { db }, { of, by }) => {
    const { [by]: sql, models } = series[of];
    const rows = await db.$lookup<{ key: string; number: string; day: string }>(sql, [keys], models);
    return new Map(rows.map(({ key, number, day }) => [key, { number, day: new Date(day) }]));
  },
  null,
);

/** The number before one of a series; undefined for the first of a year, and for one that was given elsewhere. */
function getNumberBefore(of: Series, number: string): string | undefined {
  const { year, position = 1 } = series[of].parse(number) ?? {};
  return year === undefined || position === 1 ? undefined : series[of].format(year, position - 1);
}

/**
 * The document issued before one of this number or, without a number, before one of this day; null for none, and where the
 * number was given elsewhere.
 */
export async function findBefore(context: Context, of: Series, { number, day }: Place): Promise<Numbered | null> {
  if (number === null) return findNumbered(String(day.getUTCFullYear()), context, { of, by: 'lastOfYear' });
  const before = getNumberBefore(of, number);
  return before === undefined ? null : findNumbered(before, context, { of, by: 'byNumber' });
}

/**
 * findBefore() for an invoice, as an expression in a statement for the tenant $1: its `number` and `day` as JSON. The day is
 * null while the invoice waits to be written with others.
 * @param year the parameter for the first of getInvoiceBeforeValues()
 * @param number that for the second
 */
export const invoiceBeforeSql = (year: string, number: string): string => `(
  select json_build_object('number', before.number, 'day', (
    select invoice_date from invoices where tenant_id = $1 and invoices.number = before.number))
  from (select coalesce(${number}::text, (
    select ${invoiceNumberSql('sequence')} from invoice_sequences as sequence
    where sequence.tenant_id = $1 and sequence.year = ${year}::int)) as number) as before
  where before.number is not null)`;

/** The values of invoiceBeforeSql(): a year whose last invoice is meant, or a number. */
export const getInvoiceBeforeValues = ({ number, day }: Place): [year: number | null, number: string | null] =>
  number === null ? [day.getUTCFullYear(), null] : [null, getNumberBefore('Invoice', number) ?? null];

const isLater = (before: Numbered | null, { day }: Place): before is Numbered => before !== null && before.day > day;

/** The warning of a document which is dated before the one issued before it. */
export function getOrderWarnings(of: Series, place: Place, before: Numbered | null): Warning[] {
  if (!isLater(before, place)) return [];
  const message = `${before.number} was issued before it, and has a later date: ${formatDay(before.day)}.`;
  return [{ code: 'DATE_ORDER', field: series[of].field, message }];
}

/**
 * Refuses a document which is dated before the one issued before it. Called in the transaction that issues it, after it has
 * taken its number: others wait for the lock of the sequence.
 * @throws ValidationError at `path`
 */
export function refuseDisorder(context: Context, place: Numbered, before: Numbered | null, path: string): void {
  if (!isLater(before, place)) return;
  const [min, max] = [formatDay(before.day), formatDay(getLastDay(context))];
  const message = `Must not be before ${min}, the date of ${before.number}, which was issued last.`;
  refuse(path, 'day_out_of_range', message, { min, max });
}
