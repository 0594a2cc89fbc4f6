import { BanknotesIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { LongText } from '../../components/long-text.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { date, label, money } from '../../format/format.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { period } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { getName as creditNoteName } from '../credit-notes/fields.ts';
import { getName as invoiceName } from '../invoices/fields.ts';
import { paymentSelection } from './bulk-actions.tsx';
import { describeDifference } from './exchange-difference.ts';
import { getPayer, InvoicePaymentsQuery, signed, type InvoicePaymentRow } from './invoice-payment.ts';
import { t } from '../../i18n/t.ts';

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
    cell: (payment) => <LongText>{getPayer(payment)?.companyName}</LongText>,
  },
  {
    header: t('By'),
    wide: true,
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
    cell: (payment) => money(signed(payment), payment.currency),
  },
];

const InvoicePaymentTable = (props: ListTableProps<typeof InvoicePaymentsQuery>): ReactNode => (
  <ListTable
    caption={t('Payments')}
    query={InvoicePaymentsQuery}
    columns={columns}
    selection={paymentSelection}
    {...props}
  />
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
