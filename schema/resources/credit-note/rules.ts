import { findTerms } from '../invoice/parties.ts';
import type { Context } from '../../graphql/context.ts';
import type { DocumentSource } from '../../documents/document-source.ts';
import type { EInvoiceFormat } from '../../documents/e-invoice/formats.ts';
import { type Breach, findBreaches, toProblems } from '../../documents/e-invoice/breaches.ts';
import { toEInvoice } from '../../documents/to-e-invoice.ts';
import { readSource, creditNoteSource } from '../document/read-source.ts';
import type { WholeCreditNote } from './new-credit-note.ts';
import type { Row } from '../../../prisma/client.ts';
import { ValidationError } from '../../errors/errors.ts';

/**
 * The rules of a format that a credit note breaks: those that its invoice keeps, and those that the invoice breaks as well.
 * Nobody can mend the latter, because the invoice and its parties never change.
 */
export async function creditNoteBreaches(
  context: Context,
  source: DocumentSource,
  invoiceId: string,
  format: EInvoiceFormat,
): Promise<{ own: Breach[]; inherited: Breach[] }> {
  const found = findBreaches(toEInvoice(source), format);
  if (found.length === 0) return { own: [], inherited: [] };
  const known = new Set(findBreaches(toEInvoice(await readSource(context, { invoiceId })), format).map(({ id }) => id));
  const { own = [], inherited = [] } = Object.groupBy(found, ({ id }) => (known.has(id) ? 'inherited' : 'own'));
  return { own, inherited };
}

/**
 * Refuses a credit note that breaks rules of the format that its customer requires, unless its invoice breaks them too.
 * Called in the transaction that issues it.
 * @throws ValidationError with all these rules
 */
export async function enforceCreditNoteFormat(
  context: Context,
  creditNote: WholeCreditNote,
  invoice: Row<'Invoice'>,
): Promise<void> {
  const format = (await findTerms(context, invoice.customerId))?.requiredFormat;
  if (!format) return;
  const source = await creditNoteSource(context, creditNote, creditNote.items, invoice);
  const { own } = await creditNoteBreaches(context, source, invoice.id, format);
  if (own.length > 0) throw new ValidationError(toProblems(own));
}
