import { BanknotesIcon } from '@heroicons/react/24/outline';
import { minus } from '../../format/decimal.ts';
import type { ReactNode } from 'react';
import { LongText } from '../../components/long-text.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { date, label, money } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { period } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { getName as creditNoteName } from '../credit-notes/fields.ts';
import { getName as invoiceName } from '../invoices/fields.ts';
import { describeDifference } from './exchange-difference.ts';
import { t } from '../../i18n/t.ts';

const InvoicePaymentsQuery = graphql(
  `
    query InvoicePayments(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: PaymentFilter
      $orderBy: [PaymentOrder!]
    ) {
      rows: payments(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          id
          kind
          paidOn
          amount
          currency
          exchangeCurrency
          exchangeDifference
          bankTransactionId
          reversalOfId
          invoice {
            id
            number
            customer {
              id
              companyName
            }
          }
          creditNote {
            id
            number
            customer {
              id
              companyName
            }
          }
          customer {
            id
            companyName
          }
        }
      }
    }
  `,
  [PageInfoFields],
);

type InvoicePaymentRow = ResultOf<typeof InvoicePaymentsQuery>['rows']['nodes'][number];

const columns: SortableColumn<InvoicePaymentRow, 'PAID_ON'>[] = [
  {
    header: t('Paid on'),
    sort: 'PAID_ON',
    phone: 'state',
    cell: ({ paidOn }) => <span className="figure">{date(paidOn)}</span>,
  },
  {
    header: t('For'),
    lead: true,
    phone: 'detail',
    cell: ({ kind, invoice, creditNote, reversalOfId, ...exchange }) => (
      <div>
        {invoice && <LongText to={`/invoices/${invoice.id}`}>{invoiceName(invoice)}</LongText>}
        {creditNote && <LongText to={`/credit-notes/${creditNote.id}`}>{creditNoteName(creditNote)}</LongText>}
        <LongText secondary lines={1}>
          {[
            kind === 'PAYMENT' ? '' : label(kind),
            reversalOfId && t('Undoes an earlier one'),
            describeDifference(exchange),
          ]
            .filter(Boolean)
            .join(' · ')}
        </LongText>
      </div>
    ),
  },
  {
    header: t('Customer'),
    phone: 'title',
    cell: ({ invoice, creditNote, customer }) => (
      <LongText>{((invoice ?? creditNote)?.customer ?? customer)?.companyName}</LongText>
    ),
  },
  {
    header: t('By'),
    cell: ({ bankTransactionId }) =>
      bankTransactionId ? (
        <TextLink to={`/bank-transactions/${bankTransactionId}`}>{t('Bank transaction')}</TextLink>
      ) : (
        t('Recorded by hand')
      ),
  },
  {
    header: t('Amount'),
    align: 'right',
    phone: 'value',
    // A refund is money that was sent back.
    cell: ({ kind, amount, currency, creditNote }) =>
      money(creditNote || kind === 'CREDIT_REFUND' ? (minus('0', amount) ?? amount) : amount, currency),
  },
];

const InvoicePaymentTable = (props: ListTableProps<typeof InvoicePaymentsQuery>): ReactNode => (
  <ListTable caption={t('Payments')} query={InvoicePaymentsQuery} columns={columns} {...props} />
);

export default function InvoicePayments(): ReactNode {
  return (
    <ListPage
      title={t('Payments')}
      description={t('What customers paid of your invoices, and what was refunded.')}
      exportable="PAYMENTS"
      table={InvoicePaymentTable}
      filters={period}
      variables={({ from, to }) => ({
        filter: { receiptId: { isNull: true }, paidOn: { gte: from, lte: to } },
      })}
      initialSort={{ field: 'PAID_ON', direction: 'DESC' }}
      empty={{
        icon: BanknotesIcon,
        title: t('No payments yet'),
        description: t('Upload a bank statement, or record a payment on its invoice.'),
        noMatch: t('No payments match'),
      }}
    />
  );
}
