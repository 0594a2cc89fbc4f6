import { builder } from '../../graphql/builder.ts';
import { buildSource } from '../document/read-source.ts';
import { byPosition, Invoice } from './invoice.ts';
import { findParties, findPartiesOfDraft } from './parties.ts';
import { findInvoiceWarnings } from './find-warnings.ts';
import { WarningType } from '../warning.ts';

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
      const parties = await (isDraft ? findPartiesOfDraft(context, invoice.customerId) : findParties(context, invoice));
      return findInvoiceWarnings(buildSource(invoice, invoice.items, parties));
    },
  }),
);
