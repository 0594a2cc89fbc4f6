import type { EInvoice } from '../e-invoice/model.ts';
import { type Block, type Canvas, type Element, mm, type TextStyle } from './canvas.ts';
import type { Formats } from './formats.ts';
import { cityLine, page } from './page-frame.ts';
import type { Texts } from './texts.ts';

// DIN 5008, form B. The address field is behind an envelope's window: 85 mm × 45 mm, 20 mm from the left and 45 mm from
// the top. Its first 17.7 mm are for the sender and remarks.
const addressField = { x: mm(25), width: mm(80), top: mm(45), addressTop: mm(62.7) };
const infoBlock = { x: mm(125), width: mm(65), top: mm(50), labelWidth: mm(28) };
const bodyTop = mm(98.5);
const space = mm(7.5);
const logo = { x: mm(25), y: mm(13), maxWidth: mm(75), maxHeight: mm(20) };

/** Draws logo, address, and what identifies the document. @returns where the text below begins */
export function drawLetterhead(
  canvas: Canvas,
  parent: Element,
  invoice: EInvoice,
  { texts, formats, logoPng }: { texts: Texts; formats: Formats; logoPng: Uint8Array | undefined },
): number {
  drawSender(canvas, parent, invoice, texts, logoPng);
  const addressEnd = drawAddress(canvas, parent, invoice, formats);
  const infoEnd = drawInfoBlock(canvas, parent, infoRows(invoice, texts, formats));
  return Math.max(bodyTop, addressEnd + space, infoEnd + space);
}

function drawSender(canvas: Canvas, parent: Element, { seller }: EInvoice, texts: Texts, logoPng?: Uint8Array): void {
  if (logoPng !== undefined) {
    canvas.element(parent, 'Figure', { alt: texts.logo(seller.name) }, () =>
      canvas.pdf.image(Buffer.from(logoPng), logo.x, logo.y, { fit: [logo.maxWidth, logo.maxHeight] }),
    );
    return;
  }
  const style: TextStyle = { size: 15, weight: 'semibold', color: canvas.colors.accentText, leading: 1.25 };
  let name = canvas.wrap(seller.name, style, page.contentWidth);
  for (let size = 14; name.height > mm(24) && size >= 6; size--) {
    name = canvas.wrap(seller.name, { ...style, size }, page.contentWidth);
  }
  canvas.element(parent, 'P', {}, () => canvas.text(name, { x: page.left, y: mm(16) }));
}

function drawAddress(canvas: Canvas, parent: Element, invoice: EInvoice, formats: Formats): number {
  const { seller, buyer } = invoice;
  const { x, width, top } = addressField;
  const sender = [seller.name, seller.address.line1, cityLine(seller.address)].filter(Boolean).join(' · ');
  const senderStyle: TextStyle = { size: 6.5, color: canvas.colors.muted };
  const senderLine = canvas.wrap(sender, senderStyle, width);
  // The line that ends the sender is right above the address.
  const senderTop = Math.max(top, addressField.addressTop - mm(1.5) - senderLine.height);
  const senderEnd = senderTop + senderLine.height;
  canvas.element(parent, 'P', {}, () => canvas.text(senderLine, { x, y: senderTop }));
  canvas.artifact('Layout', () => canvas.rule(x, x + width, senderEnd + 1, canvas.colors.hairline, 0.4));

  const isAbroad = buyer.address.country !== undefined && buyer.address.country !== seller.address.country;
  const lines = [
    buyer.name,
    buyer.contact.name,
    buyer.address.line1,
    buyer.address.line2,
    cityLine(buyer.address),
    // Posts want the country of destination in capital letters.
    isAbroad && seller.address.country !== undefined && buyer.address.country !== undefined
      ? formats.country(buyer.address.country).toUpperCase()
      : undefined,
  ].filter((line) => line !== undefined && line !== '');
  const style: TextStyle = { size: 10, color: canvas.colors.ink, leading: 1.32 };
  let address = canvas.wrap(lines.join('\n'), style, width);
  for (let size = 9.5; address.height > mm(27.3) && size >= 7; size -= 0.5) {
    address = canvas.wrap(lines.join('\n'), { ...style, size }, width);
  }
  const y = Math.max(addressField.addressTop, senderEnd + mm(1.5));
  canvas.element(parent, 'P', {}, () => canvas.text(address, { x, y }));
  return y + address.height;
}

type InfoRow = [label: string, value: string];

/** The rows on the document's number and days, the buyer's references, and the seller's contact. */
function infoRows(invoice: EInvoice, texts: Texts, formats: Formats): InfoRow[][] {
  const { typeCode, number, delivery, precedingInvoice, seller, buyer } = invoice;
  const rows = (...all: [string, string | undefined][]): InfoRow[] =>
    all.flatMap(([label, value]) => (value === undefined || value === '' ? [] : [[label, value]]));
  return [
    rows(
      [texts.number[typeCode], number ?? texts.draft],
      [texts.issueDate, formats.day(invoice.issueDate)],
      [
        texts.precedingInvoice,
        precedingInvoice && texts.numberOfDay(precedingInvoice.number, formats.day(precedingInvoice.issueDate)),
      ],
      [texts.serviceDate, serviceDate(invoice, texts, formats)],
      [texts.servicePeriod, delivery.period && formats.period(delivery.period)],
      [texts.dueDate, invoice.dueDate && formats.day(invoice.dueDate)],
    ),
    rows([texts.buyerReference, invoice.buyerReference], [texts.buyerVatId, buyer.vatId]),
    rows(
      [texts.contact, seller.contact.name],
      [texts.phone, seller.contact.phone],
      [texts.email, seller.contact.email],
    ),
  ].filter((group) => group.length > 0);
}

/** Where it is the day of the invoice, the words that tax offices know say so. */
function serviceDate({ typeCode, issueDate, delivery }: EInvoice, texts: Texts, formats: Formats): string | undefined {
  if (delivery.date === undefined) return undefined;
  return typeCode === '380' && delivery.date === issueDate ? texts.sameAsInvoiceDate : formats.day(delivery.date);
}

function drawInfoBlock(canvas: Canvas, parent: Element, groups: InfoRow[][]): number {
  const { x, width, labelWidth } = infoBlock;
  const labelStyle: TextStyle = { size: 8, color: canvas.colors.muted };
  const valueStyle: TextStyle = { size: 8, color: canvas.colors.ink };
  const table = canvas.element(parent, 'Table');
  let y = infoBlock.top;
  for (const [index, group] of groups.entries()) {
    if (index > 0) y += mm(1.7);
    for (const [label, value] of group) {
      const labelBlock = canvas.wrap(label, labelStyle, labelWidth - mm(2));
      const valueBlock = wrapWords(canvas, value, valueStyle, width - labelWidth);
      const top = y;
      const row = canvas.element(table, 'TR');
      canvas.element(row, 'TH', { scope: 'Row' }, () => canvas.text(labelBlock, { x, y: top }));
      canvas.element(row, 'TD', {}, () => canvas.text(valueBlock, { x: x + labelWidth, y: top }));
      y += Math.max(labelBlock.height, valueBlock.height) + mm(0.3);
    }
  }
  return y;
}

/** Makes the text smaller, within reason, where a long word such as an e-mail address would be broken. */
function wrapWords(canvas: Canvas, text: string, style: TextStyle, width: number): Block {
  const widest = Math.max(...text.split(/\s/).map((word) => canvas.measureWidth(word, style)));
  const size = widest > width ? Math.max(6.5, Math.floor((style.size * width * 10) / widest) / 10) : style.size;
  return canvas.wrap(text, { ...style, size, leading: (style.size * 1.4) / size }, width);
}
