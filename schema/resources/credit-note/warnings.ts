import { builder } from '../../graphql/builder.ts';
import { findBefore, getOrderWarnings } from '../document/issue-date.ts';
import { readSource } from '../document/read-source.ts';
import { creditNoteBreaches } from './rules.ts';
import { findTerms } from '../invoice/parties.ts';
import { CreditNote } from './type.ts';
import { WarningType, type Warning } from '../warning.ts';

builder.prismaObjectField(CreditNote, 'warnings', (t) =>
  t.field({
    type: [WarningType],
    description:
      'What is wrong with its date as it was issued, and the rules that it breaks of the e-invoices that its customer requires now. A new one breaks only rules that its invoice already broke.',
    select: { id: true, invoiceId: true, customerId: true, number: true, creditNoteDate: true },
    resolve: async (creditNote, _args, context): Promise<Warning[]> => {
      const { id, invoiceId, customerId, number, creditNoteDate: day } = creditNote;
      const place = { number, day };
      const ofDate = getOrderWarnings('CreditNote', place, await findBefore(context, 'CreditNote', place));
      const format = (await findTerms(context, customerId))?.requiredFormat;
      if (!format) return ofDate;
      const source = await readSource(context, { creditNoteId: id });
      const { own, inherited } = await creditNoteBreaches(context, source, invoiceId, format);
      const ofFormat = [...own, ...inherited].map((breach): Warning => ({
        code: 'E_INVOICE',
        field: breach.field,
        message: `${breach.id}: ${breach.message}`,
      }));
      return [...ofDate, ...ofFormat];
    },
  }),
);
