import type { Context } from '../graphql/context.ts';
import { findBreaches, toProblems } from './e-invoice/breaches.ts';
import { isNumbered } from './e-invoice/model.ts';
import { toXml } from './e-invoice/to-xml.ts';
import { refuse, ValidationError } from '../errors/errors.ts';
import type { DocumentSource } from './document-source.ts';
import { findLogo } from './logos.ts';
import { renderInThread } from './render-in-thread.ts';
import { toEInvoice } from './to-e-invoice.ts';
import type { FileFormat } from './file-formats.ts';

/**
 * Makes the bytes of a file. The same source gives the same bytes.
 * @throws ValidationError with the rules that the invoice breaks in a format of e-invoices
 */
export async function makeFile(
  context: Context,
  source: DocumentSource,
  format: FileFormat,
): Promise<Uint8Array<ArrayBuffer>> {
  if (format === 'pdf') return renderInThread(source, await findLogo(context, source.seller.logo_id));
  const invoice = toEInvoice(source);
  if (!isNumbered(invoice))
    refuse('status', 'wrong_state', 'A draft has no e-invoice: it gets its number when it is issued.');
  const breaches = findBreaches(invoice, format);
  if (breaches.length > 0) throw new ValidationError(toProblems(breaches));
  return Buffer.from(toXml(invoice, format));
}
