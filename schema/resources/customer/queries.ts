import { Customer, CustomerType } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { orderType, byText } from '../../graphql/paging/order.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { wordsIn, searchText, joinConditions, containing } from '../../graphql/filters/search.ts';
import { externalIdArgument, byExternalId } from '../../graphql/filters/external-id.ts';
import { updatedSinceArgument, updatedSince } from '../../graphql/filters/updated-since.ts';
import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { readPage } from '../../graphql/paging/page.ts';

const CustomerConnection = builder.connectionObject({ type: Customer, name: 'CustomerConnection' });

const order = orderType('Customer', { COMPANY_NAME: byText('companyName', 'The company name.') });

builder.queryFields((t) => ({
  customer: t.prismaField({
    type: Customer,
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
      resolve: (_root, args, context, info) => {
        const where: Prisma.CustomerWhereInput = {
          ...byExternalId(args),
          ...updatedSince(args),
          ...(args.type && { type: args.type }),
          ...joinConditions(containing(args.q)),
        };
        return readPage({ context, info }, 'Customer', args, where, order.columns);
      },
    },
    CustomerConnection,
  ),
}));
