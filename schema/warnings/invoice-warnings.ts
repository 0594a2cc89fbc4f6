import { builder } from '../builder.ts';
import { sourceOf } from '../documents/document-source.ts';
import { byPosition, Invoice } from '../resources/invoice/invoice.ts';
import { partiesOf, partiesOfDraft } from '../resources/invoice/parties.ts';
import { findInvoiceWarnings } from './find-invoice-warnings.ts';
import { WarningType } from './warning.ts';

builder.prismaObjectField(Invoice, 'warnings', (t) =>
  t.field({
    type: [WarningType],
    description:
      'What is missing or probably wrong: in a draft as it would be issued now, in an issued invoice as it was issued.',
    select: {
      id: true,
      customerId: true,
      number: true,
      invoiceDate: true,
      dueDate: true,
      deliveryDate: true,
      subject: true,
      currency: true,
      issuedAt: true,
      paidAt: true,
      items: byPosition,
    },
    resolve: async (invoice, _args, context) => {
      const isDraft = invoice.number === null;
      const parties = await (isDraft ? partiesOfDraft(context, invoice.customerId) : partiesOf(context, invoice));
      return findInvoiceWarnings(sourceOf(invoice, invoice.items, parties));
    },
  }),
);
