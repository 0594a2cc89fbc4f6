import { builder } from '../../graphql/builder.ts';
import type {
  PeriodLockKind as PeriodLockKinds,
  PeriodLockSeries as PeriodLockSeriesNames,
  Row,
} from '../../../prisma/client.ts';

export const PeriodLockSeries = builder.enumType('PeriodLockSeries', {
  description: 'The bookings that a period lock closes.',
  values: {
    SALES: { description: 'Invoices, credit notes, and their payments and refunds.' },
    PURCHASES: { description: 'Receipts and their payments.' },
    BANK: { description: 'Payments that come from bank transactions.' },
    ALL: { description: 'All of these.' },
  } satisfies Record<PeriodLockSeriesNames, object>,
});

export const PeriodLockKind = builder.enumType('PeriodLockKind', {
  description: 'Whether a period lock can be moved back.',
  values: {
    SOFT: { description: 'It can be moved back with a reason.' },
    FINAL: { description: 'It can not: the VAT return is filed, say.' },
  } satisfies Record<PeriodLockKinds, object>,
});

export const PeriodLock = builder.objectRef<Row<'PeriodLock'>>('PeriodLock').implement({
  description: 'The last day until which the bookings of a series are closed.',
  fields: (t) => ({
    series: t.expose('series', { type: PeriodLockSeries, description: 'The bookings that it closes.' }),
    lockedUntil: t.expose('lockedUntil', { type: 'Date', description: 'The last day that is closed.' }),
    kind: t.expose('kind', { type: PeriodLockKind, description: 'Whether it can be moved back.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it was set, or moved back.' }),
    userId: t.expose('userId', { type: 'UUID', description: 'The user who set it last.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was set last.' }),
  }),
});
