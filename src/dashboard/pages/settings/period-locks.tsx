import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { LockClosedIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { Dialog } from '../../components/dialog.tsx';
import { LongText } from '../../components/long-text.tsx';
import { notifySuccess } from '../../components/toast.ts';
import { Form, useSubmit } from '../../forms/form.tsx';
import { orNull } from '../../forms/form-values.ts';
import { count, date } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { Page } from '../../layout/page.tsx';
import { Choice, Day, Filters } from '../../list/list-filters.tsx';
import { findOneOf, getKeys, useListState } from '../../list/list-state.ts';
import type { Column } from '../../list/responsive-table.tsx';
import { SimpleTable } from '../../list/simple-table.tsx';
import { lastMonth } from '../reports/period.ts';
import { t } from '../../i18n/t.ts';

const PeriodLocksQuery = graphql(`
  query PeriodLocks {
    periodLocks {
      items {
        series
        lockedUntil
        kind
        reason
      }
    }
  }
`);

const PeriodLockCheckQuery = graphql(`
  query PeriodLockCheck($until: Date!, $series: PeriodLockSeries!) {
    periodLockCheck(until: $until, series: $series) {
      drafts
      unmatched
      unproven
      items {
        problem
        type
        id
        number
        date
      }
    }
  }
`);

const SetPeriodLock = graphql(`
  mutation SetPeriodLock($input: SetPeriodLockInput!) {
    setPeriodLock(input: $input) {
      lockedUntil
    }
  }
`);

type Lock = ResultOf<typeof PeriodLocksQuery>['periodLocks']['items'][number];
type Item = ResultOf<typeof PeriodLockCheckQuery>['periodLockCheck']['items'][number];

const seriesLabels: Record<Lock['series'], string> = {
  ALL: t('All bookings'),
  SALES: t('Sales'),
  PURCHASES: t('Purchases'),
  BANK: t('Bank'),
};
const kindLabels: Record<Lock['kind'], string> = {
  SOFT: t('Soft: can be moved back'),
  FINAL: t('Final: can never be moved back'),
};

const options = <Of extends Record<string, string>>(labels: Of): { value: keyof Of & string; label: string }[] =>
  getKeys(labels).map((value) => ({ value, label: labels[value] ?? value }));

const lockColumns: Column<Lock & { id: string }>[] = [
  { header: t('Bookings'), lead: true, cell: ({ series }) => seriesLabels[series] },
  { header: t('Locked until'), cell: ({ lockedUntil }) => <span className="figure">{date(lockedUntil)}</span> },
  { header: t('Kind'), cell: ({ kind }) => (kind === 'FINAL' ? t('Final') : t('Soft')) },
  { header: t('Reason'), cell: ({ reason }) => <LongText>{reason ?? '–'}</LongText> },
];

const places: Record<Item['type'], [name: string, path: string]> = {
  INVOICE: [t('Invoice'), '/invoices'],
  CREDIT_NOTE: [t('Credit note'), '/credit-notes'],
  RECEIPT: [t('Receipt'), '/receipts'],
  BANK_TRANSACTION: [t('Bank transaction'), '/bank-transactions'],
};

const problemLabels: Record<Item['problem'], string> = {
  DRAFT: t('Draft'),
  UNMATCHED: t('Not matched'),
  UNPROVEN: t('Without a proof yet'),
};

const itemColumns: Column<Item>[] = [
  {
    header: t('Document'),
    lead: true,
    cell: ({ type, id, number }) => (
      <LongText to={`${places[type][1]}/${id}`}>{`${places[type][0]} ${number ?? ''}`.trim()}</LongText>
    ),
  },
  { header: t('Date'), cell: (item) => <span className="figure">{date(item.date)}</span> },
  { header: t('To do'), cell: ({ problem }) => problemLabels[problem] },
];

export default function PeriodLocks(): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: PeriodLocksQuery });
  const [setting, dialog] = useDisclosure();
  const list = useListState(['until', 'series']);
  const until = list.filters.until ?? lastMonth().to;
  const series = findOneOf(list.filters.series, getKeys(seriesLabels)) ?? 'ALL';
  return (
    <Page
      title={t('Period locks')}
      description={t('What is booked on or before a locked day can no longer change. Drafts can.')}
      actions={
        <Button leftSection={<LockClosedIcon width={18} aria-hidden />} onClick={dialog.open}>
          {t('Set a lock')}
        </Button>
      }
    >
      <Stack gap="xl">
        <SimpleTable
          caption={t('Period locks')}
          columns={lockColumns}
          rows={data?.periodLocks.items.map((lock) => ({ ...lock, id: lock.series }))}
          error={error}
          refetch={refetch}
          empty={<Nothing>{t('No period is locked.')}</Nothing>}
        />
        <div>
          <Title order={2} size="h4" mb="sm">
            {t('To do before a lock')}
          </Title>
          <Filters list={list}>
            <Day label={t('Until')} value={until} onChange={(value) => list.filter('until', value)} />
            <Choice
              label={t('Bookings')}
              all={seriesLabels.ALL}
              value={list.filters.series}
              onChange={(value) => list.filter('series', value)}
              options={options(seriesLabels).filter(({ value }) => value !== 'ALL')}
            />
          </Filters>
          <Check until={until} series={series} />
        </div>
      </Stack>
      <Dialog title={t('Set a period lock')} opened={setting} onClose={dialog.close}>
        <LockForm until={until} series={series} onClose={dialog.close} />
      </Dialog>
    </Page>
  );
}

interface Period {
  until: string;
  series: Lock['series'];
}

function Check({ until, series }: Period): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: PeriodLockCheckQuery, variables: { until, series } });
  const { items, drafts = 0, unmatched = 0, unproven = 0 } = data?.periodLockCheck ?? {};
  const total = drafts + unmatched + unproven;
  return (
    <>
      <SimpleTable
        caption={t('To do before a lock')}
        columns={itemColumns}
        rows={items}
        error={error}
        refetch={refetch}
        empty={<Nothing>{t('Nothing is to be done.')}</Nothing>}
      />
      {items && total > items.length && (
        <Text size="sm" c="dimmed" mt="sm">
          {t('The first {shown} of {total}.', { shown: count(items.length), total: count(total) })}
        </Text>
      )}
    </>
  );
}

function LockForm({ until, series, onClose }: Period & { onClose: () => void }): ReactNode {
  const [, setLock] = useMutation(SetPeriodLock);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { series, lockedUntil: until, kind: 'SOFT' as Lock['kind'], reason: '' },
  });
  const submission = useSubmit(
    form,
    ({ reason, ...values }, context) => setLock({ input: { ...values, reason: orNull(reason) } }, context),
    ({ setPeriodLock: { lockedUntil } }) => {
      notifySuccess(t('Locked until {date}.', { date: date(lockedUntil) }));
      onClose();
    },
  );
  return (
    <Form submission={submission} submit={t('Set the lock')} onCancel={onClose}>
      <Group grow align="start">
        <NativeSelect
          label={t('Bookings')}
          data={options(seriesLabels)}
          key={form.key('series')}
          {...form.getInputProps('series')}
        />
        <TextInput
          label={t('Locked until')}
          type="date"
          required
          key={form.key('lockedUntil')}
          {...form.getInputProps('lockedUntil')}
        />
      </Group>
      <NativeSelect
        label={t('Kind')}
        data={options(kindLabels)}
        key={form.key('kind')}
        {...form.getInputProps('kind')}
      />
      <TextInput
        label={t('Reason')}
        description={t('Needed to move a lock back')}
        key={form.key('reason')}
        {...form.getInputProps('reason')}
      />
    </Form>
  );
}

const Nothing = ({ children }: { children: string }): ReactNode => (
  <Text size="sm" c="dimmed" ta="center">
    {children}
  </Text>
);
