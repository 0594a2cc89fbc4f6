import { ActionIcon, Group, Kbd, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { ChevronLeftIcon, ChevronRightIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { count, date, money } from '../../format/format.ts';
import type { ListConnection } from '../../list/data-table.tsx';
import { pageSize, usePageOfRows, type ListState } from '../../list/list-state.ts';
import { getName, type BankTransaction } from './fields.ts';
import { t } from '../../i18n/t.ts';

interface Props {
  /** Undefined while it is loading. */
  connection: ListConnection<BankTransaction> | undefined;
  list: ListState<never>;
  isFetching: boolean;
  selected: string | undefined;
  /** Whether a row that appears gets the focus. */
  takeFocus: (id: string) => boolean;
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The unmatched transactions: links that select one. The selected one is the list's only stop of the Tab key. */
export function InboxList({ connection, list, isFetching, selected, takeFocus }: Props): ReactNode {
  const [path] = useLocation();
  const [search] = useSearchParams();
  const rows = connection?.nodes;
  const tabStop = rows?.some(({ id }) => id === selected) ? selected : rows?.[0]?.id;
  const buildAddress = (id: string): string => {
    const next = new URLSearchParams(search);
    next.set('selected', id);
    return `${path}?${next.toString()}`;
  };
  return (
    <Paper withBorder radius="md" className="inbox-list" aria-busy={isFetching && !rows}>
      <ul aria-label={t('Unmatched transactions')}>
        {rows
          ? rows.map((row) => (
              <li key={row.id}>
                <Link
                  to={buildAddress(row.id)}
                  replace
                  data-transaction={row.id}
                  aria-current={row.id === selected || undefined}
                  tabIndex={row.id === tabStop ? 0 : -1}
                  ref={(link: HTMLAnchorElement | null) => {
                    if (link && takeFocus(row.id)) link.focus();
                  }}
                >
                  <Row transaction={row} />
                </Link>
              </li>
            ))
          : Array.from({ length: 8 }, (_, at) => (
              <li key={at}>
                <Skeleton h={34} m="sm" w="auto" />
              </li>
            ))}
      </ul>
      <Pages connection={connection} list={list} />
    </Paper>
  );
}

function Row({ transaction }: { transaction: BankTransaction }): ReactNode {
  const { bookingDate, amount, currency, reference } = transaction;
  const name = getName(transaction);
  return (
    <Stack component="span" gap={0}>
      <Group component="span" justify="space-between" gap="sm" wrap="nowrap">
        <Text component="span" size="sm" fw={500} truncate title={name}>
          {name}
        </Text>
        <Text component="span" size="sm" className="numbers figure">
          {money(amount, currency)}
        </Text>
      </Group>
      <Group component="span" justify="space-between" gap="sm" wrap="nowrap">
        <Text component="span" size="xs" c="dimmed" truncate title={reference ?? undefined}>
          {reference}
        </Text>
        <Text component="span" size="xs" c="dimmed" className="figure">
          {date(bookingDate)}
        </Text>
      </Group>
    </Stack>
  );
}

function Pages({ connection, list }: Pick<Props, 'connection' | 'list'>): ReactNode {
  const { totalCount = 0, nodes = [], pageInfo } = connection ?? {};
  const page = usePageOfRows(connection, list);
  const before = (page - 1) * pageSize;
  const { startCursor, endCursor, hasPreviousPage, hasNextPage } = pageInfo ?? {};
  const hasPages = hasPreviousPage === true || hasNextPage === true;
  return (
    <Group justify="space-between" gap="xs" px="sm" py={6} mih={44} className="inbox-footer">
      <Group gap={6} className="keys" aria-hidden>
        <Keys keys={['J', 'K']} action={t('move')} />
        <Keys keys={['↵']} action={t('confirm')} />
        <Keys keys={[isMac ? '⌘Z' : `${t('Ctrl')} Z`]} action={t('undo')} />
      </Group>
      {hasPages && (
        <Group gap={4} role="group" aria-label={t('Pages')} wrap="nowrap" ml="auto">
          <Text size="xs" c="dimmed" className="numbers">
            {t('{first} to {last} of {total}', {
              first: count(before + 1),
              last: count(before + nodes.length),
              total: count(totalCount),
            })}
          </Text>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('Previous page')}
            disabled={!hasPreviousPage}
            onClick={() => startCursor && list.goToPage({ before: startCursor, page: page - 1 })}
          >
            <ChevronLeftIcon width={18} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('Next page')}
            disabled={!hasNextPage}
            onClick={() => endCursor && list.goToPage({ after: endCursor, page: page + 1 })}
          >
            <ChevronRightIcon width={18} aria-hidden />
          </ActionIcon>
        </Group>
      )}
    </Group>
  );
}

const Keys = ({ keys, action }: { keys: string[]; action: string }): ReactNode => (
  <Group gap={6} wrap="nowrap">
    {keys.map((key) => (
      <Kbd key={key} size="xs">
        {key}
      </Kbd>
    ))}
    <Text size="xs" c="dimmed">
      {action}
    </Text>
  </Group>
);
