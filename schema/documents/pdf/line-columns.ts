import type { EInvoice, Line } from '../e-invoice/model.ts';
import { type Block, type Canvas, mm, type TextStyle } from './canvas.ts';
import { fitWidths } from './column-widths.ts';
import type { Formats } from './formats.ts';
import { page } from './page-frame.ts';
import type { Texts } from './texts.ts';
import type { VatNote } from './vat-notes.ts';

export type ColumnKey = 'position' | 'name' | 'quantity' | 'unit' | 'unitPrice' | 'discount' | 'vat' | 'net';

export interface Column {
  key: ColumnKey;
  title: string;
  align: 'left' | 'right';
  x: number;
  width: number;
}

export interface LineColumns {
  columns: Column[];
  styles: Record<'heading' | 'cell' | 'name' | 'description', TextStyle>;
}

const gap = mm(3.5);
const scales = [1, 0.94, 0.88, 0.82, 0.76, 0.7];
const comfortableNameWidth = mm(48);
const minNameWidth = mm(30);
const maxUnitWidth = mm(18);

/** The texts of a line's cells, except for its name. */
export function cellTexts(line: Line, formats: Formats): Record<Exclude<ColumnKey, 'name'>, string> {
  return {
    position: line.id,
    quantity: formats.quantity(line.quantity),
    unit: line.unit ?? '',
    unitPrice: formats.amount(line.unitPrice),
    discount: line.discount === undefined ? '' : formats.percent(line.discount.percent),
    vat: formats.percent(line.vatRate),
    net: formats.amount(line.net),
  };
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A sign like ¹ that refers from a line or total to its note on VAT. Empty if there is no note. */
export function formatMark(line: Pick<Line, 'vatCategory' | 'vatRate'>, notes: VatNote[]): string {
  const index = notes.findIndex(
    ({ breakdown }) => breakdown.category === line.vatCategory && breakdown.rate.equals(line.vatRate),
  );
  return index === -1 ? '' : noteMark(index);
}

export const noteMark = (index: number): string =>
  [...String(index + 1)].map((digit) => superscripts[Number(digit)]).join('');

/** Columns as wide as what stands in them. The name has the rest, for which the text becomes smaller if it must. */
export function lineColumns(
  canvas: Canvas,
  invoice: EInvoice,
  { texts, formats }: { texts: Texts; formats: Formats },
): LineColumns {
  const cells = invoice.lines.map((line) => cellTexts(line, formats));
  const titles: Record<ColumnKey, string> = {
    ...texts.line,
    unitPrice: texts.line.unitPrice(formats.currencySign),
    net: texts.line.net(formats.currencySign),
  };
  const has = (key: 'unit' | 'discount'): boolean => cells.some((row) => row[key] !== '');
  const keys: ColumnKey[] = ['position', 'name', 'quantity'];
  if (has('unit')) keys.push('unit');
  keys.push('unitPrice');
  if (has('discount')) keys.push('discount');
  keys.push('vat', 'net');

  const layouts = scales.map((scale) => {
    const styles = buildStyles(canvas, scale);
    const widths = new Map<ColumnKey, number>();
    for (const key of keys) {
      if (key === 'name') continue;
      const contents = cells.map((row) => canvas.measureWidth(row[key], styles.cell));
      const natural = Math.max(canvas.measureWidth(titles[key], styles.heading), ...contents) + 0.1;
      widths.set(key, key === 'unit' ? Math.min(natural, maxUnitWidth) : natural);
    }
    const taken = [...widths.values()].reduce((sum, width) => sum + width, 0) + gap * (keys.length - 1);
    return { styles, widths, nameWidth: page.contentWidth - taken };
  });
  const layout = layouts.find(({ nameWidth }) => nameWidth >= comfortableNameWidth) ?? layouts.at(-1);
  if (layout === undefined) throw new Error('no scale');
  const { styles, widths } = layout;
  // Columns that are wider even so are narrowed, and what stands in them becomes smaller still.
  const others = [...widths.keys()];
  const fitted = fitWidths([...widths.values()], page.contentWidth - gap * (keys.length - 1) - minNameWidth);
  for (const [index, key] of others.entries()) widths.set(key, fitted[index] ?? 0);
  widths.set('name', Math.max(layout.nameWidth, minNameWidth));

  let x = page.left;
  const columns = keys.map((key): Column => {
    const width = widths.get(key) ?? 0;
    const column: Column = { key, title: titles[key], align: isText(key) ? 'left' : 'right', x, width };
    x += width + gap;
    return column;
  });
  return { columns, styles };
}

const isText = (key: ColumnKey): boolean => key === 'position' || key === 'name' || key === 'unit';

function buildStyles({ colors }: Canvas, scale: number): LineColumns['styles'] {
  return {
    heading: { size: 7.5 * scale, weight: 'semibold', color: colors.muted },
    cell: { size: 8.8 * scale, color: colors.ink, tabular: true },
    name: { size: 8.8 * scale, weight: 'semibold', color: colors.ink },
    description: { size: 8 * scale, color: colors.muted },
  };
}

/** A line's texts below each other: name, description, service period. */
export function lineTexts(
  canvas: Canvas,
  line: Line,
  { columns, styles }: LineColumns,
  { texts, formats }: { texts: Texts; formats: Formats },
): Block[] {
  const width = columns.find(({ key }) => key === 'name')?.width ?? 0;
  return [
    canvas.wrap(line.name, styles.name, width),
    ...(line.description ? [canvas.wrap(line.description, styles.description, width)] : []),
    ...(line.period ? [canvas.wrap(texts.linePeriod(formats.period(line.period)), styles.description, width)] : []),
  ];
}
