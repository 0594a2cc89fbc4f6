import { builder } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';

export const TimeEntry = builder.prismaObject('TimeEntry', {
  interfaces: [Node],
  example: {
    date: '2026-01-30',
    durationMinutes: 90,
    description: 'Design of the new shop pages',
    billable: true,
    hourlyRateNet: '95',
    invoiceId: null,
    billed: false,
    externalId: null,
    metadata: { cost_center: '4711' },
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    projectId: t.expose('projectId', { type: 'UUID' }),
    project: t.relation('project', { ability: 'projects:read' }),
    userId: t.expose('userId', { type: 'UUID' }),
    invoiceId: t.expose('invoiceId', { type: 'UUID', nullable: true }),
    invoice: t.relation('invoice', { ability: 'invoices:read', nullable: true }),
    billed: t.boolean({
      description: 'Whether an invoice bills this time.',
      select: { invoiceId: true },
      resolve: ({ invoiceId }) => invoiceId !== null,
    }),
    date: t.expose('date', { type: 'Date' }),
    durationMinutes: t.exposeInt('durationMinutes'),
    description: t.exposeString('description', { nullable: true }),
    billable: t.exposeBoolean('billable'),
    hourlyRateNet: t.expose('hourlyRateNet', { type: 'Decimal', nullable: true }),
    externalId: t.exposeString('externalId', { nullable: true }),
    metadata: t.expose('metadata', { type: 'Metadata' }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
