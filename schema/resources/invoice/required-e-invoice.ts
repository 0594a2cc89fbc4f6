import type { Row } from '../../../prisma/client.ts';
import type { Context } from '../../graphql/context.ts';
import { findBreaches, breachMessages, type Breach } from '../../documents/e-invoice/breaches.ts';
import { isEInvoiceFormat, type EInvoiceFormat } from '../../documents/e-invoice/formats.ts';
import { ValidationError } from '../../errors.ts';
import { findCompany } from '../company.ts';
import { findPartiesOfDraft } from './parties.ts';
import type { WholeCreditNote } from '../credit-note/new-credit-note.ts';
import { creditNoteSource, readSource, buildSource } from '../document/read-source.ts';
import type { DocumentSource } from '../../documents/document-source.ts';
import { toEInvoice } from '../../documents/to-e-invoice.ts';

/** The format that invoices to a customer must keep to be issued; null for none, undefined without such a customer. */
export async function findRequiredFormat(
  { db }: Context,
  customerId: string,
): Promise<EInvoiceFormat | null | undefined> {
  const [row] = await db.$rows<{ required: string }>(
    `select coalesce(customer.required_e_invoice, company.required_e_invoice, 'none') as required
     from customers as customer left join companies as company on company.tenant_id = customer.tenant_id
     where customer.tenant_id = $1 and customer.id = $2`,
    [customerId],
  );
  return row && (isEInvoiceFormat(row.required) ? row.required : null);
}

/**
 * Refuses an invoice that breaks rules of a format. Called in the transaction that issues it: until its end, seller and buyer
 * stay as they were checked.
 * @throws ValidationError with all these rules
 */
export async function enforceFormat(
  context: Context,
  invoice: Row<'Invoice'>,
  items: Row<'InvoiceItem'>[],
  format: EInvoiceFormat,
): Promise<void> {
  await context.db.lock('Customer', invoice.customerId, 'no key update');
  const company = await findCompany(context);
  if (company) await context.db.lock('Company', company.id, 'no key update');
  const source = buildSource(invoice, items, await findPartiesOfDraft(context, invoice.customerId));
  const breaches = findBreaches(toEInvoice(source), format);
  if (breaches.length > 0) throw new ValidationError(breachMessages(breaches));
}

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
  const format = await findRequiredFormat(context, invoice.customerId);
  if (!format) return;
  const source = await creditNoteSource(context, creditNote, creditNote.items, invoice);
  const { own } = await creditNoteBreaches(context, source, invoice.id, format);
  if (own.length > 0) throw new ValidationError(breachMessages(own));
}
