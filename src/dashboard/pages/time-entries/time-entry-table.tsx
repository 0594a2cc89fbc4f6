import { ActionIcon, Anchor, Group } from '@mantine/core';
import { PencilSquareIcon, TrashIcon } from '@heroicons/react/24/outline';
import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { Link } from 'wouter';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { LongText } from '../../components/long-text.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { notifySuccess, notifyError } from '../../components/toast.ts';
import { date, minutes } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import type { Column } from '../../list/responsive-table.tsx';
import { TimeEntryFields, type TimeEntry } from './fields.ts';
import { DeleteTimeEntry, timeEntrySelection } from './bulk-actions.ts';
import { TimeEntryForm } from './time-entry-form.tsx';
import { t } from '../../i18n/t.ts';

const TimeEntriesQuery = graphql(
  `
    query TimeEntries(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: TimeEntryFilter
      $orderBy: [TimeEntryOrder!]
    ) {
      rows: timeEntries(
        first: $first
        after: $after
        last: $last
        before: $before
        filter: $filter
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

interface Props extends ListTableProps<typeof TimeEntriesQuery> {
  /** Whether all entries belong to one project, so that its name is left out. */
  oneProject?: boolean;
}

/** A table of time entries. Those that aren't billed can be edited and deleted. */
export function TimeEntryTable({ oneProject = false, ...rest }: Props): ReactNode {
  const [editing, setEditing] = useState<TimeEntry>();
  const [, remove] = useMutation(DeleteTimeEntry);
  const confirmAndDelete = async (entry: TimeEntry): Promise<void> => {
    const confirmed = await confirm({
      title: t('Delete the time entry?'),
      children: t('{time} on {project}, {date}.', {
        time: minutes(entry.durationMinutes),
        project: entry.project.name,
        date: date(entry.date),
      }),
      confirm: t('Delete'),
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await remove({ id: entry.id });
    if (error) notifyError(error);
    else notifySuccess(t('The time entry is deleted.'));
  };
  return (
    <>
      <ListTable
        caption={t('Time entries')}
        query={TimeEntriesQuery}
        columns={[...columns(oneProject), actions(setEditing, confirmAndDelete)]}
        selection={oneProject ? undefined : timeEntrySelection}
        {...rest}
      />
      <Dialog title={t('Edit the time entry')} opened={editing !== undefined} onClose={() => setEditing(undefined)}>
        {editing && (
          <TimeEntryForm entry={editing} onCancel={() => setEditing(undefined)} onDone={() => setEditing(undefined)} />
        )}
      </Dialog>
    </>
  );
}

const columns = (oneProject: boolean): SortableColumn<TimeEntry, 'DATE'>[] => [
  {
    header: t('Day'),
    sort: 'DATE',
    phone: 'detail',
    cell: (entry) => <span className="figure">{date(entry.date)}</span>,
  },
  {
    header: t('Work'),
    lead: true,
    phone: 'title',
    cell: ({ project, description }) => (
      <div>
        {!oneProject && <LongText to={`/projects/${project.id}`}>{project.name}</LongText>}
        <LongText secondary={!oneProject}>{description}</LongText>
      </div>
    ),
  },
  { header: t('Time'), align: 'right', phone: 'value', cell: ({ durationMinutes }) => minutes(durationMinutes) },
  { header: t('Billing'), phone: 'state', cell: (entry) => <Billing entry={entry} /> },
];

function Billing({ entry: { invoice, billed, billable } }: { entry: TimeEntry }): ReactNode {
  if (invoice) {
    return (
      <Anchor component={Link} to={`/invoices/${invoice.id}`} size="sm" className="figure">
        {invoice.number ?? t('On a draft')}
      </Anchor>
    );
  }
  if (billed) return t('Billed');
  return <StatusBadge color={billable ? 'orange' : 'gray'}>{billable ? t('Unbilled') : t('Not billable')}</StatusBadge>;
}

const actions = (edit: (entry: TimeEntry) => void, remove: (entry: TimeEntry) => void): Column<TimeEntry> => ({
  header: t('Actions'),
  hidden: true,
  align: 'right',
  phone: 'actions',
  cell: (entry) => {
    if (entry.billed) return null;
    const named = { time: minutes(entry.durationMinutes), date: date(entry.date) };
    return (
      <Group gap={4} wrap="nowrap" justify="flex-end">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Edit {time} on {date}', named)}
          onClick={() => edit(entry)}
        >
          <PencilSquareIcon width={18} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={t('Delete {time} on {date}', named)}
          onClick={() => remove(entry)}
        >
          <TrashIcon width={18} aria-hidden />
        </ActionIcon>
      </Group>
    );
  },
});
