import { TrashIcon } from '@heroicons/react/24/outline';
import { date, minutes } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';
import { buildQuestion } from '../../list/selection/question.tsx';
import type { SelectionOptions } from '../../list/selection/selection.ts';
import { buildExportAction } from '../exports/export-question.tsx';
import type { TimeEntry } from './fields.ts';

export const DeleteTimeEntry = graphql(`
  mutation DeleteTimeEntry($id: UUID!) {
    deleteTimeEntry(id: $id) {
      id
    }
  }
`);

/** The actions on several time entries. */
export const timeEntrySelection: SelectionOptions<TimeEntry> = {
  getName: (entry) =>
    t('{time} on {project}, {date}', {
      time: minutes(entry.durationMinutes),
      project: entry.project.name,
      date: date(entry.date),
    }),
  addUp: (rows) => minutes(rows.reduce((total, { durationMinutes }) => total + durationMinutes, 0)),
  actions: [
    buildExportAction('TIME_ENTRIES'),
    {
      label: t('Delete'),
      icon: TrashIcon,
      scope: 'time-entries',
      isRed: true,
      isFor: ({ billed }) => !billed,
      notFor: t('Billed'),
      title: t('Delete the time entries?'),
      Question: buildQuestion<TimeEntry>(
        {
          summary: (count) => t('{count} time entries will be deleted.', { count }),
          consequence: t('They are deleted permanently.'),
          confirm: t('Delete'),
          isRed: true,
          sayDone: (count) => t('{count} time entries are deleted.', { count }),
        },
        (client, { id }) => client.mutation(DeleteTimeEntry, { id }).toPromise(),
      ),
    },
  ],
};
