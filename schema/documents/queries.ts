import { builder } from '../builder.ts';
import { breachesOf, type Breach } from '../e-invoice/breaches.ts';
import type { EInvoiceFormat } from '../e-invoice/formats.ts';
import { idArgument } from '../input/id-argument.ts';
import { DocumentFileType } from './document-file.ts';
import { invoiceFile } from './invoice-files.ts';
import { readInvoice } from './document-source.ts';
import { toEInvoice } from './to-e-invoice.ts';

const formats = {
  XRECHNUNG_CII: 'xrechnung-cii',
  XRECHNUNG_UBL: 'xrechnung-ubl',
  PEPPOL: 'peppol',
  FACTUR_X: 'factur-x',
} as const satisfies Record<string, EInvoiceFormat>;

/** A value of the enum. REST has the format's own name. */
const format = (name: keyof typeof formats, description: string) => ({
  description,
  extensions: { restName: formats[name] },
});

const EInvoiceFormatType = builder.enumType('EInvoiceFormat', {
  description: 'A format of e-invoices by EN 16931.',
  values: {
    XRECHNUNG_CII: format('XRECHNUNG_CII', 'XRechnung 3.0, the format of German authorities, in the syntax CII.'),
    XRECHNUNG_UBL: format('XRECHNUNG_UBL', 'XRechnung 3.0, in the syntax UBL.'),
    PEPPOL: format('PEPPOL', 'Peppol BIS Billing 3.0.'),
    FACTUR_X: format('FACTUR_X', 'Factur-X and ZUGFeRD, profile EN 16931: the XML that is in the PDF as well.'),
  },
});

const BreachType = builder.objectRef<Breach>('EInvoiceBreach').implement({
  description: 'A rule that an invoice breaks.',
  example: { rule: 'BR-DE-8', field: 'customer.city', message: 'The buyer needs a city.' },
  fields: (t) => ({
    rule: t.exposeString('id', { description: 'The official id of the rule, of EN 16931, XRechnung, or Peppol.' }),
    field: t.exposeString('field', { description: 'The field to change, by its name in REST.' }),
    message: t.exposeString('message', { description: 'What the rule demands.' }),
  }),
});

builder.queryFields((t) => ({
  invoicePdf: t.field({
    type: DocumentFileType,
    description:
      'The PDF of an invoice: PDF/A-3, with the e-invoice Factur-X in it if the invoice allows for one. An issued invoice always gets the same bytes. A draft gets a preview with a watermark.',
    ability: 'invoices:read',
    args: idArgument,
    extensions: { mediaType: 'application/pdf' },
    resolve: (_root, { id }, context) => invoiceFile(context, id, 'pdf'),
  }),
  invoiceXml: t.field({
    type: DocumentFileType,
    description:
      'The e-invoice of an issued invoice. It always has the same bytes. If the invoice breaks rules of the format, the error has all of them.',
    ability: 'invoices:read',
    args: { ...idArgument, format: t.arg({ type: EInvoiceFormatType, required: true, description: 'The format.' }) },
    extensions: { mediaType: 'application/xml' },
    resolve: (_root, { id, format: wanted }, context) => invoiceFile(context, id, formats[wanted]),
  }),
  invoicePreflight: t.field({
    type: [BreachType],
    description: 'The rules of a format that an invoice breaks. A draft can be corrected before it is issued.',
    ability: 'invoices:read',
    args: { ...idArgument, format: t.arg({ type: EInvoiceFormatType, required: true, description: 'The format.' }) },
    resolve: async (_root, { id, format: wanted }, context) =>
      breachesOf(toEInvoice(await readInvoice(context, id)), formats[wanted]),
  }),
}));
