/** A format of e-invoices: a syntax, and the specification that a document in it declares. */
export interface Profile {
  /** Cross Industry Invoice D16B of UN/CEFACT, or Universal Business Language 2.1 of OASIS. */
  syntax: 'CII' | 'UBL';
  /** BT-24: the specification identifier. */
  specification: string;
  /** BT-23: the business process. Factur-X demands none. */
  process: string | undefined;
  /** Of the file. Readers of Factur-X look for this name in the PDF. */
  fileName: string;
}

/** The only process of Peppol BIS Billing. XRechnung takes it over. */
const billing = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0';
const en16931 = 'urn:cen.eu:en16931:2017';
const xrechnung = { specification: `${en16931}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0`, process: billing };

/** The formats, by the names that REST's `format`, GraphQL, and the command line take. */
export const eInvoiceFormats = {
  /** XRechnung 3.0, the German authorities' usage of EN 16931. */
  'xrechnung-cii': { syntax: 'CII', ...xrechnung, fileName: 'xrechnung-cii.xml' },
  'xrechnung-ubl': { syntax: 'UBL', ...xrechnung, fileName: 'xrechnung-ubl.xml' },
  /** Peppol BIS Billing 3.0. */
  peppol: {
    syntax: 'UBL',
    specification: `${en16931}#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0`,
    process: billing,
    fileName: 'peppol.xml',
  },
  /** Factur-X 1.0 and ZUGFeRD 2, profile EN 16931: the XML within the PDF. */
  'factur-x': { syntax: 'CII', specification: en16931, process: undefined, fileName: 'factur-x.xml' },
} satisfies Record<string, Profile>;

export type EInvoiceFormat = keyof typeof eInvoiceFormats;

export const isEInvoiceFormat = (name: string): name is EInvoiceFormat => Object.hasOwn(eInvoiceFormats, name);
