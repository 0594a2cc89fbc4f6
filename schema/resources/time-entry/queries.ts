import { TimeEntry } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { orderType, byDay } from '../../graphql/paging/order.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { externalIdArgument, byExternalId } from '../../graphql/filters/external-id.ts';
import { updatedSinceArgument, updatedSince } from '../../graphql/filters/updated-since.ts';
import { periodRules, byPeriod } from '../../graphql/filters/period.ts';
import type { Prisma } from '../../../prisma/generated/client/client.ts';
import { buildFilter, type Filters } from '../../graphql/filters/filters.ts';
import { readPage, buildWindow, listNodes, buildConnection } from '../../graphql/paging/page.ts';
import { batchPerRequest } from '../../../prisma/batching.ts';
import type { Context } from '../../graphql/context.ts';
import { Project } from '../project/type.ts';

const TimeEntryConnection = builder.connectionObject({ type: TimeEntry, name: 'TimeEntryConnection' });

const order = orderType('TimeEntry', { DATE: byDay('date', 'The day of the work.') });

const filters = {
  externalId: byExternalId,
  updatedSince,
  ...byPeriod('date'),
  projectId: (projectId: string) => ({ projectId }),
  billed: (isBilled: boolean) => ({ invoiceId: isBilled ? { not: null } : null }),
  billable: (billable: boolean) => ({ billable }),
} satisfies Filters<Prisma.TimeEntryWhereInput>;

builder.queryFields((t) => ({
  timeEntry: t.prismaField({
    type: TimeEntry,
    nullable: true,
    description: 'One time entry.',
    ability: 'time-entries:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'TimeEntry', id, query),
  }),
  timeEntries: t.connection(
    {
      type: TimeEntry,
      description: 'The time entries, newest first.',
      ability: 'time-entries:read',
      args: {
        from: t.arg({ type: 'Date', description: 'Worked on this day or later.' }),
        to: t.arg({ type: 'Date', description: 'Worked on this day or earlier.' }),
        projectId: t.arg({ type: 'UUID', description: 'Only time entries of this project.' }),
        billed: t.arg.boolean({ description: 'Only billed time entries, or only unbilled ones.' }),
        billable: t.arg.boolean({ description: 'Only billable time entries, or only those that are not.' }),
        ...externalIdArgument,
        ...updatedSinceArgument,
        orderBy: t.arg({ type: order.input, description: 'Default: newest first, by when they were entered.' }),
        offset: t.arg.int(),
      },
      rules: periodRules,
      resolve: async (_root, args, context, info) =>
        readPage({ context, info }, 'TimeEntry', args, await buildFilter(filters, args, context), order.columns),
    },
    TimeEntryConnection,
  ),
}));

const entriesOfProject = batchPerRequest(async (ids, context: Context) => {
  const counts = await context.db.timeEntry.groupBy({
    by: 'projectId',
    where: { projectId: { in: ids } },
    _count: true,
  });
  return new Map(counts.map((count) => [count.projectId, count._count]));
}, 0);

builder.prismaObjectField(Project, 'timeEntries', (t) =>
  t.connection(
    {
      type: TimeEntry,
      description: 'Time tracked on this project, newest first.',
      ability: 'time-entries:read',
      args: { offset: t.arg.int() },
      select: (args, _context, nested) => ({
        id: true,
        timeEntries: nested(buildWindow(args), listNodes('TimeEntry')),
      }),
      resolve: ({ id, timeEntries }, args, context) =>
        buildConnection(args, timeEntries, () => entriesOfProject(id, context)),
    },
    TimeEntryConnection,
  ),
);
