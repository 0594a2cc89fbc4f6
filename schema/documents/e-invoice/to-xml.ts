import { toCii } from './cii.ts';
import { eInvoiceFormats, type EInvoiceFormat } from './formats.ts';
import type { NumberedEInvoice } from './model.ts';
import { prepare } from './prepare.ts';
import { toUbl } from './ubl.ts';

/**
 * The e-invoice in a format: a whole XML document, to be written as UTF-8. It is valid if `findBreaches()` finds nothing.
 * The same invoice gives the same text.
 */
export function toXml(invoice: NumberedEInvoice, format: EInvoiceFormat): string {
  const profile = eInvoiceFormats[format];
  const prepared = prepare(invoice, format);
  return profile.syntax === 'CII' ? toCii(prepared, profile) : toUbl(prepared, profile);
}
