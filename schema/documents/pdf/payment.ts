import type { EInvoice } from '../e-invoice/model.ts';
import { type Block, type Canvas, type Element, mm, type TextStyle } from './canvas.ts';
import type { Formats } from './formats.ts';
import { giroCode } from './giro-code.ts';
import { groupIban, page } from './page-frame.ts';
import type { QrCode } from './qr-code.ts';
import type { Texts } from './texts.ts';

const padding = mm(4.5);
const codeSize = mm(26);
const labelWidth = mm(32);
const captionWidth = codeSize + mm(4);

interface Row {
  label: Block;
  value: Block;
  height: number;
}

export interface PaymentPanel {
  height: number;
  draw(parent: Element, y: number): void;
}

/**
 * How the invoice is paid: what to transfer, where to, and the GiroCode.
 * @returns undefined if there is nothing to be paid, or no account
 */
export function layOutPayment(
  canvas: Canvas,
  invoice: EInvoice,
  { texts, formats, encodeQr }: { texts: Texts; formats: Formats; encodeQr: (bytes: Uint8Array) => QrCode },
): PaymentPanel | undefined {
  const accountRows = getRows(invoice, texts);
  if (accountRows.length === 0) return undefined;
  const { colors } = canvas;
  const payload = giroCode(invoice);
  const code = payload === undefined ? undefined : encodeQr(payload);
  const width = page.contentWidth - 2 * padding - (code === undefined ? 0 : captionWidth);
  const style: TextStyle = { size: 8.8, color: colors.ink };
  const headingStyle: TextStyle = { size: 10, weight: 'semibold', color: colors.accentText };
  const heading = canvas.wrap(texts.payment.heading, headingStyle, width);
  const sentence = canvas.wrap(paymentSentence(invoice, texts, formats) ?? '', style, width);
  const rows = accountRows.map(([label, value]): Row => {
    const blocks = {
      label: canvas.wrap(label, { ...style, color: colors.muted }, labelWidth - mm(2)),
      value: canvas.wrap(value, style, width - labelWidth),
    };
    return { ...blocks, height: Math.max(blocks.label.height, blocks.value.height) + mm(0.5) };
  });
  const rowsTop = heading.height + mm(0.8) + sentence.height + mm(2);
  const textHeight = rowsTop + rows.reduce((sum, row) => sum + row.height, 0);
  const caption = canvas.wrap(texts.payment.giroCode, { size: 6.5, color: colors.muted }, captionWidth);
  const codeHeight = code === undefined ? 0 : codeSize + mm(1.2) + caption.height;
  const height = Math.max(textHeight, codeHeight) + 2 * padding;

  const draw = (parent: Element, top: number): void => {
    canvas.artifact('Layout', () =>
      canvas.pdf.roundedRect(page.left, top, page.contentWidth, height, 4).lineWidth(0.7).stroke(colors.hairline),
    );
    const section = canvas.element(parent, 'Sect');
    const x = page.left + padding;
    let y = top + padding;
    canvas.element(section, 'H2', {}, () => canvas.text(heading, { x, y }));
    canvas.element(section, 'P', {}, () => canvas.text(sentence, { x, y: y + heading.height + mm(0.8) }));
    y += rowsTop;
    const table = canvas.element(section, 'Table');
    for (const row of rows) {
      const element = canvas.element(table, 'TR');
      canvas.element(element, 'TH', { scope: 'Row' }, () => canvas.text(row.label, { x, y }));
      canvas.element(element, 'TD', {}, () => canvas.text(row.value, { x: x + labelWidth, y }));
      y += row.height;
    }
    if (code === undefined) return;
    const codeX = page.right - padding - codeSize;
    const codeY = top + (height - codeHeight) / 2;
    const alt = texts.payment.giroCodeAlt(formats.money(invoice.totals.due));
    canvas.element(section, 'Figure', { alt }, () => drawQrCode(canvas, code, codeX, codeY));
    const captionX = codeX + (codeSize - captionWidth) / 2;
    const captionY = codeY + codeSize + mm(1.2);
    canvas.element(section, 'P', {}, () =>
      canvas.text(caption, { x: captionX, y: captionY, align: 'center', width: captionWidth }),
    );
  };
  return { height, draw };
}

/** The sentence on the payment: the amount is due, was paid, or is credited. Undefined if none of these is true. */
export function paymentSentence(invoice: EInvoice, texts: Texts, formats: Formats): string | undefined {
  const { typeCode, totals, dueDate } = invoice;
  if (typeCode === '381') return texts.payment.credited(formats.money(totals.gross));
  if (totals.due.greaterThan(0))
    return texts.payment.request(formats.money(totals.due), dueDate && formats.day(dueDate));
  return totals.due.isZero() && totals.paid.greaterThan(0) ? texts.payment.paid : undefined;
}

function getRows({ payment, typeCode, totals }: EInvoice, texts: Texts): [string, string][] {
  if (payment === undefined || typeCode !== '380' || !totals.due.greaterThan(0)) return [];
  const rows: [string, string | undefined][] = [
    [texts.payment.accountName, payment.accountName],
    ['IBAN', groupIban(payment.iban)],
    ['BIC', payment.bic],
    [texts.payment.reference, payment.reference],
  ];
  return rows.flatMap(([label, value]) => (value ? [[label, value]] : []));
}

function drawQrCode({ pdf }: Canvas, { size, isDark }: QrCode, x: number, y: number): void {
  const module = codeSize / size;
  for (let row = 0; row < size; row++) {
    // Neighbours are one rectangle: between two, some viewers show a white line.
    for (let column = 0; column < size; column++) {
      const from = column;
      while (column < size && isDark(row, column)) column++;
      if (column > from) pdf.rect(x + from * module, y + row * module, (column - from) * module, module);
    }
  }
  pdf.fill('#000000');
}
