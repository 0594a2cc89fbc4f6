import type { Row } from '../../../prisma/client.ts';
import { isMemberState, getVatCountry } from '../../codes/eu-countries.ts';
import { getVatCategory } from '../../money/vat-categories.ts';
import type { Context } from '../../graphql/context.ts';
import { findBreaches, breachMessages, type Breach } from '../../documents/e-invoice/breaches.ts';
import { ValidationError } from '../../errors.ts';
import { findPartiesOfDraft } from './parties.ts';
import { buildSource } from '../document/read-source.ts';
import type { DocumentSource } from '../../documents/document-source.ts';
import { toEInvoice } from '../../documents/to-e-invoice.ts';

// An invoice without VAT to a business in another member state must have the buyer's VAT number: Directive 2006/112/EC,
// Art. 226 (4); § 14a (1), (3) UStG; § 11 (1a) UStG 1994. See DECISIONS.md#d124-vat-of-an-invoice.

/** The rules of EN 16931 that demand it. */
const rules: ReadonlySet<string> = new Set(['BR-AE-02', 'BR-IC-02']);

/** Whether the buyer owes the VAT in another country than the seller's, as far as the addresses say. */
function isAcrossBorder({ seller, buyer }: DocumentSource): boolean {
  const [from, to] = [getVatCountry(seller), getVatCountry(buyer)];
  return from !== undefined && isMemberState(from) && (to === undefined || (to !== from && isMemberState(to)));
}

function findMissing(source: DocumentSource): Breach[] {
  const breaches = findBreaches(toEInvoice(source), 'factur-x');
  const missing = breaches.filter(({ id, field }) => rules.has(id) && field === 'customer.vat_id');
  return missing.filter(({ id }) => id === 'BR-IC-02' || isAcrossBorder(source));
}

/**
 * Refuses an invoice of the categories AE or K whose buyer has no VAT number. Called in the transaction that issues it.
 * @throws ValidationError
 */
export async function requireBuyerVatNumber(
  context: Context,
  invoice: Row<'Invoice'>,
  items: Row<'InvoiceItem'>[],
): Promise<void> {
  if (!items.map(getVatCategory).some((category) => category === 'AE' || category === 'K')) return;
  await context.db.lock('Customer', invoice.customerId, 'no key update');
  const missing = findMissing(buildSource(invoice, items, await findPartiesOfDraft(context, invoice.customerId)));
  if (missing.length > 0) throw new ValidationError(breachMessages(missing));
}
