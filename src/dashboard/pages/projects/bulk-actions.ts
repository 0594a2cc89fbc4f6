import { TrashIcon } from '@heroicons/react/24/outline';
import { minutes } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { buildQuestion } from '../../list/selection/question.tsx';
import type { SelectionOptions } from '../../list/selection/selection.ts';
import { buildExportAction } from '../exports/export-question.tsx';
import type { Project } from './fields.ts';
import { DeleteProject } from './mutations.ts';

/** The actions on several projects. */
export const projectSelection: SelectionOptions<Project> = {
  getName: ({ name }) => name,
  getPath: ({ id }) => `/projects/${id}`,
  addUp: (rows) => minutes(rows.reduce((total, { trackedMinutes }) => total + trackedMinutes, 0)),
  actions: [
    buildExportAction('PROJECTS'),
    {
      label: t('Delete'),
      icon: TrashIcon,
      scope: 'projects',
      isRed: true,
      isFor: () => true,
      notFor: '',
      title: t('Delete the projects?'),
      Question: buildQuestion<Project>(
        {
          summary: (count) => t('{count} projects will be deleted.', { count }),
          consequence: t('They are deleted permanently. Those with time entries or receipts are left.'),
          confirm: t('Delete'),
          isRed: true,
          sayDone: (count) => t('{count} projects are deleted.', { count }),
        },
        (client, { id }) => client.mutation(DeleteProject, { id }).toPromise(),
      ),
    },
  ],
};
