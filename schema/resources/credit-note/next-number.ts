import type { Context } from '../../graphql/context.ts';
import { formatInvoiceNumber, invoiceNumberSql, parseInvoiceNumber } from '../invoice/next-number.ts';

const prefix = 'CN-';

/**
 * The next credit note number, `CN-YYYY-NNNN` by the year of the credit note date. Gapless and never reused per tenant and
 * year, as invoice numbers are.
 */
export async function nextCreditNoteNumber(context: Context, creditNoteDate: Date): Promise<string> {
  const year = creditNoteDate.getUTCFullYear();
  const { last } = await context.db.creditNoteSequence.upsert({
    where: { tenantId_year: { tenantId: context.tenant.id, year } },
    create: { year, last: 1 },
    update: { last: { increment: 1 } },
  });
  return formatCreditNoteNumber(year, last);
}

export const formatCreditNoteNumber = (year: number, position: number): string =>
  prefix + formatInvoiceNumber(year, position);

/** The same as an expression of SQL: the last number of a row of the sequences. */
export const creditNoteNumberSql = (sequence: string): string => `'${prefix}' || ${invoiceNumberSql(sequence)}`;

/** The year and the position of a number in this service's format; undefined for another format. */
export const parseCreditNoteNumber = (number: string): ReturnType<typeof parseInvoiceNumber> =>
  number.startsWith(prefix) ? parseInvoiceNumber(number.slice(prefix.length)) : undefined;
