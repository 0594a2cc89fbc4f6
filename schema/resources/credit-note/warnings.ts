import { builder } from '../../graphql/builder.ts';
import { readSource } from '../document/read-source.ts';
import { creditNoteBreaches } from './rules.ts';
import { findTerms } from '../invoice/parties.ts';
import { CreditNote } from './type.ts';
import { WarningType, type Warning } from '../warning.ts';

builder.prismaObjectField(CreditNote, 'warnings', (t) =>
  t.field({
    type: [WarningType],
    description:
      'The rules that the credit note breaks of the e-invoices that its customer requires now. A new one breaks only rules that its invoice already broke.',
    select: { id: true, invoiceId: true, customerId: true },
    resolve: async ({ id, invoiceId, customerId }, _args, context): Promise<Warning[]> => {
      const format = (await findTerms(context, customerId))?.requiredFormat;
      if (!format) return [];
      const source = await readSource(context, { creditNoteId: id });
      const { own, inherited } = await creditNoteBreaches(context, source, invoiceId, format);
      return [...own, ...inherited].map((breach) => ({
        code: 'E_INVOICE',
        field: breach.field,
        message: `${breach.id}: ${breach.message}`,
      }));
    },
  }),
);
