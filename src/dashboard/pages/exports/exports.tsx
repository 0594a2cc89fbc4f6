import { ArrowUpTrayIcon } from '@heroicons/react/24/outline';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useProgress } from '../../api/use-progress.ts';
import { useAnnounce } from '../../components/announce.tsx';
import { LongText } from '../../components/long-text.tsx';
import { Ago } from '../../components/time.tsx';
import { notifySuccess } from '../../components/toast.ts';
import { bytes, count, dayOf } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { DataTable, type SortableColumn } from '../../list/data-table.tsx';
import { Choice } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { findOneOf, getKeys } from '../../list/list-state.ts';
import { useListQuery, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { ExportActions } from './actions.tsx';
import { readAsked, withoutAsked, type Asked } from './asked.ts';
import { ExportFields, type Export } from './fields.ts';
import { NewExport } from './new-export.tsx';
import { ExportState, hasExpired, isUnfinished, statuses, statusLabels } from './state.tsx';
import { buildOptions, getDays, getTitle, types } from './texts.ts';
import { t } from '../../i18n/t.ts';

const ExportsQuery = graphql(
  `
    query Exports($first: Int, $after: String, $last: Int, $before: String, $filter: ExportFilter) {
      rows: exports(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          ...ExportFields
        }
      }
    }
  `,
  [PageInfoFields, ExportFields],
);

const columns: SortableColumn<Export, never>[] = [
  {
    header: t('Export'),
    lead: true,
    cell: (row) => (
      <>
        <LongText>{getTitle(row)}</LongText>
        <LongText secondary>{getDays(row)}</LongText>
        {row.type === 'DATEV' && (
          <LongText secondary>
            {t('Consultant {consultant}, client {client}', {
              consultant: String(row.consultantNumber),
              client: String(row.clientNumber),
            })}
          </LongText>
        )}
      </>
    ),
  },
  { header: t('Status'), cell: (row) => <ExportState {...row} /> },
  {
    header: t('Rows'),
    align: 'right',
    cell: ({ status, processedRows }) => (status === 'COMPLETED' ? count(processedRows) : null),
  },
  { header: t('Size'), align: 'right', cell: ({ length }) => (length === null ? null : bytes(length)) },
  { header: t('Started'), cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    header: t('Expires'),
    cell: (row) =>
      hasExpired(row) ? t('Expired') : row.expiresAt && <span className="figure">{dayOf(row.expiresAt)}</span>,
  },
  { header: t('Actions'), hidden: true, align: 'right', cell: (row) => <ExportActions row={row} /> },
];

/** It is kept current while an export on the page is not finished. */
function ExportTable({ list, filters, empty }: ListTableProps<typeof ExportsQuery>): ReactNode {
  const rows = useListQuery({ query: ExportsQuery, columns, list, filters });
  const nodes = rows.connection?.nodes;
  useProgress(nodes?.some(isUnfinished) ?? false, rows.refetch);
  useAnnouncedEnds(nodes);
  return <DataTable caption={t('Exports')} empty={empty} {...rows} />;
}

/** Tells those who don't see the table of an export that ends. */
function useAnnouncedEnds(rows: readonly Export[] | undefined): void {
  const announce = useAnnounce();
  const unfinished = useRef(new Set<string>());
  const tell = useEffectEvent((now: readonly Export[]) => {
    const ended = now.filter((row) => unfinished.current.has(row.id) && !isUnfinished(row));
    if (ended.length > 0) announce(ended.map((row) => `${getTitle(row)}: ${statusLabels[row.status]}`).join('. '));
    unfinished.current = new Set(now.filter(isUnfinished).map(({ id }) => id));
  });
  useEffect(() => {
    if (rows) tell(rows);
  }, [rows]);
}

/** Each link that asks for an export opens the dialog anew, also a second time, and from the page itself. */
export default function Exports(): ReactNode {
  const [query, setQuery] = useSearchParams();
  const [link, setLink] = useState<{ address?: string | undefined; asked?: Asked | undefined; number: number }>({
    number: 0,
  });
  const asked = readAsked(query);
  const address = asked && query.toString();
  if (address !== link.address) setLink({ ...link, address, ...(asked && { asked, number: link.number + 1 }) });
  const forget = useEffectEvent(() => setQuery(withoutAsked, { replace: true }));
  useEffect(() => {
    if (address !== undefined) forget();
  }, [address]);
  return <ExportList key={link.number} asked={link.asked} />;
}

function ExportList({ asked }: { asked: Asked | undefined }): ReactNode {
  const [, navigate] = useLocation();
  return (
    <ListPage
      title={t('Exports')}
      description={t('Files of your books, for a tax consultant, a tax audit, or another program.')}
      table={ExportTable}
      filters={{
        type: (filter) => (
          <Choice
            label={t('Type')}
            all={t('All types')}
            options={getKeys(types).map((value) => ({ value, label: types[value].label }))}
            {...filter}
          />
        ),
        status: (filter) => (
          <Choice label={t('Status')} all={t('All statuses')} options={buildOptions(statusLabels)} {...filter} />
        ),
      }}
      variables={({ type, status }) => ({
        filter: { type: { eq: findOneOf(type, getKeys(types)) }, status: { eq: findOneOf(status, statuses) } },
      })}
      add={{
        label: t('New export'),
        isOpen: asked !== undefined,
        form: (props) => <NewExport asked={asked} {...props} />,
        onDone: () => {
          navigate('/exports', { replace: true }); // a filter or another page would hide it
          notifySuccess(t('The export has begun.'));
        },
      }}
      empty={{
        icon: ArrowUpTrayIcon,
        title: t('No exports yet'),
        description: t('Export a list, open items, bookings for DATEV, or the books for a tax audit.'),
        noMatch: t('No exports match'),
      }}
    />
  );
}
