import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { eInvoiceFormats } from '../e-invoice/formats.ts';
import type { EInvoice } from '../e-invoice/model.ts';
import { buildLines, Canvas, type Element, mm, type Pdf, type TextStyle } from './canvas.ts';
import { palette } from './colors.ts';
import { formatsFor } from './formats.ts';
import { drawLetterhead } from './letterhead.ts';
import { noteMark } from './line-columns.ts';
import { drawLineTable } from './line-table.ts';
import { isStorableLogo } from './logo.ts';
import { page, PageFrame } from './page-frame.ts';
import { layOutPayment, paymentSentence } from './payment.ts';
import { type Conformance, dublinCore, facturX, type FacturXProfile } from './pdf-a.ts';
import { loadQrEncoder, type QrCode } from './qr-code.ts';
import type { Language } from '../../codes/languages.ts';
import { texts } from './texts.ts';
import { layOutTotals } from './totals.ts';
import { loadTypesetter, type Typesetter } from './typesetter.ts';
import { vatNotes } from './vat-notes.ts';

/** How a document looks, and what it says besides the invoice. */
export interface DocumentLook {
  language: Language;
  /** #rrggbb */
  accentColor: string;
  /** One of makeStorableLogo(). Without it, or for any other picture, the seller's name is written in its place. */
  logo?: Uint8Array | undefined;
  /** Stands below the title. */
  subject?: string | undefined;
  /** The last words of the document. */
  footer?: string | undefined;
  /** Whether it is a document of a test tenant, and has a watermark. */
  test?: boolean;
}

/** A Cross Industry Invoice, which makes the PDF a Factur-X or ZUGFeRD document. */
export interface FacturXAttachment {
  xml: Uint8Array;
  /** EN 16931 if undefined. */
  profile?: FacturXProfile;
}

/**
 * Renders an invoice or credit note as a tagged PDF/A-3b. An invoice without a number becomes a draft with a watermark, and a
 * test tenant's document has one, too.
 *
 * The bytes depend on the arguments only. A character that no font has is drawn as □.
 * @param conformance PDF/A-1b can't have an attachment
 * @throws if the currency isn't one of ISO 4217
 */
export async function renderPdf(
  invoice: EInvoice,
  look: DocumentLook,
  attachment?: FacturXAttachment,
  conformance: Conformance = 'PDF/A-3b',
): Promise<Buffer> {
  const [{ default: PDFDocument }, typesetter, encodeQr] = await Promise.all([
    import('pdfkit'),
    loadTypesetter(JSON.stringify([invoice, look.subject, look.footer])),
    loadQrEncoder(),
  ]);
  // pdfkit embeds such a picture as it is. Others it would decode, which nothing bounds.
  const logo = look.logo && isStorableLogo(look.logo) ? look.logo : undefined;
  const date = new Date(`${invoice.issueDate}T00:00:00Z`);
  const pdf = new PDFDocument({
    autoFirstPage: false,
    bufferPages: true,
    // No default font: pdfkit's wouldn't be embedded.
    font: '',
    pdfVersion: conformance === 'PDF/A-3b' ? '1.7' : '1.4',
    subset: conformance,
    tagged: true,
    lang: look.language,
    displayTitle: true,
    // The file's identifier is computed from these.
    info: { Producer: 'Kontor', Creator: 'Kontor', CreationDate: date, Fingerprint: fingerprint(invoice) },
  });
  const bytes = buffer(pdf);
  const title = [texts[look.language].title[invoice.typeCode], invoice.number ?? texts[look.language].draft].join(' ');
  pdf.appendXML(dublinCore({ title, author: invoice.seller.name, language: look.language }));
  if (attachment !== undefined) {
    const { xml, profile = 'EN 16931' } = attachment;
    const { fileName } = eInvoiceFormats['factur-x'];
    pdf.appendXML(facturX(fileName, profile));
    pdf.file(Buffer.from(xml), {
      name: fileName,
      type: 'text/xml',
      relationship: 'Alternative',
      description: title,
      creationDate: date,
      modifiedDate: date,
    });
  }
  drawDocument(pdf, invoice, { ...look, logo }, { typesetter, encodeQr });
  pdf.end();
  return bytes;
}

/** Tells the identifiers of two documents of one day apart. */
const fingerprint = (invoice: EInvoice): string => createHash('sha256').update(JSON.stringify(invoice)).digest('hex');

function drawDocument(
  pdf: Pdf,
  invoice: EInvoice,
  look: DocumentLook,
  { typesetter, encodeQr }: { typesetter: Typesetter; encodeQr: (bytes: Uint8Array) => QrCode },
): void {
  const canvas = new Canvas(pdf, typesetter, palette(look.accentColor));
  const formats = formatsFor(look.language, invoice.currency);
  const notes = vatNotes(invoice, look.language);
  const words = texts[look.language];
  const frame = new PageFrame(canvas, invoice, words, look.test);
  const context = { canvas, frame, texts: words, formats, language: look.language, notes, encodeQr };
  const root = pdf.struct('Document');
  pdf.addStructure(root);
  frame.firstPage();
  const flow = new Flow(context, root);
  flow.y = drawLetterhead(canvas, root, invoice, { texts: words, formats, logoPng: look.logo });

  const { ink, muted } = canvas.colors;
  const heading = [words.title[invoice.typeCode], invoice.number ?? `(${words.draft})`].join(' ');
  flow.paragraph(heading, { size: 19, weight: 'semibold', color: ink, leading: 1.25 }, 'H1');
  flow.paragraph(look.subject ?? '', { size: 10, color: muted });
  flow.y += mm(4.5);

  const totals = layOutTotals(canvas, invoice, context);
  flow.y = drawLineTable(context, root, invoice, flow.y, totals.height);
  flow.keepTogether(totals.height);
  flow.y = totals.draw(root, flow.y) + mm(5);

  const body: TextStyle = { size: 8.8, color: ink };
  for (const [index, { text }] of notes.entries()) flow.paragraph(`${noteMark(index)} ${text}`, body);
  if (notes.length > 0) flow.y += mm(2);

  const payment = layOutPayment(canvas, invoice, context);
  if (payment === undefined) flow.paragraph(paymentSentence(invoice, words, formats) ?? '', body);
  else {
    flow.keepTogether(payment.height);
    payment.draw(root, flow.y);
    flow.y += payment.height + mm(4);
  }
  flow.paragraph(invoice.paymentTerms ?? '', body);

  // The subject and the footer may be among the notes, for documents without a look.
  const rest = invoice.notes.filter((note) => note !== look.subject && note !== look.footer);
  for (const note of [...rest, look.footer ?? '']) flow.paragraph(note, body);
  frame.finish(root);
  root.end();
}

/** Puts texts below each other, on as many pages as they need. */
class Flow {
  readonly #canvas: Canvas;
  readonly #frame: PageFrame;
  readonly #parent: Element;
  y = 0;

  constructor({ canvas, frame }: { canvas: Canvas; frame: PageFrame }, parent: Element) {
    this.#canvas = canvas;
    this.#frame = frame;
    this.#parent = parent;
  }

  /** Begins another page if this one hasn't as much room. */
  keepTogether(height: number): void {
    if (this.y + height > this.#frame.bottom) this.y = this.#frame.nextPage();
  }

  paragraph(text: string, style: TextStyle, type = 'P'): void {
    if (text.trim() === '') return;
    const block = this.#canvas.wrap(text, style, page.contentWidth);
    const element = this.#canvas.element(this.#parent, type);
    for (const index of block.lines.keys()) {
      this.keepTogether(block.lineHeight);
      element.add(() => this.#canvas.text(buildLines(block, index, index + 1), { x: page.left, y: this.y }));
      this.y += block.lineHeight;
    }
    this.y += mm(1.5);
  }
}
