import type { Row } from '../../../prisma/client.ts';
import { builder } from '../../graphql/builder.ts';
import { PeriodLock } from './type.ts';

const PeriodLockList = builder.objectRef<{ items: Row<'PeriodLock'>[] }>('PeriodLockList').implement({
  description: 'The period locks of the tenant.',
  fields: (t) => ({
    items: t.expose('items', { type: [PeriodLock], description: 'At most one for each series.' }),
  }),
});

builder.queryField('periodLocks', (t) =>
  t.field({
    type: PeriodLockList,
    description: 'Until which days bookings are closed: at most one lock for each series.',
    ability: 'company:read',
    resolve: async (_root, _args, { db }) => ({ items: await db.periodLock.findMany({ orderBy: { id: 'asc' } }) }),
  }),
);
