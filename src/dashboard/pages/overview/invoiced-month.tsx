import { EmptyState, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { minus } from '../../format/decimal.ts';
import { lastDay, money, month as monthName, today } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';
import { Page } from '../../layout/page.tsx';
import { addUp } from '../../list/figures.ts';
import { useListState } from '../../list/list-state.ts';
import { ListTabs } from '../../list/list-tabs.tsx';
import { useSession } from '../../session/session.tsx';
import { CreditNoteTable } from '../credit-notes/credit-note-table.tsx';
import { InvoiceTable } from '../invoices/invoice-table.tsx';

const InvoicedMonthQuery = graphql(`
  query InvoicedMonth($invoices: InvoiceFilter, $creditNotes: CreditNoteFilter) {
    invoices: invoicesAggregate(filter: $invoices) {
      currency
      count
      sums {
        totalGross
      }
    }
    creditNotes(first: 1, filter: $creditNotes) {
      totalCount
    }
    overview {
      months(last: 36) {
        month
        currency
        invoicedGross
      }
    }
  }
`);

const isMonth = (value: string | undefined): value is string => /^\d{4}-(0[1-9]|1[0-2])$/.test(value ?? '');

/** The documents of which a month's invoiced amount consists: its invoices, less its credit notes. */
export default function InvoicedMonth(): ReactNode {
  const { tenant } = useSession();
  const list = useListState(['month', 'currency', 'kind']);
  const { currency = tenant.defaultCurrency, kind } = list.filters;
  // The address may be mistyped.
  const month = isMonth(list.filters.month) ? list.filters.month : today().slice(0, 7);
  const days = { gte: `${month}-01`, lte: lastDay(month) };
  const invoices = {
    currency: { eq: currency },
    invoiceDate: days,
    status: { in: ['ISSUED', 'PAID', 'CANCELLED'] as const satisfies string[] },
  };
  const creditNotes = { currency: { eq: currency }, creditNoteDate: days };
  const [{ data }] = useQuery({ query: InvoicedMonthQuery, variables: { invoices, creditNotes } });
  const total = data?.overview.months.find((row) => row.month === month && row.currency === currency)?.invoicedGross;
  const ofInvoices = data && addUp(data.invoices, ({ sums }) => sums.totalGross);
  const credited = total && minus(total, ofInvoices?.sum?.amount ?? '0');
  const empty = <EmptyState title={t('No documents in this month')} />;
  return (
    <Page
      title={t('Invoiced in {month}', { month: monthName(month) })}
      back={{ to: '/', label: t('Overview') }}
      description={
        !data ? (
          <Skeleton h={20} w={240} />
        ) : (
          total && t('{amount}: the invoices of the month, less its credit notes.', { amount: money(total, currency) })
        )
      }
    >
      <ListTabs
        label={t('Documents')}
        filter="kind"
        tabs={[
          { label: t('Invoices'), figures: ofInvoices },
          {
            value: 'CREDIT_NOTES',
            label: t('Credit notes'),
            figures: data && {
              count: data.creditNotes.totalCount,
              sum: credited ? { amount: credited, currency } : undefined,
            },
          },
        ]}
      />
      {kind === 'CREDIT_NOTES' ? (
        <CreditNoteTable list={list} filters={{ filter: creditNotes }} empty={empty} />
      ) : (
        <InvoiceTable list={list} filters={{ filter: invoices }} empty={empty} />
      )}
    </Page>
  );
}
