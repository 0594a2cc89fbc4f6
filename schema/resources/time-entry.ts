import type { Prisma, TimeEntry as TimeEntryRow } from '../../prisma/generated/client/client.ts';
import { builder, type InputFields } from '../graphql/builder.ts';
import { Node } from '../graphql/node.ts';
import type { Context } from '../graphql/context.ts';
import { refuse } from '../errors.ts';
import { decimal, given, notNull, text, wholeNumber } from '../graphql/input/validators.ts';
import { Invoice } from './invoice/invoice.ts';
import { batchPerRequest } from '../../prisma/batching.ts';
import { changeRow, deleteRow } from '../rows/change-row.ts';
import { byDay, orderType } from '../graphql/paging/order.ts';
import { buildConnection, listNodes, readPage, buildWindow } from '../graphql/paging/page.ts';
import { periodRules, within } from '../graphql/filters/period.ts';
import { Project } from './project/project.ts';
import { requireExisting } from '../graphql/input/references.ts';
import { findById } from '../graphql/find-by-id.ts';
import { insertNew } from '../rows/insert-new.ts';
import { idArgument } from '../graphql/input/id-argument.ts';
import { byExternalId, externalIdArgument } from '../graphql/filters/external-id.ts';
import { expectedVersionArgument } from '../graphql/input/expected-version.ts';
import { updatedSince, updatedSinceArgument } from '../graphql/filters/updated-since.ts';

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
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const TimeEntryConnection = builder.connectionObject({ type: TimeEntry, name: 'TimeEntryConnection' });

const durationMinutes = wholeNumber(1, 1440);

const optionalFields = (t: InputFields) => ({
  description: t.string({ validate: text(5000) }),
  hourlyRateNet: t.field({
    type: 'Decimal',
    description: "Net price per hour, in the project's currency. Default: the project's rate.",
    validate: decimal({ decimals: 4, min: 0 }),
  }),
});

const CreateTimeEntryInput = builder.inputType('CreateTimeEntryInput', {
  description: 'Time to add to a project.',
  fields: (t) => ({
    projectId: t.field({ type: 'UUID', required: true }),
    date: t.field({ type: 'Date', required: true }),
    durationMinutes: t.int({ required: true, validate: durationMinutes }),
    billable: t.boolean({ description: 'Whether the time can be billed. Default: true.' }),
    ...optionalFields(t),
  }),
});

const UpdateTimeEntryInput = builder.inputType('UpdateTimeEntryInput', {
  description: 'Only the fields that are present change; null clears a field.',
  fields: (t) => ({
    date: t.field({ type: 'Date', ...notNull }),
    durationMinutes: t.int({ validate: durationMinutes, ...notNull }),
    billable: t.boolean(notNull),
    ...optionalFields(t),
  }),
});

/** Only an entry that no invoice bills may change. */
function refuseBilled({ invoiceId }: TimeEntryRow, path: string): void {
  if (invoiceId) refuse(path, 'An invoice bills this time entry.');
}

const order = orderType('TimeEntry', { DATE: byDay('date', 'The day of the work.') });

builder.queryFields((t) => ({
  timeEntry: t.prismaField({
    type: TimeEntry,
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
      resolve: (_root, args, context, info) => {
        const where: Prisma.TimeEntryWhereInput = {
          ...byExternalId(args),
          ...updatedSince(args),
          ...((args.from || args.to) && { date: within(args) }),
          ...(args.projectId && { projectId: args.projectId }),
          ...(args.billed != null && { invoiceId: args.billed ? { not: null } : null }),
          ...(args.billable != null && { billable: args.billable }),
        };
        return readPage({ context, info }, 'TimeEntry', args, where, order.columns);
      },
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

builder.prismaObjectField(Invoice, 'timeEntries', (t) =>
  t.relation('timeEntries', {
    description: 'The time that this invoice bills.',
    ability: 'time-entries:read',
    query: { orderBy: { id: 'desc' } },
  }),
);

builder.mutationFields((t) => ({
  createTimeEntry: t.prismaField({
    type: TimeEntry,
    description: 'Adds time of the caller to a project.',
    ability: 'time-entries:write',
    args: { input: t.arg({ type: CreateTimeEntryInput, required: true }) },
    rules: ({ input }, context, problems) => requireExisting(context, problems, 'project', input?.projectId),
    resolve: (query, _root, { input }, context) =>
      context.transaction(async (inside) => {
        // The entry's rate is in the project's currency, which must not change before the entry is written.
        const project = await inside.db.lock('Project', input.projectId, 'key share');
        if (!project) refuse('input.projectId', 'There is no such project.');
        const entry = inside.db.row('TimeEntry', {
          ...input,
          billable: given(input.billable),
          hourlyRateNet: input.hourlyRateNet ?? project.hourlyRateNet,
          userId: context.user.id,
        });
        return insertNew(inside, 'TimeEntry', entry, {
          rows: { TimeEntry: [entry] },
          events: [['time_entry.created', entry]],
          query,
        });
      }),
  }),

  updateTimeEntry: t.prismaField({
    type: TimeEntry,
    description: 'Changes an entry that no invoice bills.',
    ability: 'time-entries:write',
    args: { ...idArgument, input: t.arg({ type: UpdateTimeEntryInput, required: true }), ...expectedVersionArgument },
    ...changeRow('TimeEntry', {
      rules: (_input, _context, _problems, current) => refuseBilled(current, 'billed'),
      data: (input: typeof UpdateTimeEntryInput.$inferInput) => ({
        ...input,
        date: given(input.date),
        durationMinutes: given(input.durationMinutes),
        billable: given(input.billable),
      }),
      event: 'time_entry.updated',
    }),
  }),

  deleteTimeEntry: t.prismaField({
    type: TimeEntry,
    description: 'Deletes a time entry. Refused while an invoice bills it.',
    ability: 'time-entries:write',
    args: { ...idArgument, ...expectedVersionArgument },
    ...deleteRow('TimeEntry', {
      rules: (_context, _problems, current) => refuseBilled(current, 'id'),
      event: 'time_entry.deleted',
    }),
  }),
}));
