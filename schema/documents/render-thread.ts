import { findBreaches } from './e-invoice/breaches.ts';
import { isNumbered } from './e-invoice/model.ts';
import { toXml } from './e-invoice/to-xml.ts';
import type { DocumentSource } from './document-source.ts';
import { renderPdf } from './pdf/render-pdf.ts';
import { buildLook, toEInvoice } from './to-e-invoice.ts';

export interface RenderWork {
  source: DocumentSource;
  /** A PNG. */
  logo: Uint8Array | null;
}

/** The work of a thread: an invoice's PDF. It contains the e-invoice if the invoice breaks no rule of Factur-X. */
export default async function render({ source, logo }: RenderWork): Promise<Uint8Array> {
  const invoice = toEInvoice(source);
  const isEInvoice = isNumbered(invoice) && findBreaches(invoice, 'factur-x').length === 0;
  const attachment = isEInvoice ? { xml: Buffer.from(toXml(invoice, 'factur-x')) } : undefined;
  return renderPdf(invoice, buildLook(source, logo), attachment);
}
