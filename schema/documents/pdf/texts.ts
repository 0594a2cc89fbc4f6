import type { Language } from '../../codes/languages.ts';
import type { TypeCode, VatCategory } from '../e-invoice/model.ts';

/** A document's texts besides the invoice's own words. */
export interface Texts {
  title: Record<TypeCode, string>;
  draft: string;
  /** The watermark of test tenants' documents. */
  test: string;
  /** The note in test tenants' e-invoices. */
  testNote: string;
  /** The label of BT-1. */
  number: Record<TypeCode, string>;
  issueDate: string;
  serviceDate: string;
  sameAsInvoiceDate: string;
  servicePeriod: string;
  dueDate: string;
  precedingInvoice: string;
  cancellation: (number: string) => string;
  numberOfDay: (number: string, day: string) => string;
  buyerReference: string;
  buyerVatId: string;
  contact: string;
  phone: string;
  email: string;
  /** Headings of the table of lines. */
  line: Record<'position' | 'name' | 'quantity' | 'unit' | 'discount' | 'vat', string> & {
    unitPrice: (currency: string) => string;
    net: (currency: string) => string;
  };
  linePeriod: (period: string) => string;
  carriedForward: string;
  total: Record<'net' | 'paid' | 'due' | 'credit', string> & { gross: Record<TypeCode, string> };
  /** The label of a VAT amount. */
  vat: Record<VatCategory, (rate: string, net: string) => string>;
  /** The label of BT-111. */
  accountingVat: (currency: string, rate: string, day: string, source: string | undefined) => string;
  /** The notes that the law demands on the invoice, for the categories with such a demand. */
  vatNote: Partial<Record<VatCategory, string>>;
  payment: {
    heading: string;
    request: (amount: string, dueDate: string | undefined) => string;
    paid: string;
    credited: (amount: string) => string;
    /** BT-20 of a credit note. */
    creditTerms: string;
    accountName: string;
    reference: string;
    giroCode: string;
    giroCodeAlt: (amount: string) => string;
  };
  registerEntry: string;
  registrationNumber: string;
  vatId: string;
  taxNumber: string;
  logo: (seller: string) => string;
  page: (page: number, pages: number) => string;
}

const de: Texts = {
  title: { 380: 'Rechnung', 381: 'Rechnungskorrektur' },
  draft: 'Entwurf',
  test: 'Muster',
  testNote: 'Muster aus einer Testumgebung: keine Rechnung.',
  number: { 380: 'Rechnungsnummer', 381: 'Belegnummer' },
  issueDate: 'Datum',
  serviceDate: 'Leistungsdatum',
  sameAsInvoiceDate: 'wie Rechnungsdatum',
  servicePeriod: 'Leistungszeitraum',
  dueDate: 'Fällig am',
  precedingInvoice: 'Zu Rechnung',
  cancellation: (number) => `Storno der Rechnung ${number}`,
  numberOfDay: (number, day) => `${number} vom ${day}`,
  buyerReference: 'Ihre Referenz',
  buyerVatId: 'Ihre USt-IdNr.',
  contact: 'Ansprechpartner',
  phone: 'Telefon',
  email: 'E-Mail',
  line: {
    position: 'Pos.',
    name: 'Bezeichnung',
    quantity: 'Menge',
    unit: 'Einheit',
    unitPrice: (currency) => `Einzelpreis ${currency}`,
    discount: 'Rabatt',
    vat: 'USt.',
    net: (currency) => `Netto ${currency}`,
  },
  linePeriod: (period) => `Leistungszeitraum ${period}`,
  carriedForward: 'Übertrag',
  total: {
    net: 'Summe netto',
    gross: { 380: 'Rechnungsbetrag', 381: 'Korrekturbetrag' },
    paid: 'Bereits gezahlt',
    due: 'Zu zahlen',
    credit: 'Guthaben',
  },
  vat: {
    S: (rate, net) => `USt. ${rate} auf ${net}`,
    Z: (rate, net) => `USt. ${rate} auf ${net}`,
    E: (_, net) => `Steuerfrei: ${net}`,
    AE: (_, net) => `Steuerschuld beim Empfänger: ${net}`,
    K: (_, net) => `Innergemeinschaftliche Lieferung: ${net}`,
    G: (_, net) => `Ausfuhrlieferung: ${net}`,
    O: (_, net) => `Nicht steuerbar: ${net}`,
  },
  accountingVat: (currency, rate, day, source) =>
    `USt. in ${currency} zum Kurs ${rate} vom ${day}${source === undefined ? '' : ` (${source})`}`,
  vatNote: {
    AE: 'Steuerschuldnerschaft des Leistungsempfängers',
    K: 'Steuerfreie innergemeinschaftliche Lieferung',
    G: 'Steuerfreie Ausfuhrlieferung',
    O: 'Nicht steuerbare Leistung',
  },
  payment: {
    heading: 'Zahlung',
    request: (amount, dueDate) =>
      `Bitte überweisen Sie ${amount}${dueDate === undefined ? '' : ` bis zum ${dueDate}`}.`,
    paid: 'Die Rechnung ist bereits bezahlt. Vielen Dank.',
    credited: (amount) => `Wir schreiben Ihnen ${amount} gut.`,
    creditTerms: 'Der Betrag mindert die offene Rechnung. Was davon schon bezahlt ist, wird erstattet.',
    accountName: 'Empfänger',
    reference: 'Verwendungszweck',
    giroCode: 'Scannen und bezahlen',
    giroCodeAlt: (amount) => `GiroCode: QR-Code für die Überweisung von ${amount}`,
  },
  registerEntry: 'Register',
  registrationNumber: 'Registernr.',
  vatId: 'USt-IdNr.',
  taxNumber: 'Steuernummer',
  logo: (seller) => `Logo von ${seller}`,
  page: (page, pages) => `Seite ${page} von ${pages}`,
};

const en: Texts = {
  title: { 380: 'Invoice', 381: 'Credit note' },
  draft: 'Draft',
  test: 'Test',
  testNote: 'Made in a test environment: no invoice.',
  number: { 380: 'Invoice number', 381: 'Credit note number' },
  issueDate: 'Date',
  serviceDate: 'Date of supply',
  sameAsInvoiceDate: 'same as invoice date',
  servicePeriod: 'Service period',
  dueDate: 'Due date',
  precedingInvoice: 'For invoice',
  cancellation: (number) => `Cancellation of invoice ${number}`,
  numberOfDay: (number, day) => `${number} of ${day}`,
  buyerReference: 'Your reference',
  buyerVatId: 'Your VAT number',
  contact: 'Contact',
  phone: 'Phone',
  email: 'E-mail',
  line: {
    position: 'No.',
    name: 'Description',
    quantity: 'Quantity',
    unit: 'Unit',
    unitPrice: (currency) => `Unit price ${currency}`,
    discount: 'Discount',
    vat: 'VAT',
    net: (currency) => `Net ${currency}`,
  },
  linePeriod: (period) => `Service period ${period}`,
  carriedForward: 'Carried forward',
  total: {
    net: 'Net total',
    gross: { 380: 'Total', 381: 'Credit total' },
    paid: 'Already paid',
    due: 'Amount due',
    credit: 'Credit balance',
  },
  vat: {
    S: (rate, net) => `VAT ${rate} on ${net}`,
    Z: (rate, net) => `VAT ${rate} on ${net}`,
    E: (_, net) => `VAT exempt: ${net}`,
    AE: (_, net) => `Reverse charge: ${net}`,
    K: (_, net) => `Intra-Community supply: ${net}`,
    G: (_, net) => `Export: ${net}`,
    O: (_, net) => `Outside the scope of VAT: ${net}`,
  },
  accountingVat: (currency, rate, day, source) =>
    `VAT in ${currency} at the rate ${rate} of ${day}${source === undefined ? '' : ` (${source})`}`,
  vatNote: {
    AE: 'Reverse charge',
    K: 'VAT-exempt intra-Community supply',
    G: 'VAT-exempt export',
    O: 'Outside the scope of VAT',
  },
  payment: {
    heading: 'Payment',
    request: (amount, dueDate) => `Please transfer ${amount}${dueDate === undefined ? '' : ` by ${dueDate}`}.`,
    paid: 'This invoice is paid already. Thank you.',
    credited: (amount) => `We credit ${amount} to you.`,
    creditTerms: 'The amount reduces what is due of the invoice. What is paid of it already is refunded.',
    accountName: 'Recipient',
    reference: 'Reference',
    giroCode: 'Scan to pay',
    giroCodeAlt: (amount) => `GiroCode: QR code for a transfer of ${amount}`,
  },
  registerEntry: 'Register',
  registrationNumber: 'Registration number',
  vatId: 'VAT number',
  taxNumber: 'Tax number',
  logo: (seller) => `Logo of ${seller}`,
  page: (page, pages) => `Page ${page} of ${pages}`,
};

export const texts: Record<Language, Texts> = { de, en };
