import type { EInvoice, Seller } from '../e-invoice/model.ts';
import { type Block, type Canvas, type Element, mm, type TextStyle } from './canvas.ts';
import { fitWidths } from './column-widths.ts';
import type { Texts } from './texts.ts';

/** A4, and where text is on it. In points. DIN 5008: 25 mm on the left, 20 mm on the right. */
export const page = { width: mm(210), height: mm(297), left: mm(25), right: mm(190), contentWidth: mm(165) };

const topOfNextPages = mm(28);
const footerEnd = page.height - mm(13);
const pageNumberTop = page.height - mm(11);
const columnGap = mm(4);

/** The pages of a document, with what repeats on each of them. */
export class PageFrame {
  readonly #canvas: Canvas;
  readonly #invoice: EInvoice;
  readonly #texts: Texts;
  /** Undefined for a document without one. */
  readonly #watermark: string | undefined;
  readonly #footer: { x: number; lines: Block[] }[];
  readonly #footerTop: number;

  /** Where the content of a page must end. */
  readonly bottom: number;

  /** @param test whether it is a document of a test tenant */
  constructor(canvas: Canvas, invoice: EInvoice, texts: Texts, test = false) {
    this.#canvas = canvas;
    this.#invoice = invoice;
    this.#texts = texts;
    this.#watermark = test ? texts.test : invoice.number === undefined ? texts.draft : undefined;
    this.#footer = this.#layOutFooter();
    const heights = this.#footer.map(({ lines }) => lines.reduce((sum, { height }) => sum + height, 0));
    this.#footerTop = footerEnd - Math.max(...heights);
    this.bottom = this.#footerTop - mm(6);
  }

  #layOutFooter(): { x: number; lines: Block[] }[] {
    const style = this.#footerStyle;
    const columns = footerColumns(this.#invoice, this.#texts);
    const natural = columns.map(
      (column) => Math.max(...column.map((line) => this.#canvas.measureWidth(line, style))) + 0.1,
    );
    const available = page.contentWidth - columnGap * (columns.length - 1);
    const widths = fitWidths(natural, available);
    // The columns are spread over the page.
    const spare = (available - widths.reduce((sum, width) => sum + width, 0)) / Math.max(columns.length - 1, 1);
    let x = page.left;
    return columns.map((column, index) => {
      const width = widths[index] ?? 0;
      const start = x;
      x += width + spare + columnGap;
      return { x: start, lines: column.map((line) => this.#canvas.wrap(line, style, width)) };
    });
  }

  get #footerStyle(): TextStyle {
    return { size: 6.6, color: this.#canvas.colors.muted, leading: 1.42 };
  }

  get #smallStyle(): TextStyle {
    return { size: 7.5, color: this.#canvas.colors.muted };
  }

  /** Begins the first page. */
  firstPage(): void {
    this.#addPage();
    const { pdf, colors } = this.#canvas;
    // DIN 5008, form B: where to fold for an envelope, and where to punch.
    this.#canvas.artifact('Layout', () => {
      for (const [y, length] of [
        [105, 4],
        [148.5, 6],
        [210, 4],
      ] as const) {
        pdf
          .moveTo(mm(4), mm(y))
          .lineTo(mm(4 + length), mm(y))
          .lineWidth(0.4)
          .stroke(colors.hairline);
      }
    });
  }

  /** Begins another page. @returns where its content begins */
  nextPage(): number {
    this.#addPage();
    const { typeCode, number, seller } = this.#invoice;
    const title = [this.#texts.title[typeCode], number ?? `(${this.#texts.draft})`].join(' ');
    this.#canvas.artifact('Pagination', () => {
      const half = page.contentWidth / 2 - columnGap;
      this.#canvas.text(this.#oneLine(title, half), { x: page.left, y: mm(15) });
      const right = this.#oneLine(seller.name, half);
      this.#canvas.text(right, { x: page.right - half, y: mm(15), align: 'right', width: half });
    });
    return topOfNextPages;
  }

  /** A text that was said in full elsewhere, shortened to one line. */
  #oneLine(text: string, width: number): Block {
    const style = this.#smallStyle;
    const [first] = this.#canvas.wrap(text, style, width).lines;
    const isWhole = first === undefined || first.text.length >= text.trim().length;
    return this.#canvas.wrap(isWhole ? text : `${[...first.text].slice(0, -2).join('')}…`, style, width);
  }

  #addPage(): void {
    const { pdf, colors } = this.#canvas;
    this.#joinContent();
    pdf.addPage({ size: 'A4', margin: 0 });
    this.#canvas.artifact('Layout', () => {
      pdf.rect(0, 0, page.width, mm(1.6)).fill(colors.accent);
      if (this.#watermark !== undefined) this.#drawWatermark(this.#watermark.toUpperCase());
    });
  }

  /** pdfkit keeps each operator of the pages apart until the end, which takes many times the memory of their bytes. */
  #joinContent(): void {
    const { page: current } = this.#canvas.pdf as { page?: PDFKit.PDFPage | null }; // none before the first
    if (current) current.content.buffer = [Buffer.concat(current.content.buffer)];
  }

  #drawWatermark(text: string): void {
    const style: TextStyle = { size: 120, weight: 'semibold', color: this.#canvas.colors.watermark };
    const half = this.#canvas.measureWidth(text, style) / 2;
    const slope = Math.SQRT1_2;
    // Its middle is in the middle of the page.
    const x = page.width / 2 - half * slope + (style.size / 3) * slope;
    const y = page.height / 2 + half * slope + (style.size / 3) * slope;
    this.#canvas.turnedText(text, style, { x, y }, 45);
  }

  /** Draws the foot of each page. To be called when all pages are there. */
  finish(parent: Element): void {
    const { pdf } = this.#canvas;
    const { count } = pdf.bufferedPageRange();
    for (let index = 0; index < count; index++) {
      pdf.switchToPage(index);
      this.#canvas.artifact('Pagination', () => this.#drawPageNumber(index + 1, count));
      // The seller's particulars are said once to readers.
      if (index === 0) this.#canvas.element(parent, 'Note', {}, () => this.#drawFooter());
      else this.#canvas.artifact('Pagination', () => this.#drawFooter());
    }
  }

  #drawPageNumber(number: number, count: number): void {
    this.#canvas.rule(page.left, page.right, this.#footerTop - mm(2.5), this.#canvas.colors.hairline);
    const text = this.#canvas.wrap(this.#texts.page(number, count), this.#footerStyle, page.contentWidth);
    this.#canvas.text(text, { x: page.left, y: pageNumberTop, align: 'right', width: page.contentWidth });
  }

  #drawFooter(): void {
    for (const { x, lines } of this.#footer) {
      let y = this.#footerTop;
      for (const line of lines) {
        this.#canvas.text(line, { x, y });
        y += line.height;
      }
    }
  }
}

/** The seller's particulars. German law wants them on each business letter. */
function footerColumns({ seller, payment }: EInvoice, texts: Texts): string[][] {
  const { address, contact } = seller;
  const columns = [
    [seller.name, address.line1, address.line2, cityLine(address)],
    [contact.phone, contact.email],
    payment === undefined ? [] : [`IBAN ${groupIban(payment.iban)}`, payment.bic && `BIC ${payment.bic}`],
    [
      seller.registerEntry,
      seller.registrationNumber && `${texts.registrationNumber} ${seller.registrationNumber.value}`,
      seller.vatId && `${texts.vatId} ${seller.vatId}`,
      seller.taxNumber && `${texts.taxNumber} ${seller.taxNumber}`,
    ],
  ];
  return columns.map((column) => column.flatMap((line) => line || [])).filter((column) => column.length > 0);
}

/** 10115 Berlin */
export const cityLine = ({ postalCode, city }: Seller['address']): string | undefined =>
  [postalCode, city].filter(Boolean).join(' ') || undefined;

/** In groups of four, as people read it: DE12 5001 0517 … */
export const groupIban = (iban: string): string => iban.replaceAll(/\s/g, '').replaceAll(/(.{4})(?=.)/g, '$1 ');
