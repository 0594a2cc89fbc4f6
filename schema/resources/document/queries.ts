import { BreachType } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { EInvoiceFormatType, nameOfFormat, formatNamed } from '../../documents/format-types.ts';
import { findTerms } from '../invoice/parties.ts';
import { found } from '../../errors/errors.ts';
import { DocumentFileType } from '../../documents/document-file.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { documentFileInTime } from './stored-files.ts';
import { findBreaches } from '../../documents/e-invoice/breaches.ts';
import { toEInvoice } from '../../documents/to-e-invoice.ts';
import { readSource } from './read-source.ts';

builder.queryFields((t) => ({
  requiredEInvoice: t.field({
    type: EInvoiceFormatType,
    nullable: true,
    description:
      "The format of e-invoices whose rules a customer's invoices must keep to be issued, by the customer or the company profile; null for none.",
    ability: 'invoices:read',
    args: { customerId: t.arg({ type: 'UUID', required: true, description: 'The customer.' }) },
    resolve: async (_root, { customerId }, context) => {
      const { requiredFormat } = await found(findTerms(context, customerId));
      return requiredFormat && nameOfFormat(requiredFormat);
    },
  }),
  invoicePdf: t.field({
    type: DocumentFileType,
    nullable: true,
    description:
      'The PDF of an invoice: PDF/A-3, with the e-invoice Factur-X in it if the invoice allows for one. An issued invoice always gets the same bytes. A draft gets a preview with a watermark.',
    ability: 'invoices:read',
    args: idArgument,
    extensions: { mediaType: 'application/pdf' },
    resolve: (_root, { id }, context) => documentFileInTime(context, { invoiceId: id }, 'pdf'),
  }),
  invoiceXml: t.field({
    type: DocumentFileType,
    nullable: true,
    description:
      'The e-invoice of an issued invoice. It always has the same bytes. If the invoice breaks rules of the format, the error has all of them.',
    ability: 'invoices:read',
    args: { ...idArgument, format: t.arg({ type: EInvoiceFormatType, required: true, description: 'The format.' }) },
    extensions: { mediaType: 'application/xml' },
    resolve: (_root, { id, format }, context) => documentFileInTime(context, { invoiceId: id }, formatNamed(format)),
  }),
  creditNotePdf: t.field({
    type: DocumentFileType,
    nullable: true,
    description:
      'The PDF of a credit note: PDF/A-3, with the e-invoice Factur-X in it if the credit note allows for one. It always has the same bytes.',
    ability: 'invoices:read',
    args: idArgument,
    extensions: { mediaType: 'application/pdf' },
    resolve: (_root, { id }, context) => documentFileInTime(context, { creditNoteId: id }, 'pdf'),
  }),
  creditNoteXml: t.field({
    type: DocumentFileType,
    nullable: true,
    description:
      'The e-invoice of a credit note (type 381). It always has the same bytes. If the credit note breaks rules of the format, the error has all of them.',
    ability: 'invoices:read',
    args: { ...idArgument, format: t.arg({ type: EInvoiceFormatType, required: true, description: 'The format.' }) },
    extensions: { mediaType: 'application/xml' },
    resolve: (_root, { id, format }, context) => documentFileInTime(context, { creditNoteId: id }, formatNamed(format)),
  }),
  invoicePreflight: t.field({
    type: [BreachType],
    nullable: true,
    description: 'The rules of a format that an invoice breaks. A draft can be corrected before it is issued.',
    ability: 'invoices:read',
    args: { ...idArgument, format: t.arg({ type: EInvoiceFormatType, required: true, description: 'The format.' }) },
    resolve: async (_root, { id, format }, context) =>
      findBreaches(toEInvoice(await readSource(context, { invoiceId: id })), formatNamed(format)),
  }),
}));
