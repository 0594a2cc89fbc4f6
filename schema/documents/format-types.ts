import type { RequiredEInvoice as RequiredEInvoices } from '../../prisma/generated/client/client.ts';
import { builder } from '../graphql/builder.ts';
import type { EInvoiceFormat } from './e-invoice/formats.ts';

// The formats of e-invoices as GraphQL's enums. REST has the formats' own names.

type FormatName = Exclude<RequiredEInvoices, 'NONE'>;

const formats: Record<FormatName, EInvoiceFormat> = {
  XRECHNUNG_CII: 'xrechnung-cii',
  XRECHNUNG_UBL: 'xrechnung-ubl',
  PEPPOL: 'peppol',
  FACTUR_X: 'factur-x',
};
const formatNames = Object.keys(formats) as FormatName[];

/** The format that a value of the enum stands for. */
export const formatNamed = (name: FormatName): EInvoiceFormat => formats[name];

/** The value of the enum for a format. */
export const nameOfFormat = (format: EInvoiceFormat): FormatName | undefined =>
  formatNames.find((name) => formats[name] === format);

const value = (name: FormatName, description: string) => ({ description, extensions: { restName: formats[name] } });

const values = {
  XRECHNUNG_CII: value('XRECHNUNG_CII', 'XRechnung 3.0, the format of German authorities, in the syntax CII.'),
  XRECHNUNG_UBL: value('XRECHNUNG_UBL', 'XRechnung 3.0, in the syntax UBL.'),
  PEPPOL: value('PEPPOL', 'Peppol BIS Billing 3.0.'),
  FACTUR_X: value('FACTUR_X', 'Factur-X and ZUGFeRD, profile EN 16931: the XML that is in the PDF as well.'),
} satisfies Record<FormatName, object>;

export const EInvoiceFormatType = builder.enumType('EInvoiceFormat', {
  description: 'A format of e-invoices by EN 16931.',
  values,
});

export const RequiredEInvoice = builder.enumType('RequiredEInvoice', {
  description: 'The format of e-invoices whose rules an invoice must keep to be issued.',
  values: {
    NONE: { description: 'None: an invoice can be issued that breaks rules of e-invoices.' },
    ...values,
  },
});
