import { ClockIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { Choice, period, pickerFilter } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { QuickEntry } from './quick-entry.tsx';
import { TimeEntryTable } from './time-entry-table.tsx';

const billing = [
  { value: 'yes', label: 'Billed' },
  { value: 'no', label: 'Not billed' },
];

export default function TimeEntries(): ReactNode {
  return (
    <ListPage
      importable="TIME_ENTRY"
      title="Time entries"
      description="Your time, and that of your colleagues."
      table={TimeEntryTable}
      filters={{
        project: (filter) => <ProjectPicker label="Project" placeholder="All projects" {...pickerFilter(filter)} />,
        billed: (filter) => <Choice label="Billing" all="Billed or not" options={billing} {...filter} />,
        ...period,
      }}
      variables={({ project, billed, from, to }) => ({
        projectId: project,
        billed: billed ? billed === 'yes' : null,
        from,
        to,
      })}
      initialSort={{ field: 'DATE', direction: 'DESC' }}
      empty={{
        icon: ClockIcon,
        title: 'No time entries yet',
        description: 'Track your first entry above.',
        noMatch: 'No time entries match',
      }}
    >
      <QuickEntry />
    </ListPage>
  );
}
