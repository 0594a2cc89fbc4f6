import type { EInvoice } from '../e-invoice/model.ts';
import { Decimal } from '../../money/decimal.ts';
import { type Block, type Canvas, type Element, buildLines, mm } from './canvas.ts';
import type { Formats } from './formats.ts';
import { cellTexts, type Column, type LineColumns, lineColumns, lineTexts, formatMark } from './line-columns.ts';
import { page, type PageFrame } from './page-frame.ts';
import type { Texts } from './texts.ts';
import type { VatNote } from './vat-notes.ts';

const padding = mm(1.6);
/** Fewer lines of one text don't stand alone on a page. */
const keptTogether = 3;

/** A block that stays on one page: a row's first lines with its amounts, or the following lines of its text. */
interface Part {
  texts: Block[];
  /** Only the first part of a row has them. */
  cells: [Column, Block][];
  /** Refers to a note on VAT. */
  mark: Block;
  isLast: boolean;
  height: number;
}

export interface TableContext {
  canvas: Canvas;
  frame: PageFrame;
  texts: Texts;
  formats: Formats;
  notes: VatNote[];
}

/**
 * Draws the table of lines, on as many pages as it needs. Where it goes on, the sum is carried forward.
 * @param y where it begins
 * @param totalsHeight the height of the totals: the last row stays on a page with them
 * @returns where it ends
 */
export function drawLineTable(
  context: TableContext,
  parent: Element,
  invoice: EInvoice,
  y: number,
  totalsHeight: number,
): number {
  const layout = lineColumns(context.canvas, invoice, context);
  const table = new LineTable(context, parent, layout, y);
  let sum = new Decimal(0);
  // The parts of one row at a time are in memory.
  for (const [row, line] of invoice.lines.entries()) {
    const parts = getParts(context, layout, line);
    const heightFrom = (from: number): number => parts.slice(from).reduce((total, { height }) => total + height, 0);
    // If the last row would start a new page alone, only its last lines move there with the totals.
    const tailOfLast = heightFrom(0) > mm(90) ? parts.length - 1 : 0;
    const tail = row === invoice.lines.length - 1 ? tailOfLast : Infinity;
    for (const [index, part] of parts.entries()) {
      const needed = index >= tail ? heightFrom(index) + totalsHeight : part.height + table.carryHeight;
      if (!table.hasRoomFor(needed)) table.continueOnNextPage(sum);
      if (index === 0) sum = sum.plus(line.net);
      table.drawPart(part);
    }
  }
  return table.end();
}

class LineTable {
  readonly #context: TableContext;
  readonly #layout: LineColumns;
  readonly #table: Element;
  readonly #heading: Block[];
  #row: { element: Element; name: Element } | undefined;
  #y: number;
  /** Whether a page's first row is still to come: a new page wouldn't have more room. */
  #isPageEmpty = true;
  #isFirstPage = true;

  readonly carryHeight: number;

  constructor(context: TableContext, parent: Element, layout: LineColumns, y: number) {
    this.#context = context;
    this.#layout = layout;
    this.#y = y;
    this.#heading = layout.columns.map(({ title, width }) => context.canvas.wrap(title, layout.styles.heading, width));
    this.carryHeight = layout.styles.cell.size * 1.4 + 2 * padding;
    this.#table = context.canvas.element(parent, 'Table');
    this.#drawHeading(context.canvas.element(this.#table, 'TR'));
  }

  hasRoomFor(height: number): boolean {
    return this.#y + height <= this.#context.frame.bottom || (this.#isPageEmpty && !this.#isFirstPage);
  }

  /** @param row undefined where the heading is repeated */
  #drawHeading(row: Element | undefined): void {
    const { canvas } = this.#context;
    const height = Math.max(...this.#heading.map((block) => block.height));
    const draw = ({ x, width, align }: Column, block: Block): void =>
      canvas.text(block, { x, width, align, y: this.#y + height - block.height });
    for (const [index, column] of this.#layout.columns.entries()) {
      const block = this.#heading[index];
      if (block === undefined) continue;
      if (row === undefined) canvas.artifact('Pagination', () => draw(column, block));
      else canvas.element(row, 'TH', { scope: 'Column' }, () => draw(column, block));
    }
    this.#y += height + mm(1.4);
    canvas.artifact('Layout', () => canvas.rule(page.left, page.right, this.#y, canvas.colors.accent, 1));
    this.#y += 0.5;
  }

  continueOnNextPage(sum: Decimal): void {
    const isBegun = !this.#isPageEmpty || !this.#isFirstPage;
    if (isBegun) this.#drawCarry(sum);
    this.#y = this.#context.frame.nextPage();
    this.#isPageEmpty = true;
    this.#isFirstPage = false;
    this.#drawHeading(undefined);
    if (isBegun) this.#drawCarry(sum);
  }

  #drawCarry(sum: Decimal): void {
    const { canvas, texts, formats } = this.#context;
    const style = this.#layout.styles.cell;
    const amount = canvas.wrap(formats.amount(sum), style, page.contentWidth / 2);
    const label = canvas.wrap(texts.carriedForward, { ...style, color: canvas.colors.muted }, page.contentWidth / 2);
    canvas.artifact('Pagination', () => {
      canvas.text(amount, { x: page.left, y: this.#y + padding, align: 'right', width: page.contentWidth });
      canvas.text(label, {
        x: page.left,
        y: this.#y + padding,
        align: 'right',
        width: page.contentWidth - amount.width - mm(5),
      });
      canvas.rule(page.left, page.right, this.#y + this.carryHeight, canvas.colors.hairline);
    });
    this.#y += this.carryHeight;
  }

  drawPart({ texts, cells, mark, isLast, height }: Part): void {
    const { canvas } = this.#context;
    const isFirst = cells.length > 0;
    if (this.#isPageEmpty && !isFirst) this.#y += padding / 2;
    const top = this.#y + (isFirst ? padding : 0);
    const drawCells = (row: Element, keys: 'before' | 'after'): void => {
      for (const [{ key, x, width, align }, block] of cells) {
        if ((key === 'position') !== (keys === 'before')) continue;
        canvas.element(row, 'TD', {}, () => {
          canvas.text(block, { x, width, align, y: top });
          // Beside the column, so that the rates are below each other.
          if (key === 'vat') canvas.text(mark, { x: x + width + mm(0.5), y: top });
        });
      }
    };
    if (isFirst) {
      const element = canvas.element(this.#table, 'TR');
      drawCells(element, 'before');
      this.#row = { element, name: canvas.element(element, 'TD') };
    }
    const x = this.#layout.columns.find(({ key }) => key === 'name')?.x ?? page.left;
    this.#row?.name.add(() => {
      let y = top;
      for (const block of texts) {
        canvas.text(block, { x, y });
        y += block.height;
      }
    });
    if (isFirst && this.#row !== undefined) drawCells(this.#row.element, 'after');
    this.#y += height;
    this.#isPageEmpty = false;
    if (isLast) canvas.artifact('Layout', () => canvas.rule(page.left, page.right, this.#y, canvas.colors.hairline));
  }

  end(): number {
    return this.#y;
  }
}

function getParts(context: TableContext, layout: LineColumns, line: EInvoice['lines'][number]): Part[] {
  const { canvas, formats, notes } = context;
  const contents = cellTexts(line, formats);
  const cells = layout.columns.flatMap((column): [Column, Block][] =>
    column.key === 'name' ? [] : [[column, cellBlock(canvas, contents[column.key], layout, column)]],
  );
  const mark = canvas.wrap(formatMark(line, notes), layout.styles.cell, page.contentWidth);
  const singleLines = lineTexts(canvas, line, layout, context).flatMap((block) =>
    block.lines.map((_, index) => buildLines(block, index, index + 1)),
  );
  const groups = [singleLines.splice(0, keptTogether)];
  const last = singleLines.splice(-keptTogether);
  groups.push(...singleLines.map((each) => [each]));
  if (last.length === keptTogether) groups.push(last);
  else groups.at(-1)?.push(...last);
  return groups.map((texts, index) => {
    const isLast = index === groups.length - 1;
    const textHeight = texts.reduce((sum, { height }) => sum + height, 0);
    const cellHeight = index === 0 ? Math.max(...cells.map(([, block]) => block.height)) : 0;
    return {
      texts,
      cells: index === 0 ? cells : [],
      mark,
      isLast,
      height: Math.max(textHeight, cellHeight) + (index === 0 ? padding : 0) + (isLast ? padding : 0),
    };
  });
}

/** A number is on one line: broken, it would be read as two. So it is smaller where its column is too narrow. */
function cellBlock(canvas: Canvas, text: string, { styles }: LineColumns, { key, width }: Column): Block {
  const { cell } = styles;
  if (key === 'unit') return canvas.wrap(text, cell, width);
  const share = Math.min(1, width / canvas.measureWidth(text, cell));
  return canvas.wrap(text, { ...cell, size: cell.size * share * (share < 1 ? 0.99 : 1) }, width);
}
