import { chooseLanguage, type Language } from '../codes/languages.ts';
import type { AccountingVat, Delivery, EInvoice, Line, VatBreakdown, VatCategory } from './e-invoice/model.ts';
import { convert, Decimal, lineTotal, sum } from '../money/money.ts';
import type { FrozenBuyer, FrozenSeller } from './document-source.ts';
import type { DocumentSource, SourceLine, SourceShare } from './document-source.ts';
import type { DocumentLook } from './pdf/render-pdf.ts';
import { texts } from './pdf/texts.ts';
import { usualReason, wholeReason } from './pdf/vat-notes.ts';
import { getPeriod, wholePeriod } from './service-periods.ts';

// An invoice or credit note in the terms of EN 16931. It says what was issued: payments that came later are not on it.

/** The accent of documents whose company has chosen none. */
const defaultAccentColor = '#1f4e79';

/** The subject of the document. That of a cancellation without a reason says that it is a cancellation. */
const buildSubject = (source: DocumentSource): string | undefined => {
  const { subject, credited } = source;
  return subject ?? (credited?.isCancelled ? texts[chooseLanguage(source)].cancellation(credited.number) : undefined);
};

/** @param logo a PNG */
export const buildLook = (source: DocumentSource, logo: Uint8Array | null): DocumentLook => ({
  language: chooseLanguage(source),
  accentColor: source.seller.accent_color ?? defaultAccentColor,
  logo: logo ?? undefined,
  subject: buildSubject(source),
  footer: source.seller.footer ?? undefined,
  test: source.test,
});

export function toEInvoice(source: DocumentSource): EInvoice {
  const { number, date, dueDate, currency, exchange, credited, seller, buyer } = source;
  const language = chooseLanguage(source);
  const lines = source.lines.map((line, index) => toLine(line, index, currency));
  const countries = { from: seller.country ?? undefined, to: buyer.country ?? undefined };
  const breakdown = source.vatBreakdown.map((share) => toShare(share, getReason(share, countries, language)));
  const net = sum(breakdown.map((share) => share.net));
  const vat = sum(breakdown.map((share) => share.vat));
  const gross = net.plus(vat);
  const paid = source.isPaid ? gross : new Decimal(0);
  const isWithinEu = breakdown.some(({ category }) => category === 'K');
  return {
    number: number ?? undefined,
    issueDate: date,
    typeCode: credited ? '381' : '380',
    currency,
    accounting: exchange && !vat.isZero() ? toAccounting(exchange, vat) : undefined,
    dueDate: dueDate ?? undefined,
    buyerReference: buyer.buyer_reference ?? undefined,
    paymentTerms: credited ? texts[language].payment.creditTerms : undefined, // an invoice has a due date
    notes: [source.test ? texts[language].testNote : null, buildSubject(source), seller.footer].filter(
      (note) => note !== null && note !== undefined,
    ),
    precedingInvoice: credited ? { number: credited.number, issueDate: credited.date } : undefined,
    seller: toSeller(seller),
    buyer: toBuyer(buyer),
    delivery: {
      ...getTime(source),
      ...(isWithinEu ? getPlace(buyer) : { city: undefined, postalCode: undefined, country: undefined }),
    },
    payment: seller.iban
      ? {
          reference: number ?? undefined,
          iban: seller.iban,
          accountName: seller.legal_name,
          bic: seller.bic ?? undefined,
        }
      : undefined,
    totals: { net, vat, gross, paid, due: gross.minus(paid) },
    vatBreakdown: breakdown,
    lines,
  };
}

const toAccounting = (
  { rate, day, source, currency }: NonNullable<DocumentSource['exchange']>,
  vat: Decimal,
): AccountingVat => ({
  currency,
  vat: convert(vat, new Decimal(rate), currency),
  rate: new Decimal(rate),
  day,
  source: source ?? undefined,
});

/**
 * When it was supplied. Where neither a day nor a period is given, it is the day of the invoice, as the law reads an invoice that
 * says nothing else (DECISIONS.md#d119-delivery-dates). A credit note is of its invoice's supply.
 */
function getTime({ date, deliveryDate, credited, lines }: DocumentSource): Pick<Delivery, 'date' | 'period'> {
  const period = wholePeriod(lines) ?? credited?.period ?? undefined;
  const invoiceDate = credited?.date ?? date;
  return { date: deliveryDate ?? (period ? undefined : invoiceDate), period };
}

/** Where goods go that are supplied within the EU: to the buyer. */
const getPlace = ({ city, postal_code, country }: FrozenBuyer) => ({
  city: city ?? undefined,
  postalCode: postal_code ?? undefined,
  country: country ?? undefined,
});

const address = (party: FrozenSeller | FrozenBuyer) => ({
  line1: party.address_line1 ?? undefined,
  line2: 'address_line2' in party ? (party.address_line2 ?? undefined) : undefined,
  city: party.city ?? undefined,
  postalCode: party.postal_code ?? undefined,
  country: party.country ?? undefined,
});

const contact = ({ contact_name, phone, email }: FrozenSeller | FrozenBuyer) => ({
  name: contact_name ?? undefined,
  phone: phone ?? undefined,
  email: email ?? undefined,
});

const withScheme = (value: string | null | undefined, scheme: string | null | undefined) =>
  value && scheme ? { value, scheme } : undefined;

const toSeller = (seller: FrozenSeller): EInvoice['seller'] => ({
  name: seller.legal_name,
  vatId: seller.vat_id ?? undefined,
  electronicAddress: withScheme(seller.electronic_address, seller.electronic_address_scheme),
  address: address(seller),
  contact: contact(seller),
  registrationNumber: withScheme(seller.registration_number, seller.registration_number_scheme),
  registerEntry: seller.register_entry ?? undefined,
  taxNumber: seller.tax_number ?? undefined,
});

const toBuyer = (buyer: FrozenBuyer): EInvoice['buyer'] => ({
  name: buyer.company_name,
  vatId: buyer.vat_id ?? undefined,
  electronicAddress: withScheme(buyer.electronic_address, buyer.electronic_address_scheme),
  address: address(buyer),
  contact: contact(buyer),
});

function toLine(line: SourceLine, index: number, currency: string): Line {
  const [quantity, unitPrice] = [new Decimal(line.quantity), new Decimal(line.unitPriceNet)];
  const net = new Decimal(line.lineTotalNet);
  const percent = new Decimal(line.discountPercent);
  const base = lineTotal({ quantity, unitPriceNet: unitPrice }, currency);
  return {
    id: String(index + 1),
    quantity,
    unitCode: line.unitCode,
    unit: line.unit ?? undefined,
    net,
    period: getPeriod(line),
    discount: percent.isZero() ? undefined : { amount: base.minus(net), base, percent },
    unitPrice,
    vatCategory: line.vatCategory,
    vatRate: new Decimal(line.vatRate),
    name: line.title,
    description: line.description ?? undefined,
  };
}

/** The categories that need a reason, and have one that is usually written. */
const needsUsualReason: ReadonlySet<VatCategory> = new Set(['AE', 'K', 'G']);

function getReason(
  { vatCategory, exemptionReason }: SourceShare,
  countries: Parameters<typeof usualReason>[1],
  language: Language,
): string | undefined {
  if (exemptionReason !== null) return wholeReason(vatCategory, exemptionReason, language);
  return needsUsualReason.has(vatCategory) ? usualReason(vatCategory, countries, language) : undefined;
}

const toShare = (
  { vatCategory, vatRate, net, vat }: SourceShare,
  exemptionReason: string | undefined,
): VatBreakdown => ({
  category: vatCategory,
  rate: new Decimal(vatRate),
  net: new Decimal(net),
  vat: new Decimal(vat),
  exemptionReason,
});
