import { aggregateField } from '../../graphql/aggregates.ts';
import { builder } from '../../graphql/builder.ts';
import { findByIdIfAny } from '../../graphql/find-by-id.ts';
import { Project } from '../project/type.ts';
import { timeEntryInputs } from './filter.ts';

const Group = aggregateField('timeEntriesAggregate', 'TimeEntry', timeEntryInputs, {
  description: 'The time entries in groups, with their number and minutes.',
  keys: {
    projectId: { column: 'projectId', description: "The project's id." },
    userId: { column: 'userId', description: 'The id of the user who tracked the time.' },
    billable: { column: 'billable', description: 'Whether the time can be billed.' },
    month: { column: 'date', isMonth: true, description: 'The month of the work, `YYYY-MM`.' },
  },
  sums: ['durationMinutes'],
  hasCurrency: false,
});

builder.objectField(Group, 'project', (t) =>
  t.prismaField({
    type: Project,
    nullable: true,
    description: 'The project. Null unless they are grouped by its id.',
    ability: 'projects:read',
    resolve: (query, { values }, _args, context) =>
      typeof values['projectId'] === 'string' ? findByIdIfAny(context, 'Project', values['projectId'], query) : null,
  }),
);
