import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eInvoiceFormats, isEInvoiceFormat, type EInvoiceFormat } from '../../schema/documents/e-invoice/formats.ts';
import type { NumberedEInvoice, Party, Seller } from '../../schema/documents/e-invoice/model.ts';
import { toXml } from '../../schema/documents/e-invoice/to-xml.ts';
import { Decimal } from '../../schema/money/decimal.ts';
import { intraCommunity, invoices, oneLine, typical, withLines } from './invoices.ts';
import { readCii, readUbl, type Meaning } from './reader.ts';

const formats = Object.keys(eInvoiceFormats).filter(isEInvoiceFormat);
const read = (invoice: NumberedEInvoice, format: EInvoiceFormat): Meaning =>
  (eInvoiceFormats[format].syntax === 'CII' ? readCii : readUbl)(toXml(invoice, format));

/** A text as XML 1.0 can carry it (https://www.w3.org/TR/xml/#charsets), with line ends as a parser gives them. */
function carried(text: string | undefined): string | undefined {
  const characters = Array.from(text ?? '', (character) => {
    const code = character.codePointAt(0) ?? 0;
    const isAllowed =
      code === 0x9 ||
      code === 0xa ||
      code === 0xd ||
      (code >= 0x20 && code <= 0xd7ff) ||
      (code >= 0xe000 && code <= 0xfffd) ||
      code >= 0x10000;
    return isAllowed ? character : ' ';
  });
  const clean = characters
    .join('')
    .split(/\r\n|\r|\n/)
    .join('\n')
    .trim();
  return clean === '' ? undefined : clean;
}

const number = (value: Decimal): string => value.plus(0).toFixed();

const vatSchemes: Record<string, string> = { DE: '9930', AT: '9914', FR: '9957', CH: '9927' };

/** The invoice's meaning in a format, as the guides of the formats say it. */
function meaningOf(invoice: NumberedEInvoice, format: EInvoiceFormat) {
  const isPeppol = format === 'peppol';
  const isOutsideOfVat = invoice.lines.every(({ vatCategory }) => vatCategory === 'O');

  const addressOf = ({ electronicAddress, vatId, contact, registrationNumber }: Party & Partial<Seller>) => {
    if (electronicAddress && !(isPeppol && electronicAddress.scheme === 'EM')) return electronicAddress;
    if (isPeppol && registrationNumber) return registrationNumber;
    if (isPeppol && vatId?.startsWith('BE')) return { value: vatId.slice(2), scheme: '0208' };
    if (isPeppol && vatId !== undefined) return { value: vatId, scheme: vatSchemes[vatId.slice(0, 2)] };
    return electronicAddress ?? (contact.email === undefined ? undefined : { value: contact.email, scheme: 'EM' });
  };
  const partyOf = (party: Party & Partial<Seller>) => {
    const vatId = isOutsideOfVat ? undefined : party.vatId;
    const registerEntry = carried(party.registerEntry);
    const address = {
      line1: carried(party.address.line1),
      line2: carried(party.address.line2),
      city: carried(party.address.city),
      postalCode: party.address.postalCode,
      country: party.address.country,
    };
    const contact = { ...party.contact, name: carried(party.contact.name) };
    return {
      name: carried(party.name),
      registration: party.registrationNumber ?? (registerEntry && { value: registerEntry, scheme: undefined }),
      legalInformation: party.registrationNumber && registerEntry,
      identifier:
        vatId === undefined && registerEntry === undefined && !party.registrationNumber ? party.taxNumber : undefined,
      electronicAddress: addressOf(party),
      address,
      contact: Object.values(contact).some((value) => value !== undefined) ? contact : undefined,
      taxNumbers: [
        { number: vatId, scheme: 'VAT' },
        { number: party.taxNumber, scheme: 'FC' },
      ].filter((each) => each.number !== undefined),
    };
  };

  const notes = invoice.notes.map(carried).filter((note) => note !== undefined);
  const { payment, totals, delivery, precedingInvoice } = invoice;
  // No e-invoice has three decimals.
  const accounting = invoice.accounting?.currency === 'TND' ? undefined : invoice.accounting;
  return {
    specification: eInvoiceFormats[format].specification,
    process: format === 'factur-x' ? undefined : 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0',
    number: carried(invoice.number),
    typeCode: invoice.typeCode,
    issueDate: invoice.issueDate,
    dueDate: invoice.dueDate,
    currency: invoice.currency,
    accountingCurrency: accounting?.currency,
    buyerReference: carried(invoice.buyerReference),
    paymentTerms: carried(invoice.paymentTerms),
    notes: isPeppol && notes.length > 0 ? [notes.join('\n\n')] : notes,
    precedingInvoice: precedingInvoice && { ...precedingInvoice, number: carried(precedingInvoice.number) },
    seller: partyOf(invoice.seller),
    buyer: partyOf(invoice.buyer),
    deliveryDate: delivery.date,
    period: delivery.period,
    deliveryAddress:
      delivery.country === undefined
        ? undefined
        : { city: carried(delivery.city), postalCode: delivery.postalCode, country: delivery.country },
    reference: carried(payment?.reference),
    payment: payment && {
      code: invoice.currency === 'EUR' ? '58' : '30',
      iban: payment.iban,
      accountName: carried(payment.accountName),
      bic: payment.bic,
    },
    totals: {
      lines: number(totals.net),
      net: number(totals.net),
      vat: number(totals.vat),
      accountingVat: accounting && number(accounting.vat),
      gross: number(totals.gross),
      paid: number(totals.paid),
      due: number(totals.due),
    },
    vatBreakdown: invoice.vatBreakdown.map((part) => ({
      category: part.category,
      rate: number(part.rate),
      net: number(part.net),
      vat: number(part.vat),
      exemptionReason: part.exemptionReason,
    })),
    lines: invoice.lines.map((line) => ({
      id: line.id,
      name: carried(line.name),
      description: carried(line.description),
      quantity: number(line.quantity),
      unitCode: line.unitCode,
      unitPrice: number(line.unitPrice),
      net: number(line.net),
      period: line.period,
      vatCategory: line.vatCategory,
      vatRate: line.vatCategory === 'O' ? undefined : number(line.vatRate),
      discount: line.discount && {
        percent: number(line.discount.percent),
        base: number(line.discount.base),
        amount: number(line.discount.amount),
        reasonCode: '95',
      },
    })),
  };
}

const numeric = new Set([
  'accountingVat',
  'lines',
  'net',
  'vat',
  'gross',
  'paid',
  'due',
  'rate',
  'quantity',
  'unitPrice',
  'vatRate',
]);
numeric.add('percent').add('base').add('amount');
const amounts = new Set(['accountingVat', 'lines', 'net', 'vat', 'gross', 'paid', 'due', 'base', 'amount']);

/** The content that was read, with numbers in one spelling: 100 rather than 100.00. Amounts must have at most two decimals. */
function normalized(meaning: Meaning): unknown {
  const misspelt: string[] = [];
  const result: unknown = JSON.parse(JSON.stringify(meaning), (key, value: unknown) => {
    if (typeof value !== 'string' || !numeric.has(key)) return value;
    const spelling = amounts.has(key) ? /^-?\d+(\.\d{1,2})?$/ : /^-?\d+(\.\d+)?$/;
    if (!spelling.test(value) || /^-0(\.0+)?$/.test(value)) misspelt.push(`${key}: ${value}`);
    return new Decimal(value).toFixed();
  });
  expect(misspelt).toEqual([]);
  return result;
}

const withoutUndefined = (meaning: object): unknown => JSON.parse(JSON.stringify(meaning));

describe('an e-invoice, read back', () => {
  it('500 generated invoices mean in each format what the model says', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(invoices, (invoice) => {
        for (const { vatCategory, discount } of invoice.lines) seen.add(vatCategory).add(discount ? 'discount' : '');
        seen.add(invoice.currency).add(invoice.typeCode).add(`in ${invoice.accounting?.currency}`);
        for (const format of formats)
          expect(normalized(read(invoice, format))).toEqual(withoutUndefined(meaningOf(invoice, format)));
      }),
      { numRuns: 500 },
    );
    for (const kind of ['S', 'Z', 'E', 'AE', 'K', 'G', 'O', 'discount', 'EUR', 'JPY', '380', '381', 'in CHF', 'in TND'])
      expect(seen).toContain(kind);
  });

  it('an accounting currency stands only where the format’s lists of the day have it (BR-CL-05)', () => {
    const inCurrency = (currency: string, issueDate: string): NumberedEInvoice => ({
      ...typical,
      issueDate,
      accounting: {
        currency,
        vat: new Decimal('1.5'),
        rate: new Decimal('1'),
        day: issueDate,
        source: undefined,
      },
    });
    const saying = (currency: string, issueDate: string): string[] =>
      formats.filter((format) => read(inCurrency(currency, issueDate), format).accountingCurrency);
    expect(saying('CHF', '2026-01-01')).toEqual(formats);
    expect(saying('XCG', '2026-09-01')).toEqual(['xrechnung-ubl', 'peppol']);
    expect(saying('XCG', '2026-01-01')).toEqual([]);
    expect(saying('TND', '2026-09-01')).toEqual([]);
  });

  it('emoji are written as references, since Java misreads some of them', () => {
    const invoice = withLines(typical, [{ ...oneLine, name: 'Eis 🍦 & 𝔘' }]);
    for (const format of formats) {
      expect(toXml(invoice, format)).toContain('Eis &#x1F366; &amp; &#x1D518;');
      expect(read(invoice, format).lines[0]).toMatchObject({ name: 'Eis 🍦 & 𝔘' });
    }
  });

  it('500 lines are read back', () => {
    const long = withLines(
      typical,
      Array.from({ length: 500 }, (_, index) => ({ ...oneLine, name: `Line ${index + 1}` })),
    );
    for (const format of formats)
      expect(normalized(read(long, format))).toEqual(withoutUndefined(meaningOf(long, format)));
  });

  it('a unit price keeps more than two decimals', () => {
    const fine = withLines(typical, [{ ...oneLine, unitPrice: '0.0123', quantity: '1000' }]);
    for (const format of formats) expect(read(fine, format).lines[0]).toMatchObject({ unitPrice: '0.0123' });
  });
});

describe('what the formats say of one invoice', () => {
  it.each([
    ['xrechnung-cii', 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0'],
    ['xrechnung-ubl', 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0'],
    ['peppol', 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0'],
    ['factur-x', 'urn:cen.eu:en16931:2017'],
  ] as const)('%s declares %s', (format, specification) => {
    expect(read(typical, format)).toMatchObject({ specification });
  });

  it('the same invoice gives the same text', () => {
    for (const format of formats) expect(toXml(typical, format)).toBe(toXml(withLines(typical, [oneLine]), format));
  });

  it('a credit note is a CreditNote in UBL, with its due date among the means of payment', () => {
    const creditNote: NumberedEInvoice = {
      ...typical,
      typeCode: '381',
      payment: undefined,
      precedingInvoice: { number: '2026-0016', issueDate: '2026-01-02' },
    };
    expect(toXml(creditNote, 'xrechnung-ubl')).toContain('<CreditNote ');
    for (const format of formats) {
      expect(read(creditNote, format)).toMatchObject({
        typeCode: '381',
        dueDate: '2026-02-14',
        precedingInvoice: { number: '2026-0016', issueDate: '2026-01-02' },
      });
      expect(read(creditNote, format).payment).toBeUndefined();
    }
  });

  it('an intra-community supply names the period and the place of the delivery', () => {
    for (const format of formats) {
      expect(read(intraCommunity, format)).toMatchObject({
        period: { start: '2026-01-01', end: '2026-01-31' },
        deliveryAddress: { city: 'Wien', postalCode: '1010', country: 'AT' },
      });
    }
  });

  it('without VAT number and register entry, the tax number identifies the seller (BR-CO-26)', () => {
    const small = { ...typical, seller: { ...typical.seller, vatId: undefined, registerEntry: ' ' } };
    for (const format of formats) {
      expect(read(small, format).seller).toMatchObject({
        identifier: '37/123/45678',
        taxNumbers: [{ number: '37/123/45678', scheme: 'FC' }],
      });
    }
  });

  it('where nothing is subject to VAT, no VAT number and no rate of a line is written (BR-O-02, BR-O-05)', () => {
    const outside = withLines(typical, [{ ...oneLine, category: 'O', rate: '0' }]);
    for (const format of formats) {
      const { seller, buyer, lines, vatBreakdown } = read(outside, format);
      expect(seller?.taxNumbers).toEqual([{ number: '37/123/45678', scheme: 'FC' }]);
      expect(buyer?.taxNumbers).toEqual([]);
      expect(lines[0]?.vatRate).toBeUndefined();
      expect(vatBreakdown[0]).toMatchObject({ category: 'O', rate: '0' });
    }
  });

  it('Peppol gets a VAT number where only an e-mail address is there, and one note', () => {
    const mail = { value: 'x@y.example', scheme: 'EM' };
    const invoice: NumberedEInvoice = {
      ...typical,
      notes: ['One', '\u0007', 'Two'],
      seller: { ...typical.seller, vatId: 'DE 123 456 788' },
      buyer: { ...typical.buyer, electronicAddress: mail },
    };
    const { seller, buyer, notes } = read(invoice, 'peppol');
    expect(seller?.electronicAddress).toEqual({ value: 'DE123456788', scheme: '9930' });
    expect(buyer?.electronicAddress).toEqual({ value: 'DE987654321', scheme: '9930' });
    expect(notes).toEqual(['One\n\nTwo']);
    expect(read(invoice, 'xrechnung-ubl')).toMatchObject({
      notes: ['One', 'Two'],
      seller: { electronicAddress: { value: 'rechnung@blumenkraft.example', scheme: 'EM' } },
      buyer: { electronicAddress: mail },
    });
  });

  it('a note in UBL that looks as if it had a subject code gets one, so that its text stays whole (BR-CL-08)', () => {
    const invoice = { ...typical, notes: ['#XYZ# is our order', 'A #1# B'] };
    const xml = toXml(invoice, 'xrechnung-ubl');
    expect(xml).toContain('<cbc:Note>#AAI##XYZ# is our order</cbc:Note>');
    expect(xml).toContain('<cbc:Note>A #1# B</cbc:Note>');
    expect(read(invoice, 'xrechnung-ubl').notes).toEqual(invoice.notes);
  });
});
