import type { ReactNode } from 'react';
import { Text } from '@mantine/core';
import { LongText } from '../../components/long-text.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Ago } from '../../components/time.tsx';
import { graphql } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { ChangedFields } from './changed-fields.tsx';
import { actions, AuditEntryFields, capitalize, describeActor, getPage, inWords, type AuditEntry } from './fields.ts';
import { t } from '../../i18n/t.ts';

const AuditLogQuery = graphql(
  `
    query AuditLog(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $resource: String
      $resourceId: UUID
      $actor: UUID
      $from: DateTime
      $to: DateTime
    ) {
      rows: auditLog(
        first: $first
        after: $after
        last: $last
        before: $before
        resource: $resource
        resourceId: $resourceId
        actor: $actor
        from: $from
        to: $to
      ) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          ...AuditEntryFields
        }
      }
    }
  `,
  [PageInfoFields, AuditEntryFields],
);

/** Entries of the audit log, newest first. */
export const EntryTable = (props: ListTableProps<typeof AuditLogQuery>): ReactNode => (
  <ListTable caption={t('Audit log')} query={AuditLogQuery} columns={columns} {...props} />
);

const columns: SortableColumn<AuditEntry, never>[] = [
  {
    header: t('What'),
    lead: true,
    cell: (entry) => {
      const page = entry.action === 'DELETED' ? undefined : getPage(entry);
      const name = inWords(entry.resource);
      return (
        <>
          {page === undefined ? <Text size="sm">{name}</Text> : <TextLink to={page}>{name}</TextLink>}
          <Text size="xs" c="dimmed">
            {actions[entry.action]}
          </Text>
        </>
      );
    },
  },
  { header: t('Fields'), cell: (entry) => <ChangedFields entry={entry} few={4} /> },
  { header: t('Who'), cell: (entry) => <LongText>{capitalize(describeActor(entry))}</LongText> },
  { header: t('When'), cell: ({ at }) => <Ago at={at} /> },
];
