import { builder } from '../../graphql/builder.ts';
import type { ProjectStatus as ProjectStatuses } from '../../../prisma/generated/client/client.ts';
import { batchPerRequest } from '../../../prisma/batching.ts';
import type { Context } from '../../graphql/context.ts';
import { Node } from '../../graphql/node.ts';

export const ProjectStatus = builder.enumType('ProjectStatus', {
  description: 'The state of a project. It can be changed freely, and time can be tracked in every state.',
  values: {
    ACTIVE: { description: 'Work is in progress.' },
    COMPLETED: { description: 'The work is done.' },
    ARCHIVED: { description: 'Put away; kept for reference.' },
  } satisfies Record<ProjectStatuses, object>,
});

const trackedMinutes = batchPerRequest(async (ids, context: Context) => {
  const sums = await context.db.timeEntry.groupBy({
    by: 'projectId',
    where: { projectId: { in: ids } },
    _sum: { durationMinutes: true },
  });
  return new Map(sums.map((sum) => [sum.projectId, sum._sum.durationMinutes ?? 0]));
}, 0);

/** Unbilled time entries. */
export const unbilled = { billable: true, invoiceId: null } as const;

const unbilledMinutes = batchPerRequest(async (ids, context: Context) => {
  const sums = await context.db.timeEntry.groupBy({
    by: 'projectId',
    where: { projectId: { in: ids }, ...unbilled },
    _sum: { durationMinutes: true },
  });
  return new Map(sums.map((sum) => [sum.projectId, sum._sum.durationMinutes ?? 0]));
}, 0);

export const Project = builder.prismaObject('Project', {
  interfaces: [Node],
  example: {
    name: 'New shop',
    description: 'Design of the new shop pages',
    hourlyRateNet: '95',
    currency: 'EUR',
    budgetHours: '40',
    startDate: '2026-01-01',
    endDate: '2026-03-31',
    trackedMinutes: 480,
    externalId: null,
    metadata: { cost_center: '4711' },
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    customerId: t.expose('customerId', { type: 'UUID', nullable: true }),
    customer: t.relation('customer', { ability: 'customers:read', nullable: true }),
    name: t.exposeString('name'),
    description: t.exposeString('description', { nullable: true }),
    status: t.expose('status', { type: ProjectStatus }),
    hourlyRateNet: t.expose('hourlyRateNet', { type: 'Decimal', nullable: true }),
    currency: t.exposeString('currency'),
    budgetHours: t.expose('budgetHours', { type: 'Decimal', nullable: true }),
    startDate: t.expose('startDate', { type: 'Date', nullable: true }),
    endDate: t.expose('endDate', { type: 'Date', nullable: true }),
    trackedMinutes: t.int({
      description: "The sum of the project's time entries, in minutes.",
      select: { id: true },
      resolve: ({ id }, _args, context) => trackedMinutes(id, context),
    }),
    unbilledMinutes: t.int({
      description: "The sum of the project's billable time entries that no invoice bills, in minutes.",
      ability: 'time-entries:read',
      select: { id: true },
      resolve: ({ id }, _args, context) => unbilledMinutes(id, context),
    }),
    externalId: t.exposeString('externalId', { nullable: true }),
    metadata: t.expose('metadata', { type: 'Metadata' }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
