import { TimeEntry } from './type.ts';
import { builder } from '../../graphql/builder.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { listArguments, nestedList, readList } from '../../graphql/lists.ts';
import { timeEntryInputs } from './filter.ts';
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

builder.prismaObjectField(Project, 'timeEntries', (t) =>
  t.connection(
    {
      type: TimeEntry,
      description: 'Time tracked on this project, newest first.',
      ability: 'time-entries:read',
      ...nestedList('TimeEntry', 'projectId', 'timeEntries', timeEntryInputs),
    },
    TimeEntryConnection,
  ),
);

builder.prismaObjectField(Invoice, 'timeEntries', (t) =>
  t.connection(
    {
      type: TimeEntry,
      description: 'The time that this invoice bills, newest first.',
      ability: 'time-entries:read',
      ...nestedList('TimeEntry', 'invoiceId', 'timeEntries', timeEntryInputs),
    },
    TimeEntryConnection,
  ),
);
