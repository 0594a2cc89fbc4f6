import { Customer, CustomerType } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { orderType, byText } from '../../graphql/paging/order.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { wordsIn, searchText, containsWords } from '../../graphql/filters/search.ts';
import { externalIdArgument, byExternalId } from '../../graphql/filters/external-id.ts';
import { updatedSinceArgument, updatedSince } from '../../graphql/filters/updated-since.ts';
import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { buildFilter, type Filters } from '../../graphql/filters/filters.ts';
import { readPage } from '../../graphql/paging/page.ts';

const CustomerConnection = builder.connectionObject({ type: Customer, name: 'CustomerConnection' });

const order = orderType('Customer', { COMPANY_NAME: byText('companyName', 'The company name.') });

const filters = {
  externalId: byExternalId,
  updatedSince,
  type: (type: typeof CustomerType.$inferType) => ({ type }),
  q: containsWords,
} satisfies Filters<Prisma.CustomerWhereInput>;

builder.queryFields((t) => ({
  customer: t.prismaField({
    type: Customer,
    nullable: true,
    description: 'One customer or supplier.',
    ability: 'customers:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'Customer', id, query),
  }),
  customers: t.connection(
    {
      type: Customer,
      description: 'The customers and suppliers, newest first.',
      ability: 'customers:read',
      args: {
        type: t.arg({ type: CustomerType, description: 'Only customers, or only suppliers.' }),
        q: t.arg.string({
          description: `${wordsIn} company name, e-mail address, city and VAT number.`,
          validate: searchText,
        }),
        ...externalIdArgument,
        ...updatedSinceArgument,
        orderBy: t.arg({ type: order.input, description: 'Default: newest first.' }),
        offset: t.arg.int(),
      },
      resolve: async (_root, args, context, info) =>
        readPage({ context, info }, 'Customer', args, await buildFilter(filters, args, context), order.columns),
    },
    CustomerConnection,
  ),
}));
