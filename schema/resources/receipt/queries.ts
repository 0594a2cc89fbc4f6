import { Receipt, ReceiptStatus } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { orderType, byDay, byDecimal } from '../../graphql/paging/order.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { wordsIn, searchText } from '../../graphql/filters/search.ts';
import { externalIdArgument, byExternalId } from '../../graphql/filters/external-id.ts';
import { amountArgument, byAmount } from '../../graphql/filters/amount.ts';
import { updatedSinceArgument, updatedSince } from '../../graphql/filters/updated-since.ts';
import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { containsWordsOrPartner } from '../customer/search.ts';
import { buildFilter, type Filters } from '../../graphql/filters/filters.ts';
import type { Context } from '../../graphql/context.ts';
import { readPage } from '../../graphql/paging/page.ts';

const ReceiptConnection = builder.connectionObject({ type: Receipt, name: 'ReceiptConnection' });

const order = orderType('Receipt', {
  RECEIPT_DATE: byDay('receiptDate', 'The day on the receipt.'),
  AMOUNT_GROSS: byDecimal('amountGross', 'The gross amount, whatever the currency.'),
});

const filters = {
  externalId: byExternalId,
  updatedSince,
  amount: byAmount('amountGross'),
  status: (status: typeof ReceiptStatus.$inferType) => ({ status }),
  supplierId: (supplierId: string) => ({ supplierId }),
  q: (q: string, context: Context) =>
    containsWordsOrPartner<Prisma.ReceiptWhereInput>(
      q,
      context,
      (ids) => ({ supplierId: { in: ids } }),
      (supplier) => ({ supplier }),
    ),
} satisfies Filters<Prisma.ReceiptWhereInput>;

builder.queryFields((t) => ({
  receipt: t.prismaField({
    type: Receipt,
    nullable: true,
    description: 'One receipt.',
    ability: 'receipts:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'Receipt', id, query),
  }),
  receipts: t.connection(
    {
      type: Receipt,
      description: 'The receipts, newest first.',
      ability: 'receipts:read',
      args: {
        status: t.arg({ type: ReceiptStatus, description: 'Only rows in this state.' }),
        supplierId: t.arg({ type: 'UUID', description: 'Only receipts of this supplier.' }),
        q: t.arg.string({
          description: `${wordsIn} supplier's own number, the description and, for those who may read customers, the supplier's company name.`,
          validate: searchText,
        }),
        ...externalIdArgument,
        ...amountArgument,
        ...updatedSinceArgument,
        orderBy: t.arg({ type: order.input, description: 'Default: newest first, by when they were entered.' }),
        offset: t.arg.int(),
      },
      resolve: async (_root, args, context, info) =>
        readPage({ context, info }, 'Receipt', args, await buildFilter(filters, args, context), order.columns),
    },
    ReceiptConnection,
  ),
}));
