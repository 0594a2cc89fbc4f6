import { ClockIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { Choice, Day, Filters } from '../../list/list-filters.tsx';
import { EmptyList } from '../../list/empty-list.tsx';
import { Page } from '../../layout/page.tsx';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { useListState } from '../../list/list-state.ts';
import { QuickEntry } from './quick-entry.tsx';
import { TimeEntryTable } from './time-entry-table.tsx';

const names = ['project', 'billed', 'from', 'to'] as const;

export default function TimeEntries(): ReactNode {
  const list = useListState(names, { field: 'DATE', direction: 'DESC' });
  const { project, billed, from, to } = list.filters;
  return (
    <Page title="Time entries" description="Your time, and that of your colleagues.">
      <QuickEntry />
      <Filters list={list}>
        <ProjectPicker
          label="Of the project"
          placeholder="All projects"
          hideLabel
          value={project ?? null}
          onChange={(value) => list.filter({ project: value ?? undefined })}
          w={{ base: '100%', sm: 220 }}
        />
        <Choice
          label="Billing"
          all="Billed or not"
          value={billed}
          onChange={(value) => list.filter({ billed: value })}
          options={[
            { value: 'yes', label: 'Billed' },
            { value: 'no', label: 'Not billed' },
          ]}
        />
        <Day label="From" value={from} onChange={(value) => list.filter({ from: value })} />
        <Day label="To" value={to} onChange={(value) => list.filter({ to: value })} />
      </Filters>
      <TimeEntryTable
        list={list}
        filters={{
          projectId: project ?? null,
          billed: billed ? billed === 'yes' : null,
          from: from ?? null,
          to: to ?? null,
        }}
        empty={
          <EmptyList
            list={list}
            noMatch="No time entries match"
            icon={ClockIcon}
            title="No time yet"
            description="Track the first above."
          />
        }
      />
    </Page>
  );
}
