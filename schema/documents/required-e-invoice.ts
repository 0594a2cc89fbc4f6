import type { Row } from '../../prisma/client.ts';
import type { Context } from '../context.ts';
import { breachesOf, breachMessages } from '../e-invoice/breaches.ts';
import { isEInvoiceFormat, type EInvoiceFormat } from '../e-invoice/formats.ts';
import { ValidationError } from '../errors.ts';
import { findCompany } from '../resources/company.ts';
import { partiesOf } from '../resources/invoice/parties.ts';
import { sourceOf } from './document-source.ts';
import { toEInvoice } from './to-e-invoice.ts';

/** The format that invoices to a customer must keep to be issued; null for none, undefined without such a customer. */
export async function requiredFormatOf(
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
  const source = sourceOf(invoice, items, await partiesOf(context, invoice));
  const breaches = breachesOf(toEInvoice(source), format);
  if (breaches.length > 0) throw new ValidationError(breachMessages(breaches));
}
