import { TimeEntry } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { listArguments, nestedList, readList } from '../../graphql/lists.ts';
import { timeEntryInputs } from './filter.ts';
import { listNodes } from '../../graphql/paging/page.ts';
import { Invoice } from '../invoice/type.ts';
import { Project } from '../project/type.ts';

const TimeEntryConnection = builder.connectionObject({ type: TimeEntry, name: 'TimeEntryConnection' });

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
      args: { ...listArguments(timeEntryInputs), offset: t.arg.int() },
      resolve: (_root, args, context, info) => readList({ context, info }, 'TimeEntry', timeEntryInputs, args),
    },
    TimeEntryConnection,
  ),
}));

const entriesOfProject = nestedList('TimeEntry', 'projectId', timeEntryInputs);

builder.prismaObjectField(Project, 'timeEntries', (t) =>
  t.connection(
    {
      type: TimeEntry,
      description: 'Time tracked on this project, newest first.',
      ability: 'time-entries:read',
      args: { ...listArguments(timeEntryInputs), offset: t.arg.int() },
      select: (args, context, nested) => ({
        id: true,
        timeEntries: nested(entriesOfProject.query(args, context), listNodes('TimeEntry')),
      }),
      resolve: ({ id, timeEntries }, args, context) => entriesOfProject.connect(id, timeEntries, args, context),
    },
    TimeEntryConnection,
  ),
);

const entriesOfInvoice = nestedList('TimeEntry', 'invoiceId', timeEntryInputs);

builder.prismaObjectField(Invoice, 'timeEntries', (t) =>
  t.connection(
    {
      type: TimeEntry,
      description: 'The time that this invoice bills, newest first.',
      ability: 'time-entries:read',
      args: { ...listArguments(timeEntryInputs), offset: t.arg.int() },
      select: (args, context, nested) => ({
        id: true,
        timeEntries: nested(entriesOfInvoice.query(args, context), listNodes('TimeEntry')),
      }),
      resolve: ({ id, timeEntries }, args, context) => entriesOfInvoice.connect(id, timeEntries, args, context),
    },
    TimeEntryConnection,
  ),
);
