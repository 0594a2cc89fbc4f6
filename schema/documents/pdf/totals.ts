import type { Language } from '../../codes/languages.ts';
import type { AccountingVat, EInvoice } from '../e-invoice/model.ts';
import { type Block, type Canvas, type Element, mm, type TextStyle } from './canvas.ts';
import { formatsFor, type Formats } from './formats.ts';
import { formatMark } from './line-columns.ts';
import { page } from './page-frame.ts';
import type { Texts } from './texts.ts';
import type { VatNote } from './vat-notes.ts';

const width = mm(92);
const left = page.right - width;
const inset = mm(3);
const gap = mm(4);
const rowPadding = mm(0.8);
const above = mm(4);

interface TotalRow {
  label: Block;
  amount: Block;
  isEmphasized: boolean;
  height: number;
}

export interface Totals {
  /** With the space above. */
  height: number;
  /** @returns where they end */
  draw(parent: Element, y: number): number;
}

/** The sums: net, VAT for each category and rate, and in the accounting currency, gross, and what is still to be paid. */
export function layOutTotals(
  canvas: Canvas,
  invoice: EInvoice,
  { texts, formats, language, notes }: { texts: Texts; formats: Formats; language: Language; notes: VatNote[] },
): Totals {
  const { totals, typeCode, currency, accounting } = invoice;
  const rows: [string, string][] = [
    [texts.total.net, formats.money(totals.net)],
    ...invoice.vatBreakdown.map((share): [string, string] => {
      const label = texts.vat[share.category](formats.percent(share.rate), formats.money(share.net));
      const mark = formatMark({ vatCategory: share.category, vatRate: share.rate }, notes);
      return [mark === '' ? label : `${label}\u00a0${mark}`, formats.money(share.vat)];
    }),
    ...(accounting ? [accountingRow(accounting, currency, texts, language)] : []),
    [texts.total.gross[typeCode], formats.money(totals.gross)],
  ];
  if (!totals.paid.isZero()) {
    const due = totals.due.isNegative() ? texts.total.credit : texts.total.due;
    rows.push([texts.total.paid, formats.money(totals.paid.negated())], [due, formats.money(totals.due.abs())]);
  }
  const blocks = rows.map(([label, amount], index) => layOutRow(canvas, label, amount, index === rows.length - 1));
  return {
    height: above + blocks.reduce((sum, { height }) => sum + height, 0),
    draw: (parent, y) => draw(canvas, parent, blocks, y + above),
  };
}

/** "VAT in EUR at the rate 1 USD = 0.9234 EUR of 27 Feb 2026 (ECB)". */
function accountingRow(
  { currency, vat, rate, day, source }: AccountingVat,
  from: string,
  texts: Texts,
  language: Language,
): [string, string] {
  const formats = formatsFor(language, currency);
  const equation = `1\u00a0${from} = ${formats.quantity(rate)}\u00a0${currency}`;
  return [texts.accountingVat(currency, equation, formats.day(day), source), formats.money(vat)];
}

function layOutRow(canvas: Canvas, label: string, amount: string, isEmphasized: boolean): TotalRow {
  const { colors } = canvas;
  const style: TextStyle = isEmphasized
    ? { size: 11.5, weight: 'semibold', color: colors.accentText }
    : { size: 8.8, color: colors.ink };
  const inner = width - 2 * inset;
  const amountBlock = canvas.wrap(amount, { ...style, tabular: true }, inner * 0.7);
  const labelStyle = isEmphasized ? style : { ...style, color: colors.muted };
  const labelBlock = canvas.wrap(label, labelStyle, inner - gap - amountBlock.width);
  const padding = isEmphasized ? mm(2) : rowPadding;
  return {
    label: labelBlock,
    amount: amountBlock,
    isEmphasized,
    height: Math.max(labelBlock.height, amountBlock.height) + 2 * padding + (isEmphasized ? mm(1.5) : 0),
  };
}

function draw(canvas: Canvas, parent: Element, rows: TotalRow[], top: number): number {
  const table = canvas.element(parent, 'Table');
  let y = top;
  for (const { label, amount, isEmphasized, height } of rows) {
    const bottom = y + height;
    if (isEmphasized) {
      canvas.artifact('Layout', () =>
        canvas.pdf.roundedRect(left, y + mm(1.5), width, height - mm(1.5), 3).fill(canvas.colors.tint),
      );
    }
    const textTop = y + (isEmphasized ? mm(3.5) : rowPadding);
    const row = canvas.element(table, 'TR');
    canvas.element(row, 'TH', { scope: 'Row' }, () => canvas.text(label, { x: left + inset, y: textTop }));
    canvas.element(row, 'TD', {}, () =>
      canvas.text(amount, { x: left + inset, y: textTop, align: 'right', width: width - 2 * inset }),
    );
    y = bottom;
  }
  return y;
}
