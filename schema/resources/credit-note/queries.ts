import { CreditNote } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { orderType, byText, byDay, byDecimal } from '../../graphql/paging/order.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { wordsIn, searchText } from '../../graphql/filters/search.ts';
import { amountArgument, byAmount } from '../../graphql/filters/amount.ts';
import { updatedSinceArgument, updatedSince } from '../../graphql/filters/updated-since.ts';
import { periodRules, byPeriod } from '../../graphql/filters/period.ts';
import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { containsWordsOrPartner } from '../customer/search.ts';
import { buildFilter, type Filters } from '../../graphql/filters/filters.ts';
import type { Context } from '../../graphql/context.ts';
import { readPage } from '../../graphql/paging/page.ts';

const CreditNoteConnection = builder.connectionObject({ type: CreditNote, name: 'CreditNoteConnection' });

const order = orderType('CreditNote', {
  NUMBER: byText('number', 'The number.'),
  CREDIT_NOTE_DATE: byDay('creditNoteDate', 'The day of the credit note.'),
  TOTAL_GROSS: byDecimal('totalGross', 'The gross total, whatever the currency.'),
});

const filters = {
  updatedSince,
  amount: byAmount('totalGross'),
  invoiceId: (invoiceId: string) => ({ invoiceId }),
  customerId: (customerId: string) => ({ customerId }),
  ...byPeriod('creditNoteDate'),
  q: (q: string, context: Context) =>
    containsWordsOrPartner<Prisma.CreditNoteWhereInput>(
      q,
      context,
      (ids) => ({ customerId: { in: ids } }),
      (customer) => ({ customer }),
    ),
} satisfies Filters<Prisma.CreditNoteWhereInput>;

builder.queryFields((t) => ({
  creditNote: t.prismaField({
    type: CreditNote,
    nullable: true,
    description: 'One credit note.',
    ability: 'invoices:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'CreditNote', id, query),
  }),
  creditNotes: t.connection(
    {
      type: CreditNote,
      description: 'The credit notes, newest first.',
      ability: 'invoices:read',
      args: {
        invoiceId: t.arg({ type: 'UUID', description: 'Only credit notes of this invoice.' }),
        customerId: t.arg({ type: 'UUID', description: 'Only credit notes of this customer.' }),
        from: t.arg({ type: 'Date', description: 'Dated on this day or later.' }),
        to: t.arg({ type: 'Date', description: 'Dated on this day or earlier.' }),
        q: t.arg.string({
          description: `${wordsIn} number, the reason and, for those who may read customers, the customer's company name.`,
          validate: searchText,
        }),
        ...amountArgument,
        ...updatedSinceArgument,
        orderBy: t.arg({ type: order.input, description: 'Default: newest first.' }),
        offset: t.arg.int(),
      },
      rules: periodRules,
      resolve: async (_root, args, context, info) =>
        readPage({ context, info }, 'CreditNote', args, await buildFilter(filters, args, context), order.columns),
    },
    CreditNoteConnection,
  ),
}));
