import type { Palette } from './colors.ts';
import { type FontStyle, type TextLine, Typesetter } from './typesetter.ts';

export type Pdf = PDFKit.PDFDocument;
export type Element = PDFKit.PDFStructureElement;

/** Points, of millimetres. */
export const mm = (millimetres: number): number => (millimetres * 72) / 25.4;

export interface TextStyle extends FontStyle {
  /** In points. */
  size: number;
  color: string;
  /** The height of a line, as a multiple of the size. */
  leading?: number;
}

/** Text that was broken into lines. */
export interface Block {
  lines: TextLine[];
  style: TextStyle;
  lineHeight: number;
  height: number;
  /** Of the widest line. Measured when it is asked for. */
  readonly width: number;
}

interface Position {
  x: number;
  /** From the top of the page. */
  y: number;
  /** `right` and `center` need a width. */
  align?: 'left' | 'right' | 'center';
  width?: number;
}

interface ElementOptions {
  alt?: string;
  lang?: string;
  /** Of a table's header cell. */
  scope?: 'Column' | 'Row';
}

const defaultLeading = 1.4;
// Of Inter, in em.
const ascent = 0.969;
const descent = 0.242;

/** Draws text and shapes on the current page, and says what they are. All lengths are in points. */
export class Canvas {
  readonly pdf: Pdf;
  readonly colors: Palette;
  readonly #typesetter: Typesetter;

  constructor(pdf: Pdf, typesetter: Typesetter, colors: Palette) {
    this.pdf = pdf;
    this.colors = colors;
    this.#typesetter = typesetter;
    for (const { name, font } of typesetter.faces) pdf.registerFont(name, font);
  }

  /** Breaks a text into lines of at most `width` points. */
  wrap(text: string, style: TextStyle, width: number): Block {
    return block(this.#typesetter.wrap(text, style, width / style.size), style);
  }

  /** The width of a text on one line. */
  measureWidth(text: string, style: TextStyle): number {
    return this.#typesetter.width(text, style) * style.size;
  }

  text({ lines, style, lineHeight }: Block, { x, y, align = 'left', width = 0 }: Position): void {
    const share = align === 'right' ? 1 : align === 'center' ? 0.5 : 0;
    for (const [index, line] of lines.entries()) {
      const baseline = y + index * lineHeight + (lineHeight + (ascent - descent) * style.size) / 2;
      const start = share === 0 ? x : x + (width - line.width * style.size) * share;
      this.#line(line, style, start, baseline);
    }
  }

  /** A text on one line at a baseline, turned counter-clockwise around its start. */
  turnedText(text: string, style: TextStyle, { x, y }: { x: number; y: number }, degrees: number): void {
    this.pdf.save().rotate(-degrees, { origin: [x, y] });
    this.#line(this.#typesetter.line(text, style), style, x, y);
    this.pdf.restore();
  }

  #line(line: TextLine, style: TextStyle, start: number, baseline: number): void {
    let x = start;
    this.pdf.fillColor(style.color);
    for (const run of line.runs) {
      const { text, face, actual } = run;
      if (actual !== undefined) this.#markReplacement(actual);
      this.pdf.font(face.name, style.size).text(text, x, baseline, {
        lineBreak: false,
        baseline: 'alphabetic',
        features: Typesetter.features(style),
      });
      if (actual !== undefined) this.#endReplacement();
      if (run !== line.runs.at(-1)) x += run.width * style.size;
    }
  }

  /** Marks the content that follows as standing for another text. */
  #markReplacement(actual: string): void {
    // pdfkit turns the page upside down, and only texts back. Readers look for the replacement where the page is at the
    // end of the mark, so it is turned around the mark as well.
    this.#turnPage();
    this.pdf.markContent('Span', { actual });
    this.#turnPage();
  }

  #endReplacement(): void {
    this.pdf.restore();
    this.pdf.endMarkedContent();
    this.pdf.restore();
  }

  #turnPage(): void {
    this.pdf.save().transform(1, 0, 0, -1, 0, this.pdf.page.height);
  }

  rule(x1: number, x2: number, y: number, color: string, width = 0.5): void {
    this.pdf.moveTo(x1, y).lineTo(x2, y).lineWidth(width).stroke(color);
  }

  /** A part of the document's structure. Its content is drawn at once. */
  element(parent: Element, type: string, options: ElementOptions = {}, draw?: () => void): Element {
    const element = this.pdf.struct(type, options);
    parent.add(element);
    if (draw !== undefined) element.add(draw);
    return element;
  }

  /** Draws content that repeats on each page or only decorates it. Readers leave it out. */
  artifact(type: 'Pagination' | 'Layout', draw: () => void): void {
    this.pdf.markContent('Artifact', { type });
    draw();
    this.pdf.endMarkedContent();
  }
}

function block(lines: TextLine[], style: TextStyle): Block {
  const lineHeight = style.size * (style.leading ?? defaultLeading);
  return {
    lines,
    style,
    lineHeight,
    height: lines.length * lineHeight,
    get width() {
      return Math.max(0, ...lines.map((line) => line.width)) * style.size;
    },
  };
}

/** Some lines of a block. */
export const buildLines = (whole: Block, from: number, to: number): Block =>
  block(whole.lines.slice(from, to), whole.style);
