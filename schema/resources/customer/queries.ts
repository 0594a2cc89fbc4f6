import { Customer } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { listArguments, readList } from '../../graphql/lists.ts';
import { customerInputs } from './filter.ts';

const CustomerConnection = builder.connectionObject({ type: Customer, name: 'CustomerConnection' });

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
      args: { ...listArguments(customerInputs), offset: t.arg.int() },
      resolve: (_root, args, context, info) => readList({ context, info }, 'Customer', customerInputs, args),
    },
    CustomerConnection,
  ),
}));
