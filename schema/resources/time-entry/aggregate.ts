import { aggregateField } from '../../graphql/aggregates.ts';
import { timeEntryInputs } from './filter.ts';

aggregateField('timeEntriesAggregate', 'TimeEntry', timeEntryInputs, {
  description: 'The time entries in groups, with their number and minutes.',
  keys: {
    projectId: { column: 'projectId', description: "The project's id." },
    userId: { column: 'userId', description: 'The id of the user who tracked the time.' },
    billable: { column: 'billable', description: 'Whether the time can be billed.' },
    month: { column: 'date', isMonth: true, description: 'The month of the work, `YYYY-MM`.' },
  },
  relations: ['project'],
  sums: ['durationMinutes'],
  hasCurrency: false,
});
