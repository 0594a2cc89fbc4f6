import { Company } from './type.ts';
import type { Context } from '../../graphql/context.ts';
import type { Row } from '../../../prisma/client.ts';
import { builder } from '../../graphql/builder.ts';
import { findById } from '../../graphql/find-by-id.ts';

/** The tenant's company profile; null where there is none. */
export const findCompany = ({ db }: Pick<Context, 'db'>): Promise<Row<'Company'> | null> =>
  db.company.findFirst({ orderBy: { id: 'asc' } });

builder.queryField('company', (t) =>
  t.prismaField({
    type: Company,
    nullable: true,
    description: "The tenant's company profile; null until there is one.",
    ability: 'company:read',
    resolve: async (query, _root, _args, context) => {
      const company = await findCompany(context);
      return company && findById(context, 'Company', company, query);
    },
  }),
);
