import { QueueListIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useProgress } from '../../api/use-progress.ts';
import { TextLink } from '../../components/text-link.tsx';
import { Ago } from '../../components/time.tsx';
import { count } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { DataTable, type SortableColumn } from '../../list/data-table.tsx';
import { Choice } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { findOneOf } from '../../list/list-state.ts';
import { useListQuery, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { BulkOperationFields, type BulkOperation } from './fields.ts';
import { BulkOperationState, getTitle, isUnfinished, LineProgress, statuses, statusOptions } from './state.tsx';
import { StartForm } from './start-form.tsx';
import { t } from '../../i18n/t.ts';

const BulkOperationsQuery = graphql(
  `
    query BulkOperations($first: Int, $after: String, $last: Int, $before: String, $filter: BulkOperationFilter) {
      rows: bulkOperations(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          ...BulkOperationFields
        }
      }
    }
  `,
  [PageInfoFields, BulkOperationFields],
);

const columns: SortableColumn<BulkOperation, never>[] = [
  {
    header: t('Operation'),
    lead: true,
    cell: (operation) => (
      <TextLink className="target" to={`/bulk-operations/${operation.id}`}>
        {getTitle(operation)}
      </TextLink>
    ),
  },
  { header: t('Status'), cell: (operation) => <BulkOperationState {...operation} /> },
  { header: t('Lines_file'), align: 'right', cell: (operation) => <LineProgress operation={operation} /> },
  { header: t('Failed'), align: 'right', cell: ({ failedLines }) => count(failedLines) },
  { header: t('Started'), cell: ({ createdAt }) => <Ago at={createdAt} /> },
];

/** It is kept current while an operation on the page is not finished. */
function BulkOperationTable({ list, filters, empty }: ListTableProps<typeof BulkOperationsQuery>): ReactNode {
  const rows = useListQuery({ query: BulkOperationsQuery, columns, list, filters });
  useProgress(rows.connection?.nodes.some(isUnfinished) ?? false, rows.refetch);
  return <DataTable caption={t('Bulk operations')} empty={empty} {...rows} />;
}

export default function BulkOperations(): ReactNode {
  return (
    <ListPage
      title={t('Bulk operations')}
      description={t('Very many resources, written by one file. Each is kept for 30 days after its end.')}
      guide={{ href: '/docs/bulk', label: t('Bulk operations') }}
      table={BulkOperationTable}
      filters={{
        status: (filter) => <Choice label={t('Status')} all={t('All statuses')} options={statusOptions} {...filter} />,
      }}
      variables={({ status }) => ({ filter: { status: { eq: findOneOf(status, statuses) } } })}
      add={{ label: t('Start with a file'), form: (props) => <StartForm {...props} /> }}
      empty={{
        icon: QueueListIcon,
        title: t('No bulk operations yet'),
        description: t('Start one with a file of JSON Lines to create, update, or delete many resources at once.'),
        noMatch: t('No bulk operations match'),
      }}
    />
  );
}
