import { PNG } from 'pngjs';
import { makeStorableLogo } from '../../schema/documents/pdf/logo.ts';
import { decodePng } from '../../schema/documents/pdf/png.ts';
import type { Buyer, EInvoice, Line, Seller, VatCategory } from '../../schema/documents/e-invoice/model.ts';
import { Decimal } from '../../schema/money/decimal.ts';
import { minorDigits } from '../../schema/money/money.ts';

/** The values that differ between the lines of tests. The rest is derived. */
export interface LineInput {
  name: string;
  description?: string;
  quantity?: string;
  unit?: string;
  unitPrice?: string;
  discount?: string;
  vatCategory?: VatCategory;
  vatRate?: string;
  reason?: string;
  period?: Line['period'];
}

export const seller: Seller = {
  name: 'Nordlicht Werkstatt GmbH & Co. KG',
  vatId: 'DE123456789',
  taxNumber: '30/123/45678',
  registrationNumber: undefined,
  registerEntry: 'HRA 40312 B, Amtsgericht Charlottenburg',
  electronicAddress: undefined,
  address: { line1: 'Oranienstraße 24', line2: undefined, city: 'Berlin', postalCode: '10999', country: 'DE' },
  contact: { name: 'Mara Lindqvist', phone: '+49 30 5557 0199', email: 'rechnung@nordlicht.example' },
};

export const buyer: Buyer = {
  name: 'Hafenkontor Altona AG',
  vatId: 'DE987654321',
  electronicAddress: undefined,
  address: { line1: 'Große Elbstraße 145', line2: undefined, city: 'Hamburg', postalCode: '22767', country: 'DE' },
  contact: { name: 'Jonas Petersen', phone: undefined, email: undefined },
};

const nowhere = { line1: undefined, line2: undefined, city: undefined, postalCode: undefined, country: undefined };
const nobody = { name: undefined, phone: undefined, email: undefined };

/** Somebody of whom only the name is known. */
export const nameOnly = (name: string): Seller => ({
  name,
  vatId: undefined,
  taxNumber: undefined,
  registrationNumber: undefined,
  registerEntry: undefined,
  electronicAddress: undefined,
  address: nowhere,
  contact: nobody,
});

/** An invoice with the lines' totals. */
export function buildInvoice(inputs: LineInput[], changes: Partial<EInvoice> = {}, paid = '0'): EInvoice {
  const currency = changes.currency ?? 'EUR';
  const lines = inputs.map((input, index) => buildLine(input, index, currency));
  const vatBreakdown: EInvoice['vatBreakdown'] = [];
  for (const [index, line] of lines.entries()) {
    const share = vatBreakdown.find(({ category, rate }) => category === line.vatCategory && rate.equals(line.vatRate));
    if (share !== undefined) share.net = share.net.plus(line.net);
    else {
      const exemptionReason = inputs[index]?.reason;
      const { net, vatCategory: category, vatRate: rate } = line;
      vatBreakdown.push({ net, vat: new Decimal(0), category, rate, exemptionReason });
    }
  }
  for (const share of vatBreakdown) {
    share.vat = share.net.times(share.rate).dividedBy(100).toDecimalPlaces(minorDigits(currency));
  }
  const net = lines.reduce((sum, line) => sum.plus(line.net), new Decimal(0));
  const vat = vatBreakdown.reduce((sum, share) => sum.plus(share.vat), new Decimal(0));
  const gross = net.plus(vat);
  const number = 'number' in changes ? changes.number : '2026-0042';
  return {
    number,
    issueDate: '2026-11-22',
    typeCode: '380',
    currency,
    accounting: undefined,
    dueDate: '2026-12-06',
    buyerReference: undefined,
    paymentTerms: undefined,
    notes: [],
    precedingInvoice: undefined,
    seller,
    buyer,
    delivery: { ...nowhere, date: undefined, period: { start: '2026-10-01', end: '2026-10-31' } },
    payment: { reference: number, iban: 'DE75512108001245126199', accountName: seller.name, bic: 'SOGEDEFFXXX' },
    totals: { net, vat, gross, paid: new Decimal(paid), due: gross.minus(paid) },
    vatBreakdown,
    lines,
    ...changes,
  };
}

function buildLine(input: LineInput, index: number, currency: string): Line {
  const quantity = new Decimal(input.quantity ?? '1');
  const unitPrice = new Decimal(input.unitPrice ?? '100');
  const base = quantity.times(unitPrice).toDecimalPlaces(minorDigits(currency));
  const percent = input.discount === undefined ? undefined : new Decimal(input.discount);
  const amount = percent?.times(base).dividedBy(100).toDecimalPlaces(minorDigits(currency));
  return {
    id: String(index + 1),
    quantity,
    unitCode: 'C62',
    unit: input.unit,
    net: base.minus(amount ?? 0),
    period: input.period,
    discount: percent && amount && { amount, base, percent },
    unitPrice,
    vatCategory: input.vatCategory ?? 'S',
    vatRate: new Decimal(input.vatRate ?? (input.vatCategory === undefined || input.vatCategory === 'S' ? '19' : '0')),
    name: input.name,
    description: input.description,
  };
}

/** A logo: a rising sun over water, on nothing. */
export function logoPng(): Buffer {
  const png = new PNG({ width: 240, height: 160 });
  for (let y = 0; y < png.height; y++) {
    for (let x = 0; x < png.width; x++) {
      const isSun = Math.hypot(x - 120, y - 110) < 84 && y < 104;
      const isWater = y >= 114 && (y - 114) % 18 < 8 && Math.abs(x - 120) < 100 - (y - 114);
      const color = isSun ? [226, 142, 52, 255] : isWater ? [23, 92, 99, 255] : [255, 255, 255, 0];
      png.data.set(color, (y * png.width + x) * 4);
    }
  }
  return PNG.sync.write(png);
}

/** The same as documents embed it. */
export const storableLogo = async (): Promise<Buffer> => makeStorableLogo(await decodePng(logoPng()));
