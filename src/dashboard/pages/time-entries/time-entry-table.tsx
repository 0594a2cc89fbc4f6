import { ActionIcon, Anchor, Group } from '@mantine/core';
import { PencilSquareIcon, TrashIcon } from '@heroicons/react/24/outline';
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { Link } from 'wouter';
import { confirm } from '../../components/confirm.tsx';
import { DataTable, type Column } from '../../list/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { LongText } from '../../components/long-text.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { done, failed } from '../../components/toast.ts';
import { date, minutes } from '../../format/format.ts';
import { graphql, type VariablesOf } from '../../graphql.ts';
import { orderBy, type ListState } from '../../list/list-state.ts';
import { PageInfoFields } from '../../list/page-info.ts';
import { TimeEntryFields, type TimeEntry } from './fields.ts';
import { TimeEntryForm } from './time-entry-form.tsx';

const TimeEntriesQuery = graphql(
  `
    query TimeEntries(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $projectId: UUID
      $billed: Boolean
      $from: Date
      $to: Date
      $orderBy: TimeEntryOrder
    ) {
      timeEntries(
        first: $first
        after: $after
        last: $last
        before: $before
        projectId: $projectId
        billed: $billed
        from: $from
        to: $to
        orderBy: $orderBy
      ) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          ...TimeEntryFields
        }
      }
    }
  `,
  [PageInfoFields, TimeEntryFields],
);

const DeleteTimeEntry = graphql(`
  mutation DeleteTimeEntry($id: UUID!) {
    deleteTimeEntry(id: $id) {
      id
    }
  }
`);

interface Props {
  list: ListState<never>;
  filters: Omit<VariablesOf<typeof TimeEntriesQuery>, 'first' | 'after' | 'last' | 'before' | 'orderBy'>;
  /** Whether all are one project's, which needn't be named on each row. */
  oneProject?: boolean;
  empty: ReactNode;
}

/** Time entries; unbilled ones can be changed and deleted. */
export function TimeEntryTable({ list, filters, oneProject = false, empty }: Props): ReactNode {
  const [editing, setEditing] = useState<TimeEntry>();
  const [, remove] = useMutation(DeleteTimeEntry);
  const [{ data, fetching, stale, error }, refetch] = useQuery({
    query: TimeEntriesQuery,
    variables: { ...list.variables, ...filters, orderBy: orderBy(list.sort, ['DATE']) },
  });
  const askToDelete = async (entry: TimeEntry): Promise<void> => {
    const sure = await confirm({
      title: 'Delete the time entry?',
      children: `${minutes(entry.durationMinutes)} on ${entry.project.name}, ${date(entry.date)}.`,
      confirm: 'Delete',
      danger: true,
    });
    if (!sure) return;
    const { error: refused } = await remove({ id: entry.id });
    if (refused) failed(refused);
    else done('The time entry is deleted.');
  };
  return (
    <>
      <DataTable
        caption="Time entries"
        columns={[...columns(oneProject), actions(setEditing, askToDelete)]}
        list={list}
        connection={data?.timeEntries}
        fetching={fetching && !stale}
        error={error}
        refetch={refetch}
        empty={empty}
      />
      <Dialog title="Edit the time entry" opened={editing !== undefined} onClose={() => setEditing(undefined)}>
        {editing && (
          <TimeEntryForm entry={editing} onCancel={() => setEditing(undefined)} onDone={() => setEditing(undefined)} />
        )}
      </Dialog>
    </>
  );
}

const columns = (oneProject: boolean): Column<TimeEntry>[] => [
  { header: 'Day', sort: 'DATE', cell: (entry) => <span className="figure">{date(entry.date)}</span> },
  {
    header: 'Work',
    lead: true,
    cell: ({ project, description }) => (
      <>
        {!oneProject && <LongText to={`/projects/${project.id}`}>{project.name}</LongText>}
        <LongText secondary={!oneProject}>{description}</LongText>
      </>
    ),
  },
  { header: 'Time', align: 'right', cell: ({ durationMinutes }) => minutes(durationMinutes) },
  { header: 'Billing', cell: (entry) => <Billing entry={entry} /> },
];

function Billing({ entry: { invoice, billed, billable } }: { entry: TimeEntry }): ReactNode {
  if (invoice) {
    return (
      <Anchor component={Link} to={`/invoices/${invoice.id}`} size="sm" className="figure">
        {invoice.number ?? 'On a draft'}
      </Anchor>
    );
  }
  if (billed) return 'Billed';
  return <StatusBadge color={billable ? 'orange' : 'gray'}>{billable ? 'Unbilled' : 'Not billable'}</StatusBadge>;
}

const actions = (edit: (entry: TimeEntry) => void, remove: (entry: TimeEntry) => void): Column<TimeEntry> => ({
  header: 'Actions',
  hidden: true,
  align: 'right',
  cell: (entry) => {
    if (entry.billed) return null;
    const what = `${minutes(entry.durationMinutes)} on ${date(entry.date)}`;
    return (
      <Group gap={4} wrap="nowrap" justify="flex-end">
        <ActionIcon variant="subtle" color="gray" aria-label={`Edit ${what}`} onClick={() => edit(entry)}>
          <PencilSquareIcon width={18} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="subtle" color="red" aria-label={`Delete ${what}`} onClick={() => remove(entry)}>
          <TrashIcon width={18} aria-hidden />
        </ActionIcon>
      </Group>
    );
  },
});
